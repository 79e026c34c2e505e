package host

import "time"

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
