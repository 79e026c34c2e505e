package ui

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// The height of a plot and the width of a column and of what is left free beside it, in the units of its picture.
const (
	plotHeight  = 60
	columnWidth = 10
	columnGap   = 2
)

// spell is how far a plot looks back, and how many hours a column of it stands for.
type spell struct {
	Hours, Each int
	Text        string
	EachText    string // an hour, in words
}

var (
	month  = spell{720, 24, "month", "per day"}
	spells = []spell{{24, 1, "day", "per hour"}, {168, 6, "week", "per 6 hours"}, month}
)

// spellOf is the one of so many hours, or a day.
func spellOf(hours string) spell {
	for _, s := range spells {
		if strconv.Itoa(s.Hours) == hours {
			return s
		}
	}
	return spells[0]
}

// plot is what was done in some time, as columns of checks of which some found a change and some failed.
type plot struct {
	spell
	api.ActivityCounts // of the whole time
	Width              int
	Columns            []column
	Most               int64 // checks of the highest column
}

// column is a part of a plot. Its bars stand on each other: what failed, what changed, the rest.
type column struct {
	api.ActivityCounts
	From time.Time
	Bars []block
}

// block is a rectangle of a plot.
type block struct {
	Tone         string
	X, Y, Height int
}

// plotOf draws the activity of the time until now. Columns begin with hours and days of UTC.
func plotOf(a api.Activity, s spell, now time.Time) plot {
	n := s.Hours / s.Each
	p := plot{spell: s, ActivityCounts: a.Total, Width: n * columnWidth, Columns: make([]column, n)}
	each := time.Duration(s.Each) * time.Hour
	begin := now.UTC().Truncate(each).Add(each - time.Duration(s.Hours)*time.Hour)
	for i := range p.Columns {
		p.Columns[i].From = begin.Add(time.Duration(i) * each)
	}
	for _, h := range a.Hours {
		i := int(h.Hour.Sub(begin) / each)
		if h.Hour.Before(begin) || i >= n {
			continue
		}
		c := &p.Columns[i]
		c.Checks, c.Changes, c.Errors = c.Checks+h.Checks, c.Changes+h.Changes, c.Errors+h.Errors
		p.Most = max(p.Most, c.Checks)
	}
	for i := range p.Columns {
		p.Columns[i].draw(i, p.Most)
	}
	return p
}

// draw stacks the bars of column i, where the highest column of all has so many checks. What is there at all is
// seen, be it ever so little.
func (c *column) draw(i int, most int64) {
	y := plotHeight
	for _, part := range []struct {
		tone string
		n    int64
	}{{"bad", c.Errors}, {"good", c.Changes}, {"quiet", c.Checks - c.Errors - c.Changes}} {
		if part.n <= 0 {
			continue
		}
		high := min(max(2, int(part.n*plotHeight/most)), y)
		y -= high
		c.Bars = append(c.Bars, block{part.tone, i * columnWidth, y, high})
	}
}

// Summary is the plot for those who do not see it.
func (p plot) Summary() string {
	return fmt.Sprintf("In the last %s: %s, %s of them found a change, %s failed",
		p.Text, words.Count(int(p.Checks), "check"), words.Thousands(int(p.Changes)), words.Thousands(int(p.Errors)))
}

// Step is the width of a bar.
func (p plot) Step() int { return columnWidth - columnGap }

// Labels are the times below a plot: where it begins, its middle, and its last column.
func (p plot) Labels() []string {
	layout := "Jan 2"
	if p.Each < 24 {
		layout = "Jan 2 15:04"
	}
	var out []string
	for _, i := range []int{0, len(p.Columns) / 2, len(p.Columns) - 1} {
		out = append(out, p.Columns[i].From.Format(layout))
	}
	return out
}
