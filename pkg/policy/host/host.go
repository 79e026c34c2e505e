// Package host decides how one host is treated: when a request may start, which worker may send requests, how much
// work waits in the queue, how much of a day's budget is left, how many pages the host may lose in a day, and whether
// its lastmod values are trusted.
//
// The package only computes. The caller reads a [State] with the row of its host, passes the time of the decision,
// and writes the state back under the ETag that it was read with. So all workers of a host, on any number of
// instances, act on the same state, and every rule can be tested with a literal.
//
// # Leases
//
// A worker that sends requests holds a [Lease], which expires after [LeaseTime]. There are two kinds of leases. The
// lease of a batch is for one request for each of its items. A host lease is for one request at a time without an
// item. A host with pauses between requests has one holder at a time: if there were two and both were late, their
// requests could start closer together than the pause allows. On a host without pauses, two batches can work at the
// same time.
//
// # Waiters
//
// On a host that is busy all day, both kinds of leases have to wait, and a worker that comes back later may find the
// host taken each time. So a worker that is refused because of the other kind is recorded as a waiter. If the host's
// last lease was of the other kind, that kind must now let the waiter go first. A waiter that does not come back is
// forgotten after a while.
//
// # Budgets
//
// A batch reserves its requests when it begins, and returns the unused ones when it commits. The reservations of a
// worker that died stay counted. So a host never gets more requests in a day than its budget allows, with one
// exception: when the budget runs out, batches in flight may still send requests for robots.txt, redirects and HEAD,
// which are not counted as requests for items. Bytes are known only after they are read, so the bodies in flight may
// exceed the budget. What a worker reads after its last commit is not counted if the worker dies.
//
// The total budget of all hosts is handed out in portions ([State.Wants], [Share.Spend]), so that batches need not
// all write the same row.
package host

