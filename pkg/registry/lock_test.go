package registry

import (
	"testing"
	"time"
)

// TestA7RequestByAnotherClock checks A7: a page is registered, and its due time comes from a clock that is ahead. A
// worker whose clock is behind does a forced check before that time, by its own clock. A registration during the check
// must not count as covered by it, and one before it must.
func TestA7RequestByAnotherClock(t *testing.T) {
	locked := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	now := locked.Add(time.Minute)
	for name, c := range map[string]struct {
		due    time.Duration // after the lock was taken
		forced bool
		want   bool
	}{
		"due before the check":                {due: -time.Second},
		"due before the forced check":         {due: -time.Second, forced: true},
		"due as the forced check began":       {due: 3 * time.Second, forced: true},
		"asked for during the forced check":   {due: ClockSkew + time.Second, forced: true, want: true},
		"asked for during the ordinary check": {due: time.Second, want: true},
	} {
		it := Item{}
		it.NextCrawlAt, it.LockedUntil, it.ReindexRequested = locked.Add(c.due), locked.Add(LockTime), c.forced
		if got := it.checkIsDue(now); got != c.want {
			t.Errorf("%s: CheckIsDue = %v", name, got)
		}
	}
}
