package items

import (
	"math"
	"net/url"
	"slices"
	"time"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/handlers/ui/show"
	"github.com/tidemark/tidemark/pkg/api"
)

// The picture of a page's past, in its own units.
const (
	stripWidth  = 600
	stripHeight = 60
	barWidth    = 6
	leastBar    = 8
	stripBars   = 200 // of the newest changes
)

// strip is the past of a page, from left to right: its changes, each as high as the share of the text that changed, and
// the checks that found none, as far as they are known.
type strip struct {
	From, To time.Time
	Bars     []bar
	Quiet    []int // where checks found no change
}

// bar is a change in a strip.
type bar struct {
	X, Y, Height int
	Change       api.Change
	To           string // the page that shows it; empty for the first version
}

// stripOf draws the changes of an item, which are newest first, until now.
func stripOf(it api.ItemDetail, now time.Time) (s strip) {
	all := it.Changes[:min(len(it.Changes), stripBars)]
	if len(all) == 0 {
		return s
	}
	s.From, s.To = all[len(all)-1].At, now
	at := func(t time.Time) int {
		whole := max(s.To.Sub(s.From), time.Second)
		return int(float64(stripWidth-barWidth) * min(1, max(0, t.Sub(s.From).Seconds()/whole.Seconds())))
	}
	for _, c := range slices.Backward(all) {
		m := bar{X: at(c.At), Height: leastBar, Change: c}
		if share := shareOf(c); share > 0 {
			m.Height = max(leastBar, int(math.Round(share*(stripHeight-4))))
		}
		m.Y = stripHeight - m.Height
		if c.Before != "" && c.Before != c.SHA256 {
			m.To = frame.Address(frame.Root+"/items/"+url.PathEscape(it.ID)+"/diff",
				url.Values{"from": {c.Before}, "to": {c.SHA256}})
		}
		s.Bars = append(s.Bars, m)
	}
	for _, d := range it.History {
		if d.What == "unchanged" && d.At.After(s.From) {
			s.Quiet = append(s.Quiet, at(d.At))
		}
	}
	return s
}

// shareOf is the share of the text that has changed, 0 if that is not known.
func shareOf(c api.Change) float64 {
	share := 0.0
	for _, part := range []*float64{c.NewShare, c.GoneShare} {
		if part != nil {
			share = max(share, *part)
		}
	}
	return min(share, 1)
}

// sharePercent says which share of the text has changed; "" if that is not known.
func sharePercent(c api.Change) string {
	if c.NewShare == nil && c.GoneShare == nil {
		return ""
	}
	return show.Percent(shareOf(c))
}
