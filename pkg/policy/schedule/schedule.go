// Package schedule decides when a source is checked again: rarely while it does not change, soon after a change, with
// growing pauses while it fails, and very rarely once it is gone.
//
// It implements A12, A13 and A14 of the requirements and spec 003 §5. The package only computes: the caller passes
// the time and the random numbers, and stores the [State] between checks.
//
// # The ladder
//
//	                 N unchanged      N unchanged      N unchanged
//	1 × Base ──────────────> 3 × Base ──────> 7 × Base ──────> 14 × Base, each at most Max
//	   ^                         │                │                │
//	   └──── changed, or back after being missing ┴────────────────┘
//
// A source that is out of scope (robots.txt, noindex) climbs the ladder like one that does not change. If the site
// set the rule by mistake and has removed it, a check within days finds that out. If the rule stays, the source is
// rarely checked. A robots.txt that cannot be read says nothing about the page. Such a check has the outcome
// [Failed], and the next attempt to read robots.txt determines retryAfter.
//
// When a source returns to content that it had before, that content is indexed, but the schedule does not count this
// as a change: the source climbs as if it were unchanged.
//
// # Collapses
//
// A source that has lost most of its content (requirement H9) stays at its step of the ladder and is checked again
// after a quarter of Base, until package change has decided.
//
// # Failures
//
// After the nth failure in a row, the next check waits ErrorBase × 2^(n-1) × (0.8 to 1.2), at most Max. A failure
// does not move the source on the ladder, because it says nothing about how often the page changes.
//
// # Missing pages
//
// 404 and 410 are confirmed before they are accepted: by GoneAfter checks in a row, a quarter of Base apart (six
// hours with the defaults). By then a broken deployment or a night of maintenance is over, and a page that is really
// gone is removed from the index on the same day. Any other answer in between, even a failure, restarts the count. A
// gone source is checked again after Base. After that, each wait is as long as the source has been gone, at most Max.
// Only an answer with a page brings the source back. A source that is missing for PurgeGone is purged.
//
// A host that loses more than GoneShare of its pages within a day (three at least) is more likely broken than cleaned
// up. The mass-removal guard leaves all further pages as they are until a second check, a day later, whose result is
// accepted.
//
//	          M in a row, room                  PurgeGone
//	missing ─────────────────────────> gone ─────────────> purged
//	   │                                 ↑
//	   └─ M in a row, no room ─> guarded ┘ still missing after a day
//
// # Spread
//
// Checks are spread over a window of 5 % of the interval, so that sources that were registered together do not stay
// together. The window begins at the interval and ends before Max. So a check is never before Base, and never after
// Max. If Base equals Max, there is no spread.
package schedule

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// State is what the schedule stores about a source between two checks. The zero State is that of a source that was
// never checked.
type State struct {
	Interval     time.Duration // interval of the present step; zero means Base
	Unchanged    int           // unchanged checks in a row at this interval, at most UnchangedSteps
	Attempts     int           // consecutive checks that failed or found 404 or 410, at most 1,000
	Missing      int           // consecutive answers of 404 or 410, at most 1,000
	GuardedSince time.Time     // when the mass-removal guard first kept the source; zero if it does not
	GoneSince    time.Time     // when the source became gone; zero if it is not gone
}

// maxCount is the largest value of a count. It prevents overflow, and is no lower than any bound on a count.
const maxCount = 1000

// Outcome is the result of a check. It is stored in decisions and counted in metrics.
type Outcome string

// The outcomes of a check.
const (
	Changed    Outcome = "changed"      // new content, or the first content
	Unchanged  Outcome = "unchanged"    // 304, or the same hashes
	Reverted   Outcome = "reverted"     // content that the source had before
	Collapsed  Outcome = "collapsed"    // most of the content is missing; to be confirmed
	Failed     Outcome = "failed"       // no usable answer: an error, or content that cannot be read
	Missing    Outcome = "missing"      // 404 or 410; to be confirmed
	Guarded    Outcome = "held"         // 404 or 410 often enough, but too many of the host's pages are missing
	Gone       Outcome = "gone"         // 404 or 410, and the source has become gone or already was
	OutOfScope Outcome = "out_of_scope" // robots.txt, noindex or a rule forbids it
)

// Decision is the time of the next check, with the reason.
type Decision struct {
	State  State     // the state to store until then
	Next   time.Time // time of the next check, always after the present time
	Gone   bool      // the source's status is Gone: it was missing on enough checks in a row
	Reason string    // one line for people, which contains no data of the source
}

// Next decides about the next check, after a check that ended at the given time with the given outcome. The argument
// retryAfter is the pause that the site asked for, or zero. The next check comes after that pause, unless the pause is
// longer than both Max and a day, which is as long as a host is left alone. The jitter is a random number in [0,1). The
// same arguments give the same Decision. An unknown outcome counts as [Failed].
func (c Config) Next(s State, o Outcome, retryAfter time.Duration, now time.Time, jitter float64) Decision {
	c, jitter = c.sane(), clamp(jitter)
	var p plan
	switch o {
	case Changed:
		p = c.restart("changed: back to the base interval", jitter)
	case Unchanged:
		p = c.unchanged(s, "unchanged", jitter)
	case Reverted:
		p = c.unchanged(s, "nothing new", jitter)
	case Collapsed:
		p = c.collapsed(s)
	case OutOfScope:
		p = c.climb(s, "out of scope", jitter)
	case Missing, Guarded, Gone:
		p = c.missing(s, o, now, jitter)
	default:
		p = c.failed(s, now, jitter)
	}
	if asked := min(retryAfter, max(c.Max, day)); asked > p.wait {
		p.wait = asked
		p.reason += ", and the site asked for a pause"
	}
	return Decision{State: p.state, Next: now.Add(p.wait), Gone: !p.state.GoneSince.IsZero(), Reason: p.reason}
}

