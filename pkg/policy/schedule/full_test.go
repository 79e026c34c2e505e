package schedule

import (
	"testing"
	"time"
)

// TestX1FullCheck checks when a whole answer is required (X1).
func TestX1FullCheck(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	both := Defaults()
	onlyEvery, onlyDays, none := both, both, both
	onlyEvery.FullAfter, onlyDays.FullEvery = 0, 0
	none.FullAfter, none.FullEvery = 0, 0
	for _, tt := range []struct {
		name   string
		c      Config
		checks int
		days   int
		proven bool
		want   bool
	}{
		{"few", both, 19, 29, false, false},
		{"many", both, 20, 1, false, true},
		{"long", both, 1, 30, false, true},
		{"proven, many", both, 100, 29, true, false},
		{"proven, long", both, 19, 300, true, false},
		{"proven, both", both, 20, 30, true, true},
		{"proven, only the number counts", onlyEvery, 20, 0, true, true},
		{"proven, only the time counts", onlyDays, 0, 30, true, true},
		{"never", none, 1000, 1000, false, false},
	} {
		if have := tt.c.FullCheck(tt.checks, now.AddDate(0, 0, -tt.days), tt.proven, now); have != tt.want {
			t.Errorf("%s: %v", tt.name, have)
		}
	}
	if both.FullCheck(0, time.Time{}, false, now) {
		t.Error("a page that never gave a whole answer has no full check")
	}
}
