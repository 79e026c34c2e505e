package ui

import (
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestPlot checks that each hour is in the column of its time, that the last column ends with the present hour, that
// bars are stacked within the picture, and that every count above zero is visible.
func TestPlot(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	at := func(hoursAgo int, checks, changes, errors int64) api.ActivityHour {
		return api.ActivityHour{Hour: now.Truncate(time.Hour).Add(-time.Duration(hoursAgo) * time.Hour),
			ActivityCounts: api.ActivityCounts{Checks: checks, Changes: changes, Errors: errors}}
	}
	a := api.Activity{Hours: []api.ActivityHour{at(800, 9, 9, 9), at(23, 10, 0, 1), at(1, 1000, 1000, 0),
		at(0, 1000, 1, 999), at(-30, 9, 9, 9)}}
	for _, tt := range []struct {
		hours   string
		columns int
		checks  map[int]int64 // by column
	}{
		{"24", 24, map[int]int64{0: 10, 22: 1000, 23: 1000}},
		{"168", 28, map[int]int64{23: 10, 26: 1000, 27: 1000}},
		{"720", 30, map[int]int64{28: 10, 29: 2000}},
		{"often", 24, map[int]int64{0: 10, 22: 1000, 23: 1000}},
	} {
		p := newPlot(a, periodOf(tt.hours), now)
		if len(p.Columns) != tt.columns || p.Width != tt.columns*columnWidth {
			t.Fatalf("%s hours: %d columns, %d wide", tt.hours, len(p.Columns), p.Width)
		}
		for i, c := range p.Columns {
			if c.Checks != tt.checks[i] {
				t.Errorf("%s hours: column %d has %d checks, want %d", tt.hours, i, c.Checks, tt.checks[i])
			}
			y := plotHeight
			for _, b := range c.Bars {
				if b.Y+b.Height != y || b.Y < 0 || b.Height < 0 {
					t.Errorf("%s hours: column %d has bars %+v", tt.hours, i, c.Bars)
				}
				y = b.Y
			}
			if seen := len(c.Bars) > 0; seen != (c.Checks > 0) {
				t.Errorf("%s hours: column %d of %d checks is drawn as %+v", tt.hours, i, c.Checks, c.Bars)
			}
		}
	}
}

// TestU3PlotAxis checks that the axis of a plot shows the height of the highest column and the times at which columns
// begin (U3).
func TestU3PlotAxis(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 30, 0, 0, time.UTC)
	a := api.Activity{Hours: []api.ActivityHour{
		{Hour: now.Add(-26 * time.Hour), ActivityCounts: api.ActivityCounts{Checks: 40}},
		{Hour: now.Add(-25 * time.Hour), ActivityCounts: api.ActivityCounts{Checks: 2}}}}
	p := newPlot(a, month, now)
	if p.Most != 42 || !slices.Equal(p.Labels(), []string{"Jan 31", "Feb 15", "Mar 1"}) {
		t.Errorf("%d, %q", p.Most, p.Labels())
	}
	if have := newPlot(a, periods[0], now).Labels()[2]; have != "Mar 1 10:00" {
		t.Errorf("the last column of a day begins at %s", have)
	}
}
