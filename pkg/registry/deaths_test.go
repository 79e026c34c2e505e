package registry

import (
	"testing"
	"time"
)

// TestS1Deaths checks S1: which deaths count for an item, how long the item then waits, and when it is deadly.
func TestS1Deaths(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	end := now.Add(-time.Minute) // end of the dead worker's lock
	for name, tt := range map[string]struct {
		lock   Lock
		deaths int
		wait   time.Duration // from the end of the lock
		deadly bool
	}{
		"nobody died":             {Lock{}, 0, 0, false},
		"the first death":         {Lock{LockedUntil: end}, 1, 0, false},
		"not begun at the second": {Lock{LockedUntil: end, Deaths: 1}, 1, 0, false},
		"in work at the second":   {Lock{LockedUntil: end, Deaths: 1, Begun: true}, 2, 30 * time.Second, false},
		"alone at the third": {Lock{LockedUntil: end, Deaths: 2, Begun: true, NotBefore: end}, 3,
			time.Hour, false},
		"not begun at the third": {Lock{LockedUntil: end, Deaths: 2, NotBefore: end}, 2, 0, false},
		"alone at the fourth": {Lock{LockedUntil: end, Deaths: 3, Begun: true, NotBefore: end}, 4,
			time.Hour, true},
		"another death before it is recorded": {Lock{LockedUntil: end, Deaths: 4, NotBefore: end}, 4, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			it := Item{Lock: tt.lock}
			if !it.LockedUntil.IsZero() {
				it.LockOwner = "dead"
			}
			it.interrupt(now)
			wait := max(0, it.NotBefore.Sub(end))
			if it.NotBefore.IsZero() {
				wait = 0
			}
			if it.Deaths != tt.deaths || wait != tt.wait || it.Deadly != tt.deadly {
				t.Errorf("%d deaths, waits %s, deadly %v; want %d, %s, %v", it.Deaths, wait, it.Deadly, tt.deaths, tt.wait,
					tt.deadly)
			}
			if it.Interrupted != (it.LockOwner != "") {
				t.Error("interrupted:", it.Interrupted)
			}
		})
	}
}
