package host

import "time"

// Pace is when a host may be asked next, and how much of its work is given to jobs.
type Pace struct {
	NextStart   time.Time `col:"nextSlotAt"`  // no start before this
	PausedUntil time.Time `col:"pausedUntil"` // the site asked for a pause
	PauseReason string    `col:"pauseReason"`
	// ClaimedUntil is a virtual clock: each claimed item moves it ahead, each finished one moves it
	// back, and a lost message is forgiven by time alone.
	ClaimedUntil time.Time     `col:"claimedUntil"`
	CrawlDelay   time.Duration `col:"crawlDelayMs,ms"` // of robots.txt
}

// Delays gives the range of pauses between starts, with the Crawl-delay of robots.txt respected.
func (c *Pace) Delays(p Politeness) (lo, hi time.Duration) {
	lo, hi = p.MinDelay, max(p.MinDelay, p.MaxDelay)
	if c.CrawlDelay > lo {
		lo, hi = c.CrawlDelay, max(hi, c.CrawlDelay)
	}
	return lo, hi
}

// Pause keeps everybody away from the host until a time, never shortening an earlier pause.
func (c *Pace) Pause(now, until time.Time, why string) {
	if limit := now.Add(MaxPause); until.After(limit) {
		until = limit
	}
	if until.After(now) && until.After(c.PausedUntil) {
		c.PausedUntil, c.PauseReason = Stamp(until), why
	}
}

// Room is how many of so many waiting items to give to jobs now. What waits is in due rows, which are
// free, not in the queue: only what the leases can work on is sent. A host that is shared gets whole
// jobs while more wait: a job of one page would keep a lease from one of 32.
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

// claimable is how many more items jobs may have.
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

// claimCost is how long one claimed item counts: its pause, and at least a second so that a job in work
// is not taken for a lost one.
func (c *Pace) claimCost(p Politeness) time.Duration {
	lo, hi := c.Delays(p)
	return max(time.Second, (lo+hi)/2)
}

// Claim counts n items that are given to jobs.
func (c *Pace) Claim(now time.Time, n int, p Politeness) {
	c.ClaimedUntil = Stamp(Later(c.ClaimedUntil, now).Add(time.Duration(n) * c.claimCost(p)))
}

// Unclaim counts n items that are done, or given back.
func (c *Pace) Unclaim(n int, p Politeness) {
	if !c.ClaimedUntil.IsZero() {
		c.ClaimedUntil = Stamp(c.ClaimedUntil.Add(-time.Duration(n) * c.claimCost(p)))
	}
}