// Wait returns the time to the next check of a source in state s, when nothing brings the check forward or delays it.
func (c Config) Wait(s State, jitter float64) time.Duration {
	c = c.sane()
	return c.spread(c.rung(c.step(s.Interval)), clamp(jitter))
}

// plan is a decision to which the site's pause and the time have not been applied yet.
type plan struct {
	state  State
	wait   time.Duration
	reason string
}

// restart returns to the first step of the ladder.
func (c Config) restart(reason string, jitter float64) plan {
	return plan{State{Interval: c.Base}, c.spread(c.Base, jitter), reason}
}

// unchanged climbs the ladder. A page that comes back after being missing restarts it, even with its old content,
// because it was removed from the index or was about to be.
func (c Config) unchanged(s State, what string, jitter float64) plan {
	if s.Missing > 0 {
		return c.restart("back after being missing: back to the base interval", jitter)
	}
	return c.climb(s, what, jitter)
}

// collapsed stays at the present step of the ladder, because it is not known yet whether the content has changed.
func (c Config) collapsed(s State) plan {
	next := State{Interval: c.rung(c.step(s.Interval)), Unchanged: min(max(s.Unchanged, 0), c.UnchangedSteps)}
	return plan{next, c.again(), "collapsed: checked again soon"}
}

// again returns the wait before a check that must confirm the result of the last check.
func (c Config) again() time.Duration { return min(max(c.Base/4, c.ErrorBase), c.Base) }

// climb counts a check without a change. After enough of them, it moves one step up.
func (c Config) climb(s State, what string, jitter float64) plan {
	step := c.step(s.Interval)
	next := State{Interval: c.rung(step), Unchanged: count(s.Unchanged)}
	reason := fmt.Sprintf("%s on %d of %s before the interval of %s gets longer", what, next.Unchanged,
		words.Count(c.UnchangedSteps, "check"), words.Exact(next.Interval))
	switch isTop := c.rung(step+1) <= next.Interval; {
	case isTop:
		next.Unchanged = min(next.Unchanged, c.UnchangedSteps)
		reason = fmt.Sprintf("%s: the interval stays at its longest, %s", what, words.Exact(next.Interval))
	case next.Unchanged >= c.UnchangedSteps:
		next = State{Interval: c.rung(step + 1)}
		reason = fmt.Sprintf("%s on %s: the interval is now %s", what, words.Count(c.UnchangedSteps, "check"),
			words.Exact(next.Interval))
	}
	return plan{next, c.spread(next.Interval, jitter), reason}
}

// ladder contains the steps of A12, in units of Base.
var ladder = [...]time.Duration{1, 3, 7, 14}

// steps returns the number of steps of the ladder. If [Config].ToMax is set, there are enough steps for every Max.
func (c Config) steps() int {
	if c.ToMax {
		return len(ladder) + 32
	}
	return len(ladder)
}

// rung returns the interval of a step. For a step beyond the last, it returns the interval of the last step.
func (c Config) rung(step int) time.Duration {
	last := len(ladder) - 1
	interval := c.Base * ladder[min(step, last)]
	for range min(step, c.steps()-1) - last {
		if interval >= c.Max {
			break
		}
		interval *= 2
	}
	return min(interval, c.Max)
}

// step returns the highest step whose interval is not longer than the given one. So an interval that was stored under
// other settings belongs to the next lower step.
func (c Config) step(interval time.Duration) (step int) {
	for step+1 < c.steps() && c.rung(step+1) <= interval && c.rung(step+1) > c.rung(step) {
		step++
	}
	return step
}

// failed plans a retry. A gone source that fails is still gone, and is checked as rarely as before. A guarded source
// starts over, like any missing source.
func (c Config) failed(s State, now time.Time, jitter float64) plan {
	next := State{Interval: c.rung(c.step(s.Interval)), Unchanged: s.Unchanged, Attempts: count(s.Attempts)}
	reason := "failed " + words.Count(next.Attempts, "time")
	if !s.GoneSince.IsZero() {
		next.Missing, next.GoneSince = min(max(s.Missing, 0), maxCount), s.GoneSince
		return plan{next, c.rarely(next, now, jitter), reason + ", and gone before"}
	}
	return plan{next, c.backoff(next.Attempts, jitter), reason}
}

// backoff returns ErrorBase × 2^(attempts-1), times 0.8 to 1.2 by jitter, at most Max.
func (c Config) backoff(attempts int, jitter float64) time.Duration {
	wait := time.Duration(float64(c.doubled(c.ErrorBase, attempts)) * (0.8 + 0.4*jitter))
	return min(max(wait, time.Second), c.Max)
}

// doubled returns wait × 2^(times-1), cut a little above Max so that it cannot overflow.
func (c Config) doubled(wait time.Duration, times int) time.Duration {
	for range times - 1 {
		if wait >= 2*c.Max {
			break
		}
		wait *= 2
	}
	return wait
}

// spread returns a point in the window that the package comment describes.
func (c Config) spread(interval time.Duration, jitter float64) time.Duration {
	width := interval / 20
	end := min(interval+width, c.Max)
	begin := max(end-width, c.Base)
	return begin + time.Duration(jitter*float64(end-begin))
}

// count returns n + 1, limited to the range of a count, 1 to maxCount.
func count(n int) int { return min(max(n, 0), maxCount-1) + 1 }

// clamp limits jitter to [0,1); NaN gives 0.
func clamp(jitter float64) float64 {
	if !(jitter > 0) {
		return 0
	}
	return min(jitter, 0.999)
}

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
