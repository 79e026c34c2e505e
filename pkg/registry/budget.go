package registry

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// A day's budget is counted in the host's row, by the transactions that are there anyway: a batch
// reserves its requests when it begins and settles when it commits. What a worker that died had
// reserved stays counted. So a host is never asked more often in a day than it may be, but for the
// requests beside the items of a batch that are on their way when the budget runs out: robots.txt,
// redirects, a look at the head. Bytes are known when they are read: of these, the bodies that are on
// their way come on top, and what a worker that died had read since its last commit.
//
// A budget that is spent is a state of the host, like a pause: its items wait in their due rows.

// Budget is how much may be asked for in one day (UTC). Zero is no limit.
type Budget struct {
	Requests int64 `json:"requests,omitempty"`
	Bytes    int64 `json:"bytes,omitempty"` // of bodies, as they come over the wire
}

func (b Budget) plus(o Budget) Budget { return Budget{b.Requests + o.Requests, b.Bytes + o.Bytes} }

// less is what is left of a budget; very much where there is no limit.
func (b Budget) less(used Budget) Budget {
	return Budget{leftOf(b.Requests, used.Requests), leftOf(b.Bytes, used.Bytes)}
}

func leftOf(limit, used int64) int64 {
	if limit == 0 {
		return math.MaxInt64
	}
	return max(0, limit-used)
}

// dayOf is when the day of t began.
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// turnDay begins the day of now in a host's row. What is reserved may be asked for in it, so it is
// carried over.
func (h *hostState) turnDay(now time.Time) {
	day := dayOf(now)
	if !day.After(h.Day) {
		return
	}
	h.Day, h.Used, h.Granted, h.TotalSpent = day, Budget{}, Budget{}, Budget{}
	h.Leases = slices.Clone(h.Leases)
	for i := range h.Leases {
		l := &h.Leases[i]
		if !l.Until.After(now) {
			l.Reserved = 0
		}
		h.Used.Requests += l.Reserved
	}
}

// left is what the host may be asked for today beyond what is reserved.
func (h *hostState) left(p Politeness) Budget {
	l := p.Daily.less(h.Used)
	if p.Total.Requests > 0 {
		l.Requests = min(l.Requests, max(0, h.Granted.Requests-h.Used.Requests))
	}
	if p.Total.Bytes > 0 {
		l.Bytes = min(l.Bytes, max(0, h.Granted.Bytes-h.Used.Bytes))
	}
	return l
}

// spent says which budget of the host's day is spent; "" for none.
func (h *hostState) spent(p Politeness) string {
	own, all := p.Daily.less(h.Used), h.left(p)
	switch {
	case own.Requests == 0:
		return fmt.Sprintf("the host's daily budget of %d requests is spent", p.Daily.Requests)
	case own.Bytes == 0:
		return fmt.Sprintf("the host's daily budget of %d bytes is spent", p.Daily.Bytes)
	case all.Requests == 0 && p.Total.Requests <= h.TotalSpent.Requests:
		return fmt.Sprintf("the daily budget of %d requests for all hosts is spent", p.Total.Requests)
	case all.Bytes == 0 && p.Total.Bytes <= h.TotalSpent.Bytes:
		return fmt.Sprintf("the daily budget of %d bytes for all hosts is spent", p.Total.Bytes)
	}
	return ""
}

// held is until when nobody may ask the host, and why: it has asked for a pause, or a budget of the
// day is spent. Zero when it may be asked.
func (h *hostState) held(now time.Time, p Politeness) (until time.Time, why string) {
	if h.PausedUntil.After(now) {
		until, why = h.PausedUntil, h.PauseReason
	}
	today := *h
	today.turnDay(now)
	if spent := today.spent(p); spent != "" && today.Day.Add(24*time.Hour).After(until) {
		until, why = today.Day.Add(24*time.Hour), spent
	}
	return until, why
}

// allow is what the owner of a new lease may ask for: what it has reserved, and of the rest its
// share by the requests it may have in flight.
func (h *hostState) allow(reserved, permits int, p Politeness) Budget {
	share := func(left int64) int64 {
		if left == math.MaxInt64 {
			return math.MaxInt64 / 2 // no limit, and no overflow
		}
		most := int64(max(1, p.MaxConcurrent))
		return (left*int64(permits) + most - 1) / most
	}
	left := h.left(p)
	return Budget{Requests: int64(reserved) + share(left.Requests), Bytes: share(left.Bytes)}
}

// charge counts what the owner of a lease has asked for since it last told, first against what it
// has reserved.
func (h *hostState) charge(now time.Time, owner string, asked Budget) {
	h.turnDay(now)
	h.Leases = slices.Clone(h.Leases)
	for i := range h.Leases {
		if l := &h.Leases[i]; l.Owner == owner {
			n := min(asked.Requests, l.Reserved)
			l.Reserved -= n
			asked.Requests -= n
		}
	}
	h.Used = h.Used.plus(asked)
}
