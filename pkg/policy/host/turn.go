package host

import "time"

// Turns is who waits for a host because of the other kind of lease.
type Turns struct {
	ItemlessUntil time.Time `col:"passWaits"`  // until when a host lease is waited for
	BatchUntil    time.Time `col:"batchWaits"` // until when a batch is
	ItemlessLast  bool      `col:"passLast"`   // whether a host lease was the last to be let in
}

const (
	// WaiterGrace is how long after it was to come back the waiter for a host lease is waited for: its
	// message takes its time.
	WaiterGrace = 30 * time.Second
	// batchGrace is how long a batch is waited for once the host lease that was in its way has ended,
	// which has its job sent.
	batchGrace = 10 * time.Second
	// retryEvery is how often a waiter looks again when nothing tells when the host is free.
	retryEvery = time.Second
)

// ReserveBatch takes up to n starts for a batch. Where it fails, until is when the host is available, zero if
// nothing tells; the state is to be written all the same, because the batch may now be a waiter.
func (s *State) ReserveBatch(now time.Time, owner string, n int, p Politeness,
	jitter func() float64) (g Grant, until time.Time, ok bool) {
	t := &s.Turns
	batchFirst := t.ItemlessLast && t.BatchUntil.After(now)
	if !t.ItemlessUntil.After(now) || batchFirst {
		if g, until, ok = s.reserve(now, owner, n, p, jitter); ok {
			t.BatchUntil, t.ItemlessLast = time.Time{}, false
			return g, until, true
		}
	}
	if t.ItemlessUntil.After(now) || s.itemless(now) {
		t.BatchUntil = Stamp(now.Add(LeaseTime))
	}
	return g, until, false
}

// itemless reports whether somebody has a host lease.
func (s *State) itemless(now time.Time) bool {
	for _, l := range s.Leases {
		if l.Itemless && l.Until.After(now) {
			return true
		}
	}
	return false
}

// ReserveItemless takes one start, no later than limit, for one request at a time. Otherwise it notes a
// waiter and says when to come back, which is after now.
func (s *State) ReserveItemless(now, limit time.Time, owner string, p Politeness,
	jitter func() float64) (g Grant, again time.Time, ok bool) {
	if until, _ := s.Blocked(now, p); !until.IsZero() {
		return g, until, false // nobody is in the way
	}
	if batchFirst := s.Turns.ItemlessLast && s.Turns.BatchUntil.After(now); !batchFirst {
		trial := *s
		if g, _, ok = trial.reserve(now, owner, 1, p, jitter); ok && !g.Starts[0].After(limit) {
			*s = trial
			l := s.lease(owner)
			l.Permits, l.Itemless, g.Permits = 1, true, 1
			s.Turns.ItemlessUntil, s.Turns.ItemlessLast = time.Time{}, true
			return g, again, true
		}
	}
	again = Later(now.Add(retryEvery), s.Pace.NextStart)
	s.Turns.ItemlessUntil = Stamp(again.Add(WaiterGrace))
	return Grant{}, again, false
}

// ReleaseItemless ends a host lease. It reports whether a batch waits for that.
func (s *State) ReleaseItemless(now time.Time, owner string, next time.Time) (batchWaits bool) {
	s.Release(owner, next)
	if !s.Turns.BatchUntil.After(now) {
		return false
	}
	if soon := Stamp(now.Add(batchGrace)); soon.Before(s.Turns.BatchUntil) {
		s.Turns.BatchUntil = soon
	}
	return true
}
