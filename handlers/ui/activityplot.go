package ui

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// The measures of a plot, in the units of its picture: its height, the width of a column and the gap between columns.
const (
	plotHeight  = 60
	columnWidth = 10
	columnGap   = 2
)

// plotPeriod is the length of time that a plot shows, and the length of each of its columns, both in hours.
type plotPeriod struct {
	Hours, Each int
	Text        string
	EachText    string // the length of a column, in words
}

// month is the longest period, with one column per day.
var month = plotPeriod{720, 24, "month", "per day"}

var periods = []plotPeriod{{24, 1, "day", "per hour"}, {168, 6, "week", "per 6 hours"}, month}

// periodOf returns the period with the given number of hours. If there is no such period, it returns a day.
func periodOf(hours string) plotPeriod {
	for _, p := range periods {
		if strconv.Itoa(p.Hours) == hours {
			return p
		}
	}
	return periods[0]
}

// activityPlot shows the checks of a period as columns. It highlights checks that found a change
// and checks that failed.
type activityPlot struct {
	plotPeriod
	api.ActivityCounts // the sums of the whole period
	Width              int
	Columns            []column
	Most               int64 // the number of checks in the highest column
}

// A column is a part of the period. Its bars are stacked: failed checks, checks that found a
// change, and all other checks.
type column struct {
	api.ActivityCounts
	From time.Time
	Bars []formBlock
}

// A formBlock is a rectangle of a plot.
type formBlock struct {
	Tone         string
	X, Y, Height int
}

// newPlot draws the activity of the period that ends now. Columns begin at full hours or days of UTC.
func newPlot(a api.Activity, of plotPeriod, now time.Time) activityPlot {
	n := of.Hours / of.Each
	p := activityPlot{plotPeriod: of, ActivityCounts: a.Total, Width: n * columnWidth, Columns: make([]column, n)}
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

// draw stacks the bars of the column at index i. The highest column shows the number most of
// checks. A bar for at least one check is always high enough to be visible.
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
		c.Bars = append(c.Bars, formBlock{part.tone, i * columnWidth, y, high})
	}
}

// Summary describes the plot to people who cannot see it.
func (p activityPlot) Summary() string {
	return fmt.Sprintf("In the last %s: %s, %s of them found a change, %s failed",
		p.Text, words.Count(int(p.Checks), "check"), words.Thousands(int(p.Changes)), words.Thousands(int(p.Errors)))
}

// Step returns the width of a bar.
func (p activityPlot) Step() int { return columnWidth - columnGap }

// Labels returns the times that are shown below the first, middle and last column of the plot.
func (p activityPlot) Labels() []string {
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
