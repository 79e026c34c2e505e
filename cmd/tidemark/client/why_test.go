package client

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
)

// TestA12WhyCountsChecks checks that a line for several checks says how often and since when, and that it is two
// events of the item: the first check and the last.
func TestA12WhyCountsChecks(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d := api.Decision{At: noon.Add(9 * time.Hour), What: "unchanged", Why: verdict.WhyNotModified,
		Since: noon.Add(time.Hour), Times: 12}
	if have, want := decisionText(d), "unchanged: "+verdict.WhyNotModified+", 12 times since 2026-03-01 13:00:00Z"; have !=
		want {
		t.Errorf("have %q, want %q", have, want)
	}
	events := eventsOf(api.ItemDetail{Captures: []api.Capture{{SHA256: "a", CapturedAt: noon}},
		History: []api.Decision{d, {At: noon.Add(10 * time.Hour), What: "unchanged", Why: verdict.WhyNotModified}}})
	var hours []int
	for _, e := range events {
		hours = append(hours, e.at.Hour())
	}
	if len(hours) != 4 || hours[1] != 13 || hours[2] != 21 || hours[3] != 22 || !events[1].revisit {
		t.Errorf("events at %v", hours)
	}
}
