package run

// maxReasons is how many reasons are told apart.
const maxReasons = 40

// Reasons count why addresses were left out, by the text that says so. Beyond 40 texts the others are counted
// together.
type Reasons map[string]int

// Add counts a reason n times.
func (r *Reasons) Add(reason string, n int) {
	if _, known := (*r)[reason]; !known && len(*r) >= maxReasons {
		reason = "other reasons"
	}
	if *r == nil {
		*r = Reasons{}
	}
	(*r)[reason] += n
}
