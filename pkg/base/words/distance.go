package words

// Distance returns how many letters must be changed, deleted, inserted or swapped with a neighbour to turn a into b
// (optimal string alignment). When the distance is greater than most, the result may be any number greater than most.
func Distance(a, b []rune, most int) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			changed := last[j-1]
			if a[i-1] != b[j-1] {
				changed++
			}
			row[j] = min(last[j]+1, row[j-1]+1, changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most+1 { // a swap may still use the previous row
			return most + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
