// Package host decides how one host is treated: when a request may start, who may send requests, how
// much work waits in the queue, what of a day's budget is left, how many pages it may lose in a day,
// and whether its word for changes is believed.
//
// It is arithmetic on values. The caller reads a [State] with the row of its host, lets it decide at a
// time that the caller names, and writes it back under the revision that it was read at. So all workers
// of a host, on any number of instances, agree, and every rule can be tested with a literal.
//
// # Leases
//
// Who sends requests holds a [Lease], which ends by itself after [LeaseTime]. There are two kinds: that of
// a batch, for one request for each of its items, and a host lease, for one request at a time without an
// item. A host with pauses between requests has one holder at a time, because two that fall behind
// their starts could come closer than the pause; a host without pauses is shared by two.
//
// # Turns
//
// A host that is busy all day has both kinds waiting for it, and who comes back later may find it taken
// each time. So who is refused because of the other kind is noted as a waiter; the other kind, if it was
// the last to be let in, then waits for it. A waiter that does not come back is forgotten after a while.
//
// # Budgets
//
// A batch reserves its requests when it begins and settles when it commits. What a worker that died had
// reserved stays counted. So a host is never asked more often in a day than it may be, but for the
// requests beside the items of a batch that are on their way when the budget runs out: robots.txt,
// redirects, HEAD requests. Bytes are known when they are read: bodies on their way come on top, and what
// a worker that died had read since its last commit.
//
// What all hosts together may be asked for is shared out in portions ([State.Wants], [Share.Take]), so that
// no batch writes a row that all hosts write.
package host

import (
	"slices"
	"time"
)

// Politeness is the load that one host can bear (A19, E3), and that this process can.
type Politeness struct {
	MinDelay, MaxDelay time.Duration // between two starts; each pause is drawn from [MinDelay, MaxDelay]
	MaxConcurrent      int           // requests in flight, at least 1
	Daily              Budget        // of the host
	Total              Budget        // of all hosts together; the same for each
	MaxItems           int           // of the host, whatever their status; 0 is any number
}

const (
	// JobItems is the most items of one job.
	JobItems = 32
	// LeaseTime is how long a worker holds a host and its items; within it the job is over.
	LeaseTime = 2 * time.Minute
	// startWindow is how far ahead a worker reserves starts. It leaves room in LeaseTime for the last
	// fetch and the commit.
	startWindow = time.Minute
	// MaxPause bounds what a site can ask for.
	MaxPause = 24 * time.Hour
)

// State is what the workers of one host agree on. The tags name its columns.
type State struct {
	Pace   Pace    `col:",inline"`
	Turns  Turns   `col:",inline"`
	Leases []Lease `col:"leases"`
	Today  Day     `col:",inline"`
	Days   []Spent `col:"days"` // before today, oldest first
	Losses Window  `col:",inline"`
}

// Lease is the right to send requests to a host until a time.
type Lease struct {
	Owner    string    `json:"owner"`
	Until    time.Time `json:"until"`
	Permits  int       `json:"permits"`
	Losses   int       `json:"room,omitempty"`     // tombstones that it may still set
	Itemless bool      `json:"pass,omitempty"`     // a host lease, not a batch's
	Reserved int64     `json:"reserved,omitempty"` // requests that it may still make and that are counted
}

// Grant is what a new lease may do.
type Grant struct {
	Starts  []time.Time // when each request may start
	Next    time.Time   // from when on others may
	Permits int         // requests in flight
	Left    Budget      // that it may ask for
}

// Stamp gives times the resolution at which rows keep and compare them.
func Stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Later is the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Earlier is the earlier of two times, of which the first may be zero: then it is the other.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// Blocked is until when nobody may ask the host, and why: it has asked for a pause, or a budget of the
// day is spent. Zero when it may be asked.
func (s *State) Blocked(now time.Time, p Politeness) (until time.Time, why string) {
	if s.Pace.PausedUntil.After(now) {
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

// reserve takes up to n starts for owner, or says until when the host is not available (zero: until its present
// holder is done).
func (s *State) reserve(now time.Time, owner string, n int, p Politeness,
	jitter func() float64) (g Grant, until time.Time, ok bool) {
	if until, _ := s.Blocked(now, p); !until.IsZero() {
		return g, until, false
	}
	s.StartDay(now)
	s.ExpireLeases(now)
	lo, hi := s.Pace.Delays(p)
	if g.Permits = s.freePermits(p, hi > 0); g.Permits == 0 {
		return Grant{}, until, false
	}
	at := Later(now, s.Pace.NextStart)
	if at.After(now.Add(startWindow)) {
		return Grant{}, at, false
	}
	left := s.Today.left(p)
	if n = int(min(int64(n), left.Requests)); n == 0 || left.Bytes == 0 {
		return Grant{}, until, false // nothing was taken from the total for it
	}
	for ; n > 0 && !at.After(now.Add(startWindow)); n-- {
		g.Starts = append(g.Starts, at)
		// Whole milliseconds, which rows keep: a rounded time must not shorten the pause.
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

// freePermits is how many requests a new lease may have in flight; 0 when the host is taken. Half of what is left, so
// that others ask the host while one writes what it has found.
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

// Permits is how many requests the leases may have in flight together.
func (s *State) Permits() (n int) {
	for _, l := range s.Leases {
		n += l.Permits
	}
	return n
}

// ExpireLeases forgets the leases that have run out.
func (s *State) ExpireLeases(now time.Time) {
	s.drop(func(l Lease) bool { return !l.Until.After(now) })
}

// drop removes leases; nil is left of none, so that the row has no empty list.
func (s *State) drop(which func(Lease) bool) {
	if s.Leases = slices.DeleteFunc(slices.Clone(s.Leases), which); len(s.Leases) == 0 {
		s.Leases = nil
	}
}

// lease gives the lease of an owner for change, nil if it has none. Nobody else sees the change.
func (s *State) lease(owner string) *Lease {
	s.Leases = slices.Clone(s.Leases)
	for i := range s.Leases {
		if s.Leases[i].Owner == owner {
			return &s.Leases[i]
		}
	}
	return nil
}

// Release ends a lease, with what is left of what it has reserved. next is the earliest start that the
// lease's last request leaves open.
func (s *State) Release(owner string, next time.Time) {
	if l := s.lease(owner); l != nil {
		s.Today.Used.Requests = max(0, s.Today.Used.Requests-l.Reserved)
		s.drop(func(l Lease) bool { return l.Owner == owner })
	}
	if next.After(s.Pace.NextStart) {
		s.Pace.NextStart = Stamp(next.Add(time.Millisecond - 1))
	}
}
