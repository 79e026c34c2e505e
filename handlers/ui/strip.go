package ui

import (
	"math"
	"net/url"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// The measures of a strip, in the units of its picture.
const (
	stripWidth  = 600
	stripHeight = 60
	barWidth    = 6
	leastBar    = 8
	quietWidth  = 2
	stripBars   = 200 // the largest number of changes; the newest are shown
)

// A strip shows the past of a page as a picture, with time from left to right. Each change is a bar whose height is
// the share of the text that changed. Known checks that found no change are shown, too.
type strip struct {
	From, To time.Time
	Bars     []bar
	Quiet    []quiet
}

// quiet is a check in a strip that found no change, or the time from the first to the last of several in a row.
type quiet struct{ X, Width int }

// A bar is a change in a strip.
type bar struct {
	X, Y, Height int
	Change       api.Change
	To           string // the address of the page that shows the change; empty for the first version
}

// stripOf draws the changes of an item up to now. The item's list of changes begins with the newest.
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
			m.To = linkTo(Root+"/items/"+url.PathEscape(it.ID)+"/diff",
				url.Values{"from": {c.Before}, "to": {c.SHA256}})
		}
		s.Bars = append(s.Bars, m)
	}
	for _, d := range it.History {
		if d.What == "unchanged" && d.At.After(s.From) {
			from := at(d.At)
			if d.Times > 1 {
				from = at(d.Since)
			}
			s.Quiet = append(s.Quiet, quiet{from, at(d.At) - from + quietWidth})
		}
	}
	return s
}

// shareOf returns the share of the text that has changed, or 0 if the share is not known.
func shareOf(c api.Change) float64 {
	share := 0.0
	for _, part := range []*float64{c.NewShare, c.GoneShare} {
		if part != nil {
			share = max(share, *part)
		}
	}
	return min(share, 1)
}

// sharePercent returns the share of the text that has changed, in percent; "" if the share is not known.
func sharePercent(c api.Change) string {
	if c.NewShare == nil && c.GoneShare == nil {
		return ""
	}
	return words.Percent(shareOf(c))
}
