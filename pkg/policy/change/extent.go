package change

import (
	"fmt"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Extent is how much of a body has changed. The zero Extent means that the amount is unknown.
type Extent struct {
	Measured bool
	New      float64 // share of the present body's letters that were not in the earlier body, 0 to 1
	Gone     float64 // share of the earlier body's letters that are not in the present body, 0 to 1
	Added    int     // number of words added
	Removed  int     // number of words removed
}

// unchanged is the extent of a change outside the body.
var unchanged = Extent{Measured: true}

// Left returns the share of the earlier body's letters that are still in the present body.
func (e Extent) Left() float64 { return 1 - e.Gone }

// String formats the extent for people: "12 words added, 3 removed".
func (e Extent) String() string {
	return fmt.Sprintf("%s added, %s removed", words.Count(e.Added, "word"), words.Thousands(e.Removed))
}

// Compare measures how much of a body has changed between two readings. If either is the zero Words, it returns the
// zero Extent.
func Compare(old, now Words) (e Extent) {
	if !old.known || !now.known {
		return e
	}
	e.Measured = true
	gone, come, at := 0, 0, 0
	for _, b := range now.buckets {
		var was bucket
		for ; at < len(old.buckets) && old.buckets[at].number <= b.number; at++ {
			if was = old.buckets[at]; was.number < b.number {
				e.Removed, gone, was = e.Removed+was.words, gone+was.letters, bucket{}
			}
		}
		e.Added, come = e.Added+max(0, b.words-was.words), come+max(0, b.letters-was.letters)
		e.Removed, gone = e.Removed+max(0, was.words-b.words), gone+max(0, was.letters-b.letters)
	}
	for _, was := range old.buckets[at:] {
		e.Removed, gone = e.Removed+was.words, gone+was.letters
	}
	e.New, e.Gone = part(come, now.letters), part(gone, old.letters)
	return e
}

// InCommon returns the share of the shorter text's letters that are in words which the other text has, too, 0 to 1. It
// returns 0 if a text is not known or has no letters.
func InCommon(a, b Words) float64 {
	if a.letters == 0 || b.letters == 0 {
		return 0
	}
	e := Compare(a, b)
	return 1 - min(e.New, e.Gone)
}

func part(of, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(of) / float64(all)
}
