package schedule

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

const (
	// LossWindow is the time within which the tombstones of a host are counted together for the mass-removal guard.
	LossWindow = 24 * time.Hour
	// SecondCheck is the time after which a guarded source that is still missing counts as gone.
	SecondCheck = 24 * time.Hour
	// fewLosses is the number of tombstones in one window that are always allowed, even for a small host.
	fewLosses = 3
)

// Losses counts the recent losses of a host.
type Losses struct {
	Gone     int // sources that became gone within the present [LossWindow]
	Reserved int // sources that active checks have reserved to become gone
	Items    int // sources at the beginning of the window: those counted in Gone, and all that are not gone
}

// Room returns the number of further sources of a host that may become gone. Beyond that number, missing sources are
// guarded (CRAWL_GONE_SHARE). The result may be negative. A site that loses a fifth of its pages in a day is more
// often broken than cleaned up.
func (c Config) Room(l Losses) int {
	return max(fewLosses, int(c.sane().GoneShare*float64(l.Items))) - l.Gone - l.Reserved
}

// Miss decides the result of a check that found 404 or 410 once more. The result is [Missing] until there were enough
// such answers in a row. Then it is [Gone] if the host has room for another tombstone. If not, it is [Guarded] until
// the second check. A source that was already gone stays gone.
func (c Config) Miss(s State, room int, now time.Time) Outcome {
	switch c = c.sane(); {
	case !s.GoneSince.IsZero():
		return Gone
	case count(s.Missing) < c.GoneAfter:
		return Missing
	case room > 0 || !s.GuardedSince.IsZero() && now.Sub(s.GuardedSince) >= SecondCheck:
		return Gone
	default:
		return Guarded
	}
}

// Expired reports whether a source has been gone long enough to be purged (CRAWL_PURGE_GONE_DAYS).
func (c Config) Expired(s State, now time.Time) bool {
	return c.PurgeGone > 0 && !s.GoneSince.IsZero() && now.Sub(s.GoneSince) >= c.PurgeGone
}

// missing plans the next check of a missing source. That check counts towards the number after which the source is
// Gone.
func (c Config) missing(s State, o Outcome, now time.Time, jitter float64) plan {
	next := State{Interval: c.rung(c.step(s.Interval)), Unchanged: s.Unchanged, Attempts: count(s.Attempts),
		Missing: count(s.Missing)}
	switch {
	case o == Guarded:
		return c.guarded(s, next, now)
	case o == Gone || next.Missing >= c.GoneAfter:
		return c.gone(s, next, now, jitter)
	}
	wait := min(c.doubled(c.again(), next.Missing), c.Max)
	return plan{next, wait, fmt.Sprintf("missing on %d of %s before it counts as gone", next.Missing,
		words.Count(c.GoneAfter, "check"))}
}

// guarded plans the second check of a guarded source.
func (c Config) guarded(s, next State, now time.Time) plan {
	next.GuardedSince = s.GuardedSince
	if next.GuardedSince.IsZero() {
		next.GuardedSince = now
	}
	wait := max(next.GuardedSince.Add(SecondCheck).Sub(now), c.ErrorBase)
	return plan{next, min(wait, c.Max), "missing with too many others of its host: a second check follows"}
}

// gone plans ever longer waits for a gone source, up to the time when the source is purged.
func (c Config) gone(s, next State, now time.Time, jitter float64) plan {
	next.Interval, next.Unchanged, next.Missing = c.Max, 0, max(next.Missing, c.GoneAfter)
	if next.GoneSince = s.GoneSince; next.GoneSince.IsZero() {
		next.GoneSince = now
	}
	return plan{next, c.rarely(next, now, jitter), "missing on " + words.Count(next.Missing, "check") + ": gone"}
}

// rarely returns how long to wait before a gone source is checked again: as long as it has been gone. So if a site
// was broken for some days, its pages are back after about the same number of days.
func (c Config) rarely(s State, now time.Time, jitter float64) time.Duration {
	wait := c.spread(min(max(now.Sub(s.GoneSince), c.Base), c.Max), jitter)
	if c.PurgeGone > 0 {
		wait = min(wait, max(s.GoneSince.Add(c.PurgeGone).Sub(now), time.Second))
	}
	return wait
}
