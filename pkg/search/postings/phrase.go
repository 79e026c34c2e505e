package postings

import "slices"

// Phrase finds the documents in which the words follow each other. Each hit has the impact of the first word.
func (r *Reader) Phrase(words []Entry) ([]Hit, error) {
	found, err := r.Hits(words[0])
	for _, e := range words[1:] {
		if err != nil || len(found) == 0 {
			return nil, err
		}
		var other []Hit
		other, err = r.Hits(e)
		found = within(found, other)
	}
	if err != nil || len(found) == 0 || len(words) == 1 {
		return found, err
	}
	ends := make([][]uint32, len(found)) // by document, the positions at which the partial matches end
	for i, e := range words {
		err := r.positions(e, found, func(at int, here []uint32) {
			if i == 0 {
				ends[at] = slices.Clone(here)
			} else {
				ends[at] = following(ends[at], here)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	kept := found[:0]
	for i, h := range found {
		if len(ends[i]) > 0 {
			kept = append(kept, h)
		}
	}
	return kept, nil
}

// within returns those hits whose documents are also in others.
func within(hits, others []Hit) []Hit {
	kept := hits[:0]
	for _, h := range hits {
		at, _ := slices.BinarySearchFunc(others[:min(len(others), 64)], h, byDocument)
		if at == 64 {
			at, _ = slices.BinarySearchFunc(others, h, byDocument)
		}
		if others = others[at:]; len(others) == 0 {
			break
		}
		if others[0].Document() == h.Document() {
			kept = append(kept, h)
		}
	}
	return kept
}

func byDocument(a, b Hit) int { return int(a.Document() - b.Document()) }

// positions calls the given function with the positions of a word in the documents of the wanted hits. All of these
// documents must contain the word.
func (r *Reader) positions(e Entry, wanted []Hit, each func(at int, positions []uint32)) error {
	at := 0
	var unpacked []uint32
	for _, p := range e.pieces {
		err := r.each(p, func(hits []Hit, packed []byte) error {
			reader := positionsReader{packed}
			for _, h := range hits {
				if at == len(wanted) || wanted[at].Document() > hits[len(hits)-1].Document() {
					return nil
				}
				next := reader.next()
				if next == nil {
					return damaged("positions of segment", p.segment.id)
				}
				if h.Document() == wanted[at].Document() {
					unpacked = unpack(unpacked[:0], next)
					each(at, unpacked)
					at++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// following compares two ascending lists of positions. It returns those positions of the second list that come
// directly after a position of the first.
func following(before, here []uint32) (found []uint32) {
	for _, p := range before {
		for len(here) > 0 && here[0] < p+1 {
			here = here[1:]
		}
		if len(here) > 0 && here[0] == p+1 {
			found = append(found, p+1)
		}
	}
	return found
}
