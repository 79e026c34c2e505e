package host

import (
	"slices"
	"time"
)

// Waiting records the waiters of each kind of lease.
type Waiting struct {
	ItemlessUntil time.Time `col:"passWaits"`  // batches wait for a host lease until this time
	BatchUntil    time.Time `col:"batchWaits"` // host leases wait for a batch until this time
	ItemlessLast  bool      `col:"passLast"`   // the last lease was a host lease
}

const (
	// WaiterGrace is how long a waiter for a host lease keeps its precedence after the time at which it should
	// return, because its message takes time to arrive.
	WaiterGrace = 30 * time.Second
	// batchGrace is how long a waiting batch keeps its precedence after the host lease that blocked it has ended.
	// When that lease ends, the batch's job is sent to the queue.
	batchGrace = 10 * time.Second
	// retryEvery is the interval at which a waiter tries again when the end of the present lease is unknown.
	retryEvery = time.Second
)

// ReserveBatch reserves up to n starts for a batch. If it cannot, it returns the time at which the host will be
// available again, or zero if that time is unknown. Callers must write the state in either case, because the batch
// may now be recorded as a waiter.
func (s *State) ReserveBatch(now time.Time, owner string, n int, p Politeness,
	jitter func() float64) (g Grant, until time.Time, ok bool) {
	t := &s.Waiting
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

// itemless reports whether there is an active host lease.
func (s *State) itemless(now time.Time) bool {
	return slices.ContainsFunc(s.Leases, func(l Lease) bool { return l.Itemless && l.Until.After(now) })
}

// ReserveItemless reserves one start for a host lease, no later than the given limit. If it cannot, it records a
// waiter and returns the time at which to try again, which is after now.
func (s *State) ReserveItemless(now, limit time.Time, owner string, p Politeness,
	jitter func() float64) (g Grant, again time.Time, ok bool) {
	if until, _ := s.Blocked(now, p); !until.IsZero() {
		return g, until, false // no other lease blocks it, so it is not a waiter
	}
	if batchFirst := s.Waiting.ItemlessLast && s.Waiting.BatchUntil.After(now); !batchFirst {
		trial := *s
		if g, _, ok = trial.reserve(now, owner, 1, p, jitter); ok && !g.Starts[0].After(limit) {
			*s = trial
			l := s.lease(owner)
			l.Permits, l.Itemless, g.Permits = 1, true, 1
			s.Waiting.ItemlessUntil, s.Waiting.ItemlessLast = time.Time{}, true
			return g, again, true
		}
	}
	again = Later(now.Add(retryEvery), s.Pace.NextStart)
	s.Waiting.ItemlessUntil = Stamp(again.Add(WaiterGrace))
	return Grant{}, again, false
}

// ReleaseItemless ends a host lease. It reports whether a batch is waiting for that.
func (s *State) ReleaseItemless(now time.Time, owner string, next time.Time) (batchWaits bool) {
	s.Release(owner, next)
	if !s.Waiting.BatchUntil.After(now) {
		return false
	}
	if soon := Stamp(now.Add(batchGrace)); soon.Before(s.Waiting.BatchUntil) {
		s.Waiting.BatchUntil = soon
	}
	return true
}
