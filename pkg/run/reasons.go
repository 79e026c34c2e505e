package run

// maxReasons limits the number of reasons that are counted separately.
const maxReasons = 40

// Reasons counts, by reason, the addresses that were left out. After 40 different reasons, all others are counted
// under one entry.
type Reasons map[string]int

// Add adds n to the count of a reason. It returns the name of the entry that counts it.
func (r *Reasons) Add(reason string, n int) (entry string) {
	if _, known := (*r)[reason]; !known && len(*r) >= maxReasons {
		reason = "other reasons"
	}
	if *r == nil {
		*r = Reasons{}
	}
	(*r)[reason] += n
	return reason
}

// Examples is the first address that each entry of [Reasons] left out, at most 41 of them.
type Examples map[string]string

// Note keeps an address that was left out for a reason, unless there is one already. The reason is an entry that
// [Reasons.Add] has returned.
func (e *Examples) Note(reason, address string) {
	if _, known := (*e)[reason]; known || len(*e) > maxReasons {
		return
	}
	if *e == nil {
		*e = Examples{}
	}
	(*e)[reason] = address
}
