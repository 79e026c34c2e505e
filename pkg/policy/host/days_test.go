package host

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

// TestU3DaysOfAHost checks that the requests to a host and their results are kept for thirty days (U3).
func TestU3DaysOfAHost(t *testing.T) {
	var h State
	for day := range 40 {
		if day == 20 {
			continue // no requests
		}
		now := noon.Add(time.Duration(day) * 24 * time.Hour)
		h.Charge(now, "a", Budget{int64(day), 1000})
		h.Count(now, day%2 == 0, day%3 == 0)
		shared := h.Days
		h.StartDay(now) // the same day again
		if len(h.Days) != len(shared) {
			t.Fatalf("day %d was counted twice", day)
		}
	}
	if len(h.Days) != keptDays-2 || h.Days[0].Requests != 10 || h.Today.Used.Requests != 39 {
		t.Fatalf("%d days from %+v on, today %+v", len(h.Days), h.Days[0], h.Today)
	}
	last := h.Days[len(h.Days)-1]
	want := Spent{h.Today.Began.Add(-24 * time.Hour), Budget{38, 1000}, Checks{All: 1, Changed: 1}}
	if last != want {
		t.Errorf("the day before is %+v, want %+v", last, want)
	}
	text, err := json.Marshal(h.Days)
	var back []Spent
	if err != nil || json.Unmarshal(text, &back) != nil || !slices.Equal(back, h.Days) {
		t.Errorf("%s read as %+v: %v", text, back, err)
	}
}