import (
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// Politeness bounds the load on one host (A19, E3), and on this process.
type Politeness struct {
	MinDelay, MaxDelay time.Duration // bounds of the random pause between two starts of requests
	MaxConcurrent      int           // requests in flight, at least 1
	Daily              Budget        // budget of this host
	Total              Budget        // total budget of all hosts; the same on each host
	MaxItems           int           // number of the host's items, whatever their status; 0 means no limit
}

const (
	// JobItems is the largest number of items in one job.
	JobItems = 32
	// LeaseTime is how long a worker holds a host and its items. The job must end within that time.
	LeaseTime = 2 * time.Minute
	// startWindow is how far ahead a worker reserves starts. It leaves time in LeaseTime for the last request and the
	// commit.
	startWindow = time.Minute
	// MaxPause bounds the pause that a site can ask for.
	MaxPause = 24 * time.Hour
)

// State is the state of a host that its workers share. The tags of the fields name the columns.
type State struct {
	Pace    Pace    `col:",inline"`
	Waiting Waiting `col:",inline"`
	Leases  []Lease `col:"leases"`
	Today   Day     `col:",inline"`
	Days    []Spent `col:"days"` // the days before today, oldest first
	Losses  Window  `col:",inline"`

	Unreached Unreached `col:",inline"`
}

// Lease is the right to send requests to a host until a time.
type Lease struct {
	Owner    string    `json:"owner"`
	Until    time.Time `json:"until"`
	Permits  int       `json:"permits"`
	Losses   int       `json:"room,omitempty"`     // number of tombstones that the lease has reserved
	Itemless bool      `json:"pass,omitempty"`     // the lease is a host lease, not that of a batch
	Reserved int64     `json:"reserved,omitempty"` // requests that are reserved and already counted, but not sent yet
}

// Grant is what a new lease allows.
type Grant struct {
	Starts  []time.Time // the time at which each request may start
	Next    time.Time   // the earliest start for other leases
	Permits int         // number of requests that may be in flight
	Left    Budget      // the budget of this lease
}

// Stamp truncates times to the resolution at which rows store and compare them.
func Stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Earlier returns the earlier of two times. If a is zero, it returns b.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// Blocked returns the time until which no request may be sent to the host, with the reason: the site has asked for a
// pause, a budget of the day is spent, or the host cannot be reached and is tried again later. It returns the zero time
// if requests may be sent.
func (s *State) Blocked(now time.Time, p Politeness) (until time.Time, why string) {
	if s.Unreached.Waits(now) {
		until, why = s.Unreached.Next, s.Unreached.String()
	}
	if s.Pace.PausedUntil.After(now) && s.Pace.PausedUntil.After(until) {
		until, why = s.Pace.PausedUntil, s.Pace.PauseReason
	}
	trial := *s
	trial.StartDay(now)
	midnight := trial.Today.Began.Add(24 * time.Hour)
	if spent := trial.Today.spent(p); spent != "" && midnight.After(until) {
		until, why = midnight, spent
	}
	return until, why
}

// reserve reserves up to n starts for an owner. If it cannot, it returns the time until which the host is
// unavailable. That time is zero if the host is unavailable until the present holder is done.
func (s *State) reserve(now time.Time, owner string, n int, p Politeness,
	jitter func() float64) (g Grant, until time.Time, ok bool) {
	if until, _ := s.Blocked(now, p); !until.IsZero() {
		return g, until, false
	}
	s.StartDay(now)
	s.ExpireLeases(now)
	lo, hi := s.Pace.Delays(p)
	if g.Permits = s.freePermits(p, hi > 0 || s.Unreached.Tries > 0); g.Permits == 0 {
		return Grant{}, until, false
	}
	if s.Unreached.Tries > 0 {
		g.Permits = 1 // one request shows whether the host answers
	}
	at := Later(Later(now, s.Pace.NextStart), s.Unreached.Next)
	if at.After(now.Add(startWindow)) {
		return Grant{}, at, false
	}
	left := s.Today.left(p)
	if n = int(min(int64(n), left.Requests)); n == 0 || left.Bytes == 0 {
		return Grant{}, until, false // the host has no portion of the total yet
	}
	for ; n > 0 && !at.After(now.Add(startWindow)); n-- {
		g.Starts = append(g.Starts, at)
		// Rows store whole milliseconds. Rounding must not shorten the pause.
		pause := lo + time.Duration(jitter()*float64(hi-lo))
		at = at.Add((pause + time.Millisecond - 1).Truncate(time.Millisecond))
	}
	s.Pace.NextStart = Stamp(at)
	reserved := int64(len(g.Starts))
	s.Today.Used.Requests += reserved
	s.Leases = append(s.Leases, Lease{Owner: owner, Until: Stamp(now.Add(LeaseTime)), Permits: g.Permits,
		Reserved: reserved})
	g.Next, g.Left = s.Pace.NextStart, s.Today.allow(reserved, g.Permits, p)
	return g, until, true
}

// freePermits returns the number of requests that a new lease may have in flight, or 0 when the host is taken. A new
// lease gets half of the free permits, so that another batch can send requests while the first commits its results.
func (s *State) freePermits(p Politeness, paced bool) int {
	most, used := max(1, p.MaxConcurrent), s.Permits()
	switch {
	case used >= most || paced && used > 0:
		return 0
	case paced:
		return most
	default:
		return max(1, (most-used)/2)
	}
}

// Permits returns the number of requests that all leases together may have in flight.
func (s *State) Permits() (n int) {
	for _, l := range s.Leases {
		n += l.Permits
	}
	return n
}

// ExpireLeases removes expired leases.
func (s *State) ExpireLeases(now time.Time) {
	s.drop(func(l Lease) bool { return !l.Until.After(now) })
}

// drop removes the leases that the given function selects. If no lease is left, the list is nil, so that the row does
// not store an empty list.
func (s *State) drop(which func(Lease) bool) {
	if s.Leases = slices.DeleteFunc(slices.Clone(s.Leases), which); len(s.Leases) == 0 {
		s.Leases = nil
	}
}

// lease returns a pointer to the lease of an owner, or nil if the owner has none. The lease can be changed through
// the pointer; earlier copies of the state do not see the changes.
func (s *State) lease(owner string) *Lease {
	s.Leases = slices.Clone(s.Leases)
	for i := range s.Leases {
		if s.Leases[i].Owner == owner {
			return &s.Leases[i]
		}
	}
	return nil
}

// Join gives owner a lease that allows no request. It lets others see that owner has items of the host.
func (s *State) Join(now time.Time, owner string) {
	s.ExpireLeases(now)
	s.Leases = append(s.Leases, Lease{Owner: owner, Until: Stamp(now.Add(LeaseTime))})
}

// Abandon ends the lease of a worker that has died. What the worker reserved stays counted: the host may have got these
// requests. The next request starts no earlier than before, and a whole pause from now: the worker may have fallen
// behind the starts that it reserved, and have sent a request just before it died.
func (s *State) Abandon(now time.Time, owner string, p Politeness) {
	if s.lease(owner) == nil {
		return
	}
	s.drop(func(l Lease) bool { return l.Owner == owner })
	if _, pause := s.Pace.Delays(p); pause > 0 {
		s.Pace.NextStart = Later(s.Pace.NextStart, Stamp(now.Add(pause+time.Millisecond-1)))
	}
}

// Has reports whether owner has a lease.
func (s *State) Has(owner string) bool { return s.lease(owner) != nil }

// Release ends a lease and returns its unused reservation. The given time is the earliest start that is allowed after
// the last request of the lease.
func (s *State) Release(owner string, next time.Time) {
	if l := s.lease(owner); l != nil {
		s.Today.Used.Requests = max(0, s.Today.Used.Requests-l.Reserved)
		s.drop(func(l Lease) bool { return l.Owner == owner })
	}
	if next.After(s.Pace.NextStart) {
		s.Pace.NextStart = Stamp(next.Add(time.Millisecond - 1))
	}
}

// Window counts the recent losses of a host, for the mass-removal guard. A document is removed from the index before
// its item becomes Gone. So a tombstone is reserved in the batch's lease before the document is removed. Thus
// concurrent batches share the losses that are allowed for their host, and when a batch dies, its reservations end
// with its lease.
type Window struct {
	From  time.Time `col:"lossesFrom"`
	Count int       `col:"losses"` // number of tombstones
}

// Lost returns the host's losses in the present window, the losses that active batches have reserved, and the number
// of items at the start of the window. The number of items that exist now must be given.
func (s *State) Lost(now time.Time, there int) (l schedule.Losses) {
	if now.Sub(s.Losses.From) < schedule.LossWindow {
		l.Gone = s.Losses.Count
	}
	for _, lease := range s.Leases {
		l.Reserved += lease.Losses
	}
	l.Items = l.Gone + there
	return l
}

// ReserveLoss reserves one tombstone for a lease, if the guard allows it. An owner without a lease gets no
// reservation, because it cannot commit.
func (s *State) ReserveLoss(owner string, lost schedule.Losses, guard schedule.Config) (reserved bool) {
	l := s.lease(owner)
	if l == nil || guard.Room(lost) <= 0 {
		return false
	}
	l.Losses++
	return true
}

// CountLoss counts a tombstone, and removes it from the owner's reservation.
func (s *State) CountLoss(now time.Time, owner string) {
	if now.Sub(s.Losses.From) >= schedule.LossWindow {
		s.Losses = Window{From: now}
	}
	s.Losses.Count++
	if l := s.lease(owner); l != nil {
		l.Losses = max(0, l.Losses-1)
	}
}

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

// Pace records when the next request to a host may start, and how many of its items are claimed by jobs.
type Pace struct {
	NextStart   time.Time `col:"nextSlotAt"`  // no request starts before this time
	PausedUntil time.Time `col:"pausedUntil"` // the site asked for a pause until this time
	PauseReason string    `col:"pauseReason"`
	// ClaimedUntil is a virtual clock. Each claimed item moves it forward, and each finished item moves it back. So
	// the claims of a lost message expire with time.
	ClaimedUntil time.Time     `col:"claimedUntil"`
	CrawlDelay   time.Duration `col:"crawlDelayMs,ms"` // Crawl-delay of robots.txt
}

// Delays returns the range of pauses between starts. It takes the Crawl-delay of robots.txt into account.
func (c *Pace) Delays(p Politeness) (lo, hi time.Duration) {
	lo, hi = p.MinDelay, max(p.MinDelay, p.MaxDelay)
	if c.CrawlDelay > lo {
		lo, hi = c.CrawlDelay, max(hi, c.CrawlDelay)
	}
	return lo, hi
}

// Pause stops all requests to the host until a time. It never shortens an earlier pause.
func (c *Pace) Pause(now, until time.Time, why string) {
	if limit := now.Add(MaxPause); until.After(limit) {
		until = limit
	}
	if until.After(now) && until.After(c.PausedUntil) {
		c.PausedUntil, c.PauseReason = Stamp(until), why
	}
}

// Room returns how many of the waiting items to give to jobs now. Only as many items as the leases can process are
// sent to the queue. The others stay in due rows, which cost nothing. On a host that two jobs can share, Room returns
// only enough items for whole jobs as long as more items wait: a job of one page would hold a lease that a job of 32
// pages could use.
func (s *State) Room(now time.Time, waiting int, p Politeness) int {
	if until, _ := s.Blocked(now, p); !until.IsZero() {
		return 0
	}
	n := min(waiting, s.Pace.claimable(now, p))
	if n < waiting && s.Pace.claimLimit(p) > JobItems {
		n -= n % JobItems
	}
	return n
}

// claimable returns the number of further items that jobs may have.
func (c *Pace) claimable(now time.Time, p Politeness) int {
	taken, cost := 0, c.claimCost(p)
	if ahead := c.ClaimedUntil.Sub(now); ahead > 0 {
		taken = int((ahead + cost - 1) / cost)
	}
	return max(0, c.claimLimit(p)-taken)
}

func (c *Pace) claimLimit(p Politeness) int {
	if _, hi := c.Delays(p); hi > 0 || p.MaxConcurrent < 2 {
		return JobItems
	}
	return 2 * JobItems
}

// claimCost returns the time by which one claimed item moves ClaimedUntil forward. It is the pause between requests,
// but at least a second, so that the claim of an active job does not expire.
func (c *Pace) claimCost(p Politeness) time.Duration {
	lo, hi := c.Delays(p)
	return max(time.Second, (lo+hi)/2)
}

// Claim counts n items that were given to jobs.
func (c *Pace) Claim(now time.Time, n int, p Politeness) {
	c.ClaimedUntil = Stamp(Later(c.ClaimedUntil, now).Add(time.Duration(n) * c.claimCost(p)))
}

// Unclaim removes the claims of n items that are done or were given back.
func (c *Pace) Unclaim(n int, p Politeness) {
	if !c.ClaimedUntil.IsZero() {
		c.ClaimedUntil = Stamp(c.ClaimedUntil.Add(-time.Duration(n) * c.claimCost(p)))
	}
}
