package watch

// column is what stands at one place of all forms of a line: of each form the tokens from and to.
type column struct {
	same bool // it is the same single token in all forms
	at   []span
}

// span is the tokens, or the bytes, from From up to To.
type span struct{ from, to int }

func (s span) size() int { return s.to - s.from }

// bounds returns the smallest and the largest number of tokens at a place.
func (c column) bounds() (least, most int) {
	least = c.at[0].size()
	for _, s := range c.at {
		least, most = min(least, s.size()), max(most, s.size())
	}
	return least, most
}

// columnsOf aligns forms of a line. A place between two tokens that all forms share is one column for each token if
// all forms have as many tokens there; otherwise it is one column.
func columnsOf(forms [][]string) (out []column) {
	partner := make([][]int, len(forms))
	for k, f := range forms {
		partner[k] = partners(forms[0], f)
	}
	next := make([]int, len(forms))
	for i := range len(forms[0]) + 1 {
		stays, at := true, make([]int, len(forms))
		for k, f := range forms {
			if at[k] = len(f); i < len(forms[0]) {
				at[k] = partner[k][i]
			}
			stays = stays && at[k] >= 0
		}
		if !stays {
			continue
		}
		out = append(out, between(next, at)...)
		if i < len(forms[0]) {
			out = append(out, columnAt(at, true))
		}
		for k := range at {
			next[k] = at[k] + 1
		}
	}
	return out
}

func columnAt(at []int, same bool) column {
	c := column{same: same}
	for _, i := range at {
		c.at = append(c.at, span{i, i + 1})
	}
	return c
}

// between returns the columns between two places.
func between(from, to []int) (out []column) {
	var c column
	for k := range from {
		c.at = append(c.at, span{from[k], to[k]})
	}
	least, most := c.bounds()
	if most == 0 {
		return nil
	}
	if least < most {
		return []column{c}
	}
	for i := range most {
		at := make([]int, len(from))
		for k := range at {
			at[k] = from[k] + i
		}
		out = append(out, columnAt(at, false))
	}
	return out
}

// partners returns, for each token of a form, the same token of another form; -1 for tokens that the other form does
// not have there.
func partners(a, b []string) []int {
	out := make([]int, len(a))
	same := 0
	for i := range a {
		if out[i] = -1; len(a) == len(b) && a[i] == b[i] {
			out[i] = i
			same++
		}
	}
	if len(a) == len(b) && 2*same >= len(a) {
		return out
	}
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		out[head] = head
		head++
	}
	endA, endB := len(a), len(b)
	for endA > head && endB > head && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
		out[endA] = endB
	}
	for i, j := range common(a[head:endA], b[head:endB]) {
		if out[head+i] = -1; j >= 0 {
			out[head+i] = head + j
		}
	}
	return out
}

// common returns, for each token of a, its partner in a longest sequence that a and b share; -1 if it has none.
func common(a, b []string) []int {
	length := make([][]int, len(a)+1) // of the longest sequence from there on
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); a[i] == b[j] {
				length[i][j] = 1 + length[i+1][j+1]
			}
		}
	}
	out := make([]int, len(a))
	j := 0
	for i := range a {
		out[i] = -1
		for j < len(b) && a[i] != b[j] && length[i][j+1] == length[i][j] {
			j++ // b[j] has no partner
		}
		if j < len(b) && a[i] == b[j] {
			out[i] = j
			j++
		}
	}
	return out
}
