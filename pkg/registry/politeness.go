package registry

import "time"

// Politeness is what one host can bear (A19, E3), and what we can.
type Politeness struct {
	MinDelay, MaxDelay time.Duration // between two starts; each pause is drawn from [MinDelay, MaxDelay]
	MaxConcurrent      int           // requests in flight, at least 1
	Daily              Budget        // of the host
	Total              Budget        // of all hosts together; the same for each
	MaxItems           int           // of the host, whatever their status; 0 is any number
}

const (
	// trust is how long a sent job is trusted to arrive; after it the sweep sends another.
	trust = 10 * time.Minute
	// lockTime is how long a worker holds its items; within it the job is over.
	lockTime = 2 * time.Minute
	// startWindow is how far ahead a worker reserves starts. It leaves room in lockTime for the
	// last fetch and the commit.
	startWindow = time.Minute
	// JobItems is the most items of one job.
	JobItems = 32
	// MaxPause bounds what a site can ask for.
	MaxPause = 24 * time.Hour
	// rateWindow is the number of checks after which the counters for rates are halved, so that
	// they speak of recent checks.
	rateWindow = 1000
)

// lease is one worker's right to send requests to a host until a time.
type lease struct {
	Owner   string    `json:"owner"`
	Until   time.Time `json:"until"`
	Permits int       `json:"permits"`
	Room    int       `json:"room,omitempty"` // tombstones that it may still set, see brake.go
	Pass    bool      `json:"pass,omitempty"` // it is a [Pass], not a batch's
	// Reserved are requests that it may still make and that are counted, see budget.go.
	Reserved int64 `json:"reserved,omitempty"`
}

// hostState is the row of one host: everything its workers must agree on.
type hostState struct {
	Host         string         `col:"host"`
	NextSlotAt   time.Time      `col:"nextSlotAt"`   // no start before this
	PausedUntil  time.Time      `col:"pausedUntil"`  // the site asked us to stay away
	PauseReason  string         `col:"pauseReason"`  //
	ClaimedUntil time.Time      `col:"claimedUntil"` // see claimable
	CrawlDelayMS int64          `col:"crawlDelayMs"` // of robots.txt
	Leases       []lease        `col:"leases"`
	PassWaits    time.Time      `col:"passWaits"`  // until when a pass is waited for, see turn.go
	BatchWaits   time.Time      `col:"batchWaits"` // until when a batch is
	PassLast     bool           `col:"passLast"`   // whether a pass was the last to be let in
	Counts       map[Status]int `col:"counts"`     // items by status
	Checks       int            `col:"checks"`     // recent checks, and how many of them
	Changes      int            `col:"changes"`
	Errors       int            `col:"errors"`
	Rebuilding   int            `col:"rebuilding"` // items that wait for a rebuild
	Revisited    int            `col:"revisited"`  // items with a tombstone whose status is not Gone
	LossesFrom   time.Time      `col:"lossesFrom"` // begin of the brake's window
	Losses       int            `col:"losses"`     // tombstones in it
	Day          time.Time      `col:"day"`        // that the budgets speak of, see budget.go
	Used         Budget         `col:"used"`       // made or reserved in it
	Granted      Budget         `col:"granted"`    // taken in it from the total
	TotalSpent   Budget         `col:"totalSpent"` // the total that had nothing left in it
	// Absent are the marks of what its origins show for pages that do not exist, by scheme.
	Absent map[string]string `col:"absent"`
	// LastMod is how true what the host says of its pages' changes has proved.
	LastMod LastModRecord `col:"lastMod"`
}

var hostColumns = columnsOf(hostState{})

// delays gives the range of pauses between starts, robots' Crawl-delay respected.
func (h *hostState) delays(p Politeness) (lo, hi time.Duration) {
	lo, hi = p.MinDelay, max(p.MinDelay, p.MaxDelay)
	if crawl := time.Duration(h.CrawlDelayMS) * time.Millisecond; crawl > lo {
		lo, hi = crawl, max(hi, crawl)
	}
	return lo, hi
}

// grant is a worker's reservation: when it may start each request, and how many may be in flight.
type grant struct {
	starts  []time.Time
	permits int
}

