package client

import (
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
)

// An event is one answer of a source. The bytes of the answer are stored.
type event struct {
	at      time.Time
	capture api.Capture
	// revisit means that the bytes were already stored. claimed means that the source said so and sent no bytes.
	revisit, claimed bool
}

// eventsOf derives an item's answers from its captures, edges and history, oldest first: each capture, each return to
// an earlier capture, and each check that found the same bytes, or the first and the last of several in a row. A check
// that found other bytes with the same content gives no event, because those bytes were not stored.
func eventsOf(item api.ItemDetail) []event {
	bySHA := map[string]api.Capture{}
	var out []event
	for _, c := range slices.Backward(item.Captures) { // oldest first
		if _, known := bySHA[c.SHA256]; known {
			continue // the capture has the same answer, extracted again by other rules
		}
		bySHA[c.SHA256] = c
		out = append(out, event{at: c.CapturedAt, capture: c})
	}
	for _, e := range item.Lineage {
		of, digest := lineage.CaptureID(e.Newer).Split()
		if c, kept := bySHA[digest]; kept && of == item.ID && e.At.After(c.CapturedAt) {
			out = append(out, event{at: e.At, capture: c, revisit: true})
		}
	}
	inOrder(out)
	changes := out
	for _, d := range item.History {
		if d.Times > 1 { // of the checks in between, the times are not kept
			first := d
			first.At = d.Since
			if e, found := sameAgain(first, changes); found {
				out = append(out, e)
			}
		}
		if e, found := sameAgain(d, changes); found {
			out = append(out, e)
		}
	}
	inOrder(out)
	return out
}

func inOrder(events []event) {
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
}

// sameAgain returns the event of a check that found the same bytes as the check before. They are the bytes of the
// last event in changes that is not later than the check, apart from bodies that came for their text alone.
func sameAgain(d api.Decision, changes []event) (event, bool) {
	claimed := d.Why == verdict.WhyNotModified || d.Why == verdict.WhyValidators
	if d.What != "unchanged" || !claimed && d.Why != verdict.WhySameBytes && d.Why != verdict.WhySamePlain {
		return event{}, false
	}
	same := false // a body with the same text came in between
	for _, e := range slices.Backward(changes) {
		switch {
		case e.at.After(d.At):
		case e.capture.SameTextAs != "":
			same = true
		case same && claimed:
			return event{}, false // it is not known which of the bodies the source meant
		default:
			return event{at: d.At, capture: e.capture, revisit: true, claimed: claimed}, true
		}
	}
	return event{}, false
}
