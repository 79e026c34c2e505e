package wire

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// TestJ6Spans checks that a time is given in the same words everywhere (J6).
func TestJ6Spans(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{"1h": time.Hour, "7d": 7 * 24 * time.Hour, "2 w": 14 * 24 * time.Hour,
		"day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "1h30m": 90 * time.Minute} {
		if at, err := Since("since", text, now); err != nil || now.Sub(at) != want {
			t.Errorf("since %s: %v before now, %v, want %v", text, now.Sub(at), err, want)
		}
		if age, err := Age("maxAge", text); err != nil || age != want {
			t.Errorf("maxAge %s: %v, %v, want %v", text, age, err, want)
		}
	}
	if at, err := Since("since", "2026-03-01", now); err != nil || at.Day() != 1 {
		t.Errorf("a day: %v, %v", at, err)
	}
	for _, text := range []string{"yesterday", "7", "-1h", "7 days ago", "1h 2026"} {
		if at, err := Since("since", text, now); fault.FieldOf(err) != "since" {
			t.Errorf("since %s: %v, %v", text, at, err)
		}
	}
}
