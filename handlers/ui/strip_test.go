package ui

import (
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestA12QuietTimeInTheStrip checks that the strip shows checks in a row that found no change from the first to the
// last, and a check alone where it was.
func TestA12QuietTimeInTheStrip(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	it := api.ItemDetail{
		Changes: []api.Change{{At: noon, Kind: "new"}},
		History: []api.Decision{
			{At: noon, What: "unchanged"}, // not after the first change
			{At: noon.Add(10 * time.Hour), What: "unchanged"},
			{At: noon.Add(80 * time.Hour), What: "unchanged", Since: noon.Add(50 * time.Hour), Times: 12},
			{At: noon.Add(90 * time.Hour), What: "scheduled", Since: noon.Add(50 * time.Hour), Times: 12},
		},
	}
	s := stripOf(it, noon.Add(100*time.Hour))
	at := func(hour int) int { return (stripWidth - barWidth) * hour / 100 }
	want := []quiet{{at(10), quietWidth}, {at(50), at(80) - at(50) + quietWidth}}
	if !slices.Equal(s.Quiet, want) {
		t.Errorf("have %v, want %v", s.Quiet, want)
	}
}
