package schedule

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Config is the settings of a schedule. Callers should make one with [Defaults] and check changes with
// [Config.Validate].
type Config struct {
	Base           time.Duration // CRAWL_BASE_INTERVAL_SECONDS: the wait after a change
	Max            time.Duration // CRAWL_MAX_INTERVAL_SECONDS: the longest wait
	ErrorBase      time.Duration // CRAWL_ERROR_BACKOFF_BASE: the wait after a first failure
	UnchangedSteps int           // CRAWL_UNCHANGED_STEPS: N, unchanged checks per step
	GoneAfter      int           // CRAWL_GONE_AFTER: M, missing checks before the source is gone
	GoneShare      float64       // CRAWL_GONE_SHARE: the share of a host that may become gone within a day
	PurgeGone      time.Duration // CRAWL_PURGE_GONE_DAYS: how long to keep a gone source; 0 means forever
	FullEvery      int           // CRAWL_FULL_CHECK_EVERY: checks without a whole answer; 0 means any number
	FullAfter      time.Duration // CRAWL_FULL_CHECK_DAYS: the time without a whole answer; 0 means any time
	// ToMax extends the ladder up to Max: each step beyond the usual last step is twice the step before it. ToMax is
	// set when a user has set bounds for a source (W9).
	ToMax bool
}

// Defaults returns the settings of spec 003 §11. In the order of the fields, they are a day, 14 days and ten minutes;
// 3, 3, a fifth and no purge. A whole answer is required after 20 checks or 30 days.
func Defaults() Config {
	return Config{Base: day, Max: 14 * day, ErrorBase: 10 * time.Minute, UnchangedSteps: 3, GoneAfter: 3, GoneShare: 0.2,
		FullEvery: 20, FullAfter: 30 * day}
}

const day = 24 * time.Hour

// longest bounds every interval. It is well below the overflow of a duration.
const longest = 10 * 366 * day

// Validate reports the first setting that is out of bounds. Waits are one second to ten years. Base and ErrorBase are
// at most Max. Counts are 1 to 1,000, and the share is 0 to 1. A purge comes after 0 days to ten years. A
// full check comes after 0 to 1,000 checks, or after 0 days to ten years. Errors:
// Invalid, with the name of the setting as its field.
func (c Config) Validate() error {
	for _, wait := range []struct {
		setting string
		value   time.Duration
		max     time.Duration
	}{
		{"CRAWL_MAX_INTERVAL_SECONDS", c.Max, longest},
		{"CRAWL_BASE_INTERVAL_SECONDS", c.Base, c.Max},
		{"CRAWL_ERROR_BACKOFF_BASE", c.ErrorBase, c.Max},
	} {
		if wait.value < time.Second || wait.value > wait.max {
			return fault.Field(wait.setting, "%s is %d seconds; allowed are 1 to %d",
				wait.setting, wait.value/time.Second, wait.max/time.Second)
		}
	}
	for _, count := range []struct {
		setting string
		value   int
	}{{"CRAWL_UNCHANGED_STEPS", c.UnchangedSteps}, {"CRAWL_GONE_AFTER", c.GoneAfter}} {
		if count.value < 1 || count.value > maxCount {
			return fault.Field(count.setting, "%s is %d; allowed are 1 to %d", count.setting, count.value, maxCount)
		}
	}
	if !(c.GoneShare >= 0 && c.GoneShare <= 1) {
		return fault.Field("CRAWL_GONE_SHARE", "CRAWL_GONE_SHARE is %v; allowed is 0 to 1", c.GoneShare)
	}
	if c.PurgeGone < 0 || c.PurgeGone > longest {
		return fault.Field("CRAWL_PURGE_GONE_DAYS", "CRAWL_PURGE_GONE_DAYS is %d days; allowed are 0 to %d", c.PurgeGone/day,
			longest/day)
	}
	if c.FullEvery < 0 || c.FullEvery > maxCount {
		return fault.Field("CRAWL_FULL_CHECK_EVERY", "CRAWL_FULL_CHECK_EVERY is %d; allowed are 0 to %d", c.FullEvery,
			maxCount)
	}
	if c.FullAfter < 0 || c.FullAfter > longest {
		return fault.Field("CRAWL_FULL_CHECK_DAYS", "CRAWL_FULL_CHECK_DAYS is %d days; allowed are 0 to %d",
			c.FullAfter/day, longest/day)
	}
	return nil
}

// sane returns c with every setting limited to its bounds, so that Next works even for settings that were not
// validated.
func (c Config) sane() Config {
	c.Max = min(max(c.Max, time.Second), longest)
	c.Base = min(max(c.Base, time.Second), c.Max)
	c.ErrorBase = min(max(c.ErrorBase, time.Second), c.Max)
	c.UnchangedSteps = min(max(c.UnchangedSteps, 1), maxCount)
	c.GoneAfter = min(max(c.GoneAfter, 1), maxCount)
	if !(c.GoneShare > 0) { // true for NaN, too
		c.GoneShare = 0
	}
	c.GoneShare = min(c.GoneShare, 1)
	return c
}

// FullCheck reports whether a check must get a whole answer, because there were so many checks since the last one, at
// the given time, that only said that nothing has changed. If the validators were seen to change with the content,
// both limits must be exceeded; otherwise one of them is enough. A limit of zero does not count.
func (c Config) FullCheck(checks int, last time.Time, proven bool, now time.Time) bool {
	many := c.FullEvery > 0 && checks >= c.FullEvery
	long := c.FullAfter > 0 && !last.IsZero() && now.Sub(last) >= c.FullAfter
	if proven && c.FullEvery > 0 && c.FullAfter > 0 {
		return many && long
	}
	return many || long
}
