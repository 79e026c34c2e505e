package show

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// The height of a plot, the width of a column, and the gap beside it, in the units of the picture.
const (
	plotHeight  = 60
	columnWidth = 10
	columnGap   = 2
)

// Period is how far a plot looks back, and how many hours each of its columns stands for.
type Period struct {
	Hours, Each int
	Text        string
	EachText    string // the hours of a column, in words
}

// Month is the longest period, with a column for each day.
var Month = Period{720, 24, "month", "per day"}

var periods = []Period{{24, 1, "day", "per hour"}, {168, 6, "week", "per 6 hours"}, Month}

// PeriodOf is the period of so many hours, or else a day.
func PeriodOf(hours string) Period {
	for _, p := range periods {
		if strconv.Itoa(p.Hours) == hours {
			return p
		}
	}
	return periods[0]
}

// Plot shows the checks of a period as columns, in which those that found a change and those that failed stand out.
type Plot struct {
	Period
	api.ActivityCounts // of the whole period
	Width              int
	Columns            []column
	Most               int64 // checks of the highest column
}

// column is a part of the period. Its bars are stacked: what failed, what found a change, the rest.
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

// NewPlot draws the activity of the period until now. Columns begin at full hours and days of UTC.
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

// draw stacks the bars of column i, where most is the number of checks of the highest column. Whatever is not zero is
// high enough to be seen.
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

// Labels are the times below the plot: its first column, its middle, and its last column.
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
