package show

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// The height of a plot, the width of a column, and the gap between columns, in the units of the picture.
const (
	plotHeight  = 60
	columnWidth = 10
	columnGap   = 2
)

// Period is the time that a plot shows, and the number of hours in each of its columns.
type Period struct {
	Hours, Each int
	Text        string
	EachText    string // the length of a column, in words
}

// Month is the longest period, with one column per day.
var Month = Period{720, 24, "month", "per day"}

var periods = []Period{{24, 1, "day", "per hour"}, {168, 6, "week", "per 6 hours"}, Month}

// PeriodOf returns the period of so many hours, or a day if there is no such period.
func PeriodOf(hours string) Period {
	for _, p := range periods {
		if strconv.Itoa(p.Hours) == hours {
			return p
		}
	}
	return periods[0]
}

// Plot shows the checks of a period as columns. Checks that found a change and checks that failed are highlighted.
type Plot struct {
	Period
	api.ActivityCounts // the sums of the whole period
	Width              int
	Columns            []column
	Most               int64 // the number of checks in the highest column
}

// column is a part of the period. Its bars are stacked: failed checks, checks that found a change, all others.
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

// NewPlot draws the activity of the period up to now. Columns begin at full hours and days of UTC.
func NewPlot(a api.Activity, of Period, now time.Time) Plot {
	n := of.Hours / of.Each
	p := Plot{Period: of, ActivityCounts: a.Total, Width: n * columnWidth, Columns: make([]column, n)}
	each := time.Duration(of.Each) * time.Hour
	begin := now.UTC().Truncate(each).Add(each - time.Duration(of.Hours)*time.Hour)
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

// draw stacks the bars of column i. most is the number of checks in the highest column. A bar whose count is not zero
// is always high enough to be visible.
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

// Summary describes the plot to people who cannot see it.
func (p Plot) Summary() string {
	return fmt.Sprintf("In the last %s: %s, %s of them found a change, %s failed",
		p.Text, words.Count(int(p.Checks), "check"), words.Thousands(int(p.Changes)), words.Thousands(int(p.Errors)))
}

// Step is the width of a bar.
func (p Plot) Step() int { return columnWidth - columnGap }

// Labels are the times below the plot, for its first, middle and last column.
func (p Plot) Labels() []string {
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