// reserve takes up to n starts for owner, or says until when the host is not to be had (zero:
// until whoever holds it is done). A host with pauses between requests has one worker at a time,
// because two workers that fall behind their starts could come closer than the pause; a host
// without pauses is shared by two.
func (h *hostState) reserve(now time.Time, owner string, n int, p Politeness, jitter func() float64) (g grant, until time.Time, ok bool) {
	if until, _ := h.held(now, p); !until.IsZero() {
		return grant{}, until, false
	}
	h.turnDay(now)
	h.expireLeases(now)
	lo, hi := h.delays(p)
	g.permits = h.freePermits(p, hi > 0)
	if g.permits == 0 {
		return grant{}, time.Time{}, false
	}
	at := now
	if h.NextSlotAt.After(at) {
		at = h.NextSlotAt
	}
	if at.After(now.Add(startWindow)) {
		return grant{}, at, false
	}
	if left := h.left(p); left.Bytes == 0 {
		return grant{}, time.Time{}, false // nothing was taken from the total for it
	} else if n = int(min(int64(n), left.Requests)); n == 0 {
		return grant{}, time.Time{}, false
	}
	for range n {
		if at.After(now.Add(startWindow)) {
			break
		}
		g.starts = append(g.starts, at)
		// Whole milliseconds, which rows keep: a rounded time must not shorten the pause.
		pause := lo + time.Duration(jitter()*float64(hi-lo))
		at = at.Add((pause + time.Millisecond - 1).Truncate(time.Millisecond))
	}
	h.NextSlotAt = stamp(at)
	h.Used.Requests += int64(len(g.starts))
	h.Leases = append(h.Leases, lease{
		Owner: owner, Until: stamp(now.Add(lockTime)), Permits: g.permits, Reserved: int64(len(g.starts)),
	})
	return g, time.Time{}, true
}

// freePermits is how many requests a new lease may have in flight; 0 when the host is taken.
func (h *hostState) freePermits(p Politeness, paced bool) int {
	used := 0
	for _, l := range h.Leases {
		used += l.Permits
	}
	free := max(1, p.MaxConcurrent) - used
	switch {
	case free <= 0 || paced && used > 0:
		return 0
	case paced:
		return free
	default:
		return min(free, max(1, p.MaxConcurrent/2))
	}
}

func (h *hostState) expireLeases(now time.Time) {
	var live []lease
	for _, l := range h.Leases {
		if l.Until.After(now) {
			live = append(live, l)
		}
	}
	h.Leases = live
}

// release ends a lease, with what is left of what it has reserved. next is the earliest start that the
// lease's last request leaves open.
func (h *hostState) release(owner string, next time.Time) {
	var rest []lease
	for _, l := range h.Leases {
		if l.Owner != owner {
			rest = append(rest, l)
		} else {
			h.Used.Requests = max(0, h.Used.Requests-l.Reserved)
		}
	}
	h.Leases = rest
	if next.After(h.NextSlotAt) {
		h.NextSlotAt = stamp(next.Add(time.Millisecond - 1))
	}
}

// claimable is how many more items may be given to jobs now. The frontier waits in due rows,
// which are free, not in the queue: only what the leases can work on is sent.
//
// ClaimedUntil is a virtual clock: each claimed item moves it ahead, each finished one moves it
// back, and a lost message is forgiven by time alone.
func (h *hostState) claimable(now time.Time, p Politeness) int {
	if until, _ := h.held(now, p); !until.IsZero() {
		return 0
	}
	ahead := h.ClaimedUntil.Sub(now)
	taken := 0
	if ahead > 0 {
		taken = int((ahead + claimCost(h, p) - 1) / claimCost(h, p))
	}
	return max(0, claimLimit(h, p)-taken)
}

// room is how many of so many waiting items to give to jobs now. A host that is shared gets whole
// jobs while more wait: a job of one page would keep a lease from one of 32.
func (h *hostState) room(now time.Time, waiting int, p Politeness) int {
	n := min(waiting, h.claimable(now, p))
	if n < waiting && claimLimit(h, p) > JobItems {
		n -= n % JobItems
	}
	return n
}

func claimLimit(h *hostState, p Politeness) int {
	if _, hi := h.delays(p); hi > 0 || p.MaxConcurrent < 2 {
		return JobItems
	}
	return 2 * JobItems
}

// claimCost is how long one claimed item counts: its pause, and at least a second so that a job
// in work is not taken for a lost one.
func claimCost(h *hostState, p Politeness) time.Duration {
	lo, hi := h.delays(p)
	return max(time.Second, (lo+hi)/2)
}

func (h *hostState) claim(now time.Time, n int, p Politeness) {
	if h.ClaimedUntil.Before(now) {
		h.ClaimedUntil = now
	}
	h.ClaimedUntil = stamp(h.ClaimedUntil.Add(time.Duration(n) * claimCost(h, p)))
}

func (h *hostState) unclaim(n int, p Politeness) {
	if !h.ClaimedUntil.IsZero() {
		h.ClaimedUntil = stamp(h.ClaimedUntil.Add(-time.Duration(n) * claimCost(h, p)))
	}
}

// pause keeps everybody away from the host until a time, never shortening an earlier pause.
func (h *hostState) pause(now, until time.Time, why string) {
	if limit := now.Add(MaxPause); until.After(limit) {
		until = limit
	}
	if until.After(h.PausedUntil) {
		h.PausedUntil, h.PauseReason = stamp(until), clip(why, 200)
	}
}

// observe counts a check for the rates.
func (h *hostState) observe(changed, failed bool) {
	if h.Checks >= rateWindow {
		h.Checks, h.Changes, h.Errors = h.Checks/2, h.Changes/2, h.Errors/2
	}
	h.Checks++
	if changed {
		h.Changes++
	}
	if failed {
		h.Errors++
	}
}
