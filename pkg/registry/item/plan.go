package item

import (
	"strconv"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// Schedule gives the item's state to package schedule.
func (it *Item) Schedule() schedule.State {
	return schedule.State{
		Interval:  time.Duration(it.CrawlIntervalSeconds) * time.Second,
		Unchanged: it.UnchangedChecks, Attempts: it.CrawlAttempts, Missing: it.MissingChecks,
		GuardedSince: it.GuardedSince, GoneSince: it.GoneSince,
	}
}

// Reschedule takes over a decision of package schedule.
func (it *Item) Reschedule(d schedule.Decision) {
	it.CrawlIntervalSeconds = int64(d.State.Interval / time.Second)
	it.UnchangedChecks, it.CrawlAttempts, it.MissingChecks = d.State.Unchanged, d.State.Attempts, d.State.Missing
	it.GuardedSince, it.GoneSince = policy.Stamp(d.State.GuardedSince), policy.Stamp(d.State.GoneSince)
	it.NextCrawlAt = policy.Stamp(d.Next)
}

// ApplyPriority has an item take over the priority that holds for it.
func ApplyPriority(it *Item, e options.Effective) {
	if it.Level = ""; e.Level() != options.UsualPriority {
		it.Level = strconv.Itoa(e.Level())
	}
}

// Outdated is the IndexedHash of a page that the index holds, or may hold, but not as it is.
const Outdated = "outdated"

// SetStale notes that what the index holds of the item, if anything, is not what it should hold. No
// "not modified" is sufficient then, so the next check puts it there.
func (it *Item) SetStale() {
	if it.IndexedHash != "" {
		it.IndexedHash = Outdated
	}
}

// IndexAgain has the index given what is stored of a page that it holds, soon and without asking the site: something
// that people say of it has changed.
func IndexAgain(it *Item, now time.Time) {
	if it.IndexedHash == "" || it.IndexPending {
		return
	}
	it.IndexPending, it.ResumeAt = true, it.NextCrawlAt
	it.NextCrawlAt = policy.Earlier(it.NextCrawlAt, now)
}

// Rebuilt ends the item's part in a rebuild, whether the index was written or not.
func (it *Item) Rebuilt(written bool) {
	if it.RebuildPending && !written {
		it.SetStale()
	}
	it.RebuildPending = false
}

// Never is when a paused item is checked next: its due row is there like any other, and its time does not come.
var Never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// CheckAt moves the next check to a time of the caller's.
func (it *Item) CheckAt(at time.Time) { it.NextCrawlAt = policy.Stamp(at) }

// Indexable reports whether the item's content is, or may belong, in the index: what the index
// should hold if it had lost everything, and what could not be extracted when it was fetched. Of
// what was never read, because it is too large, there is no hash of a text.
func (it *Item) Indexable() bool {
	return it.IndexedHash != "" || it.Status == Crawled && it.TextHash != ""
}

// Replan moves the next check of an item to where what is set has it, and says why. What is forced, or on its way out,
// comes as it would have.
func Replan(it *Item, e options.Effective, c schedule.Config, jitter float64, now time.Time) (why string) {
	if it.MayVanish() && !it.Paused || it.RemoveRequested || it.MovedTo != "" || it.Forced() {
		return ""
	}
	ApplyPriority(it, e)
	next := &it.NextCrawlAt
	if it.IndexPending {
		next = &it.ResumeAt // of the site, which is not asked before
	}
	if it.Paused {
		*next = Never
		return "paused: no check until somebody asks for one"
	}
	if it.LastChecked.IsZero() || next.Equal(Never) && !it.GoneSince.IsZero() {
		if *next = policy.Earlier(now, *next); next.Equal(now) {
			return "not checked yet: now"
		}
		return ""
	}
	check := options.Check{ID: string(it.ID), State: it.Schedule(), At: it.LastChecked, Jitter: jitter}
	at, why := e.Replan(c, check, *next, now)
	if at = policy.Stamp(at); !it.NextCrawlAt.After(now) && !it.IndexPending {
		at = policy.Earlier(at, *next) // it is due, and waits for its turn
	}
	*next = at
	return "planned anew: " + why
}
