package postings

import "slices"

// From returns the part of a sorted list that begins with the hit of a document, or else with the first hit after
// that document.
func From(hits []Hit, document int64) []Hit {
	step := 1
	for step < len(hits) && hits[step].Document() < document {
		step *= 2
	}
	from, to := step/2, min(step+1, len(hits))
	if from >= to {
		return hits
	}
	at, _ := slices.BinarySearch(hits[from:to], NewHit(document, 0))
	if from > 0 || at > 0 {
		return hits[from+at:]
	}
	return hits
}

// Union returns a hit for each document that is in any of the lists, with the document's greatest impact.
func Union(lists [][]Hit) []Hit {
	lists = slices.DeleteFunc(lists, func(l []Hit) bool { return len(l) == 0 })
	for len(lists) > 1 { // merge in pairs, so that no hit is merged too often
		merged := lists[:0]
		for pair := range slices.Chunk(lists, 2) {
			if len(pair) == 2 {
				pair[0] = either(pair[0], pair[1])
			}
			merged = append(merged, pair[0])
		}
		lists = merged
	}
	return slices.Concat(lists...)
}

// either returns the union of two lists.
func either(a, b []Hit) []Hit {
	if len(a) < len(b) {
		a, b = b, a
	}
	all := make([]Hit, 0, len(a)+len(b))
	for _, h := range b {
		after := From(a, h.Document())
		all = append(all, a[:len(a)-len(after)]...)
		if a = after; len(a) > 0 && a[0].Document() == h.Document() {
			h, a = max(h, a[0]), a[1:]
		}
		all = append(all, h)
	}
	return append(all, a...)
}

// Intersect returns a hit for each document that is in both lists, with the smaller of the document's two impacts.
func Intersect(a, b []Hit) (both []Hit) {
	for len(a) > 0 && len(b) > 0 {
		switch da, db := a[0].Document(), b[0].Document(); {
		case da < db:
			a = a[1:]
		case da > db:
			b = b[1:]
		default:
			both = append(both, min(a[0], b[0]))
			a, b = a[1:], b[1:]
		}
	}
	return both
}
