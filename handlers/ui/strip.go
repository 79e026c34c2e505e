package ui

import (
	"math"
	"net/url"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// The picture of a page's past, in its own units.
const (
	stripWidth  = 600
	stripHeight = 60
	markWidth   = 6
	leastMark   = 8
	stripMarks  = 200 // of the newest changes
)

// strip is the past of a page from left to right: its changes, as high as the part of the text that changed, and
// checks that found none, as far as they are known.
type strip struct {
	From, To time.Time
	Marks    []mark
	Quiet    []int // where checks were
}

// mark is a change in a strip.
type mark struct {
	X, Y, Height int
	Change       api.Change
	To           string // where it is shown; empty for the first version
}

// stripOf draws the changes of an item, which are newest first, up to now.
func stripOf(it api.ItemDetail, now time.Time) (s strip) {
	all := it.Changes[:min(len(it.Changes), stripMarks)]
	if len(all) == 0 {
		return s
	}
	s.From, s.To = all[len(all)-1].At, now
	at := func(t time.Time) int {
		whole := max(s.To.Sub(s.From), time.Second)
		return int(float64(stripWidth-markWidth) * min(1, max(0, t.Sub(s.From).Seconds()/whole.Seconds())))
	}
	for _, c := range slices.Backward(all) {
		m := mark{X: at(c.At), Height: leastMark, Change: c}
		if share := shareOf(c); share > 0 {
			m.Height = max(leastMark, int(math.Round(share*(stripHeight-4))))
		}
		m.Y = stripHeight - m.Height
		if c.Before != "" && c.Before != c.SHA256 {
			m.To = withQuery(Root+"/items/"+url.PathEscape(it.ID)+"/diff", url.Values{"from": {c.Before}, "to": {c.SHA256}})
		}
		s.Marks = append(s.Marks, m)
	}
	for _, d := range it.History {
		if d.What == "unchanged" && d.At.After(s.From) {
			s.Quiet = append(s.Quiet, at(d.At))
		}
	}
	return s
}

// shareOf is the part of the text that a change has changed, 0 where nobody knows.
func shareOf(c api.Change) float64 {
	share := 0.0
	for _, part := range []*float64{c.NewShare, c.GoneShare} {
		if part != nil {
			share = max(share, *part)
		}
	}
	return min(share, 1)
}

// sharePercent says the part of the text that a change has changed; "" where nobody knows.
func sharePercent(c api.Change) string {
	if c.NewShare == nil && c.GoneShare == nil {
		return ""
	}
	return percent(shareOf(c))
}
