package registry

import "time"

// A host that is busy all day has both batches and passes waiting for it, and who comes back later
// may find it taken each time. So whoever is refused because of the other kind leaves a wish in the
// host's row; the other kind, when it was the last to be let in, then waits for it. A wish whose
// owner does not come back is over by itself.

const (
	// turnGrace is how long after it was to come back a pass is waited for: its message takes its time.
	turnGrace = 30 * time.Second
	// batchGrace is how long a batch is waited for once the pass that was in its way has ended, which
	// has its job sent.
	batchGrace = 10 * time.Second
	// gateLook is how often who waits for a gate looks at it when nothing tells when it opens.
	gateLook = time.Second
)

// yieldsToPass reports whether the next batch has to wait for a pass.
func (h *hostState) yieldsToPass(now time.Time) bool {
	return h.PassWaits.After(now) && !(h.PassLast && h.BatchWaits.After(now))
}

// yieldsToBatch reports whether the next pass has to wait for a batch.
func (h *hostState) yieldsToBatch(now time.Time) bool { return h.PassLast && h.BatchWaits.After(now) }

// reserveBatch is [hostState.reserve] for the starts of a batch. Where it fails, the host's row is to
// be written all the same.
func (h *hostState) reserveBatch(now time.Time, owner string, n int, p Politeness, jitter func() float64) (g grant, until time.Time, ok bool) {
	if !h.yieldsToPass(now) {
		if g, until, ok = h.reserve(now, owner, n, p, jitter); ok {
			h.BatchWaits, h.PassLast = time.Time{}, false
			return g, until, ok
		}
	}
	if h.passIn(now) || h.PassWaits.After(now) {
		h.BatchWaits = stamp(now.Add(lockTime))
	}
	return g, until, false
}

// passIn reports whether a pass holds the host.
func (h *hostState) passIn(now time.Time) bool {
	for _, l := range h.Leases {
		if l.Pass && l.Until.After(now) {
			return true
		}
	}
	return false
}

// reservePass takes one start, no later than limit, for one request at a time. Otherwise it leaves a
// wish and says when to come back, which is after now.
func (h *hostState) reservePass(now, limit time.Time, owner string, p Politeness, jitter func() float64) (g grant, again time.Time, ok bool) {
	if until, _ := h.held(now, p); !until.IsZero() {
		return grant{}, until, false // nobody is in the way
	}
	if !h.yieldsToBatch(now) {
		trial := *h
		if g, _, ok = trial.reserve(now, owner, 1, p, jitter); ok && !g.starts[0].After(limit) {
			*h = trial
			l := &h.Leases[len(h.Leases)-1]
			l.Permits, l.Pass, g.permits = 1, true, 1
			h.PassWaits, h.PassLast = time.Time{}, true
			return g, time.Time{}, true
		}
	}
	again = laterOf(now.Add(gateLook), h.NextSlotAt)
	h.PassWaits = stamp(again.Add(turnGrace))
	return grant{}, again, false
}

// leavePass ends a pass. It reports whether a batch waits for that.
func (h *hostState) leavePass(now time.Time, owner string, next time.Time) (batchWaits bool) {
	h.release(owner, next)
	if !h.BatchWaits.After(now) {
		return false
	}
	h.BatchWaits = earlier(h.BatchWaits, stamp(now.Add(batchGrace)))
	return true
}
