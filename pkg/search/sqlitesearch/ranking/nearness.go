package ranking

import "math"

// near returns how close together the content terms are in the text that was scanned last. It returns 1 if they are
// adjacent, and 0 if the text has fewer than two of them.
func (r *Scorer) near() float64 {
	last := make([]int, len(r.query.Terms))
	n := 0
	for i := range last {
		last[i] = -1
		if r.content[i] && r.body.times[i] > 0 {
			n++
		}
	}
	if n < 2 {
		return 0
	}
	shortest, seen := math.MaxInt, 0
	for _, h := range r.body.hits {
		if !r.content[h.term] {
			continue
		}
		if last[h.term] < 0 {
			seen++
		}
		last[h.term] = h.position
		if seen < n {
			continue
		}
		first := h.position
		for i, at := range last {
			if r.content[i] && at >= 0 {
				first = min(first, at)
			}
		}
		shortest = min(shortest, h.position-first)
	}
	if shortest == math.MaxInt {
		return 0
	}
	return float64(n-1) / float64(max(shortest, n-1))
}
