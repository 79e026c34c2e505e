package registry

import (
	"strconv"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// Schedule returns the item's state for package schedule.
func (it *Item) Schedule() schedule.State {
	return schedule.State{
		Interval:  time.Duration(it.CrawlIntervalSeconds) * time.Second,
		Unchanged: it.UnchangedChecks, Attempts: it.CrawlAttempts, Missing: it.MissingChecks,
		GuardedSince: it.GuardedSince, GoneSince: it.GoneSince,
	}
}

// Reschedule applies a decision of package schedule.
func (it *Item) Reschedule(d schedule.Decision) {
	it.CrawlIntervalSeconds = int64(d.State.Interval / time.Second)
	it.UnchangedChecks, it.CrawlAttempts, it.MissingChecks = d.State.Unchanged, d.State.Attempts, d.State.Missing
	it.GuardedSince, it.GoneSince = policy.Stamp(d.State.GuardedSince), policy.Stamp(d.State.GoneSince)
	it.NextCrawlAt = policy.Stamp(d.Next)
}

// ApplyPriority sets an item's level to its effective priority.
func ApplyPriority(it *Item, e options.Effective) {
	if it.Level = ""; e.Level() != options.UsualPriority {
		it.Level = strconv.Itoa(e.Level())
	}
}

// Outdated is the IndexedHash of a page that is in the index, or may be, but whose content there is not current.
const Outdated = "outdated"

// SetStale records that the content of the index may be wrong for this item. The next check then writes to the index,
// and does not accept a "not modified" answer.
func (it *Item) SetStale() {
	if it.IndexedHash != "" {
		it.IndexedHash = Outdated
	}
}

// indexAgain schedules an indexed page to be indexed again soon, because its tags or options have changed. The
// content is taken from the page's snapshot, without a request to the site.
func indexAgain(it *Item, now time.Time) {
	if it.IndexedHash == "" || it.IndexPending {
		return
	}
	it.IndexPending, it.ResumeAt = true, it.NextCrawlAt
	it.NextCrawlAt = policy.Earlier(it.NextCrawlAt, now)
}

// Rebuilt records that a rebuild has finished with the item, whether or not the index was written.
func (it *Item) Rebuilt(written bool) {
	if it.RebuildPending && !written {
		it.SetStale()
	}
	it.RebuildPending = false
}

// Never is the time of the next check of a paused item. The item has a due row like any other, but never becomes due.
var Never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// CheckAt moves the next check to a given time.
func (it *Item) CheckAt(at time.Time) { it.NextCrawlAt = policy.Stamp(at) }

// indexable reports whether the item's content is in the index, or would have to be written if the index had lost
// everything. This includes content whose text could not be extracted. It does not include content that was never
// read because it is too large: such content has no text hash.
func (it *Item) indexable() bool {
	return it.IndexedHash != "" || it.Status == Crawled && it.TextHash != ""
}

// replanItem moves the next check of an item to the time that the item's options require, and returns the reason. A
// forced check keeps its time, and so does the next check of an item that is about to be removed.
func replanItem(it *Item, e options.Effective, c schedule.Config, jitter float64, now time.Time) (why string) {
	if it.mayVanish() && !it.Paused || it.RemoveRequested || it.MovedTo != "" || it.Forced() {
		return ""
	}
	ApplyPriority(it, e)
	next := &it.NextCrawlAt
	if it.IndexPending {
		next = &it.ResumeAt // the next check of the site, before which the site gets no request
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
	if it.Status == OutOfScope && it.AliasOf == "" {
		check.Outcome = schedule.OutOfScope
	}
	at, why := e.Replan(c, check, *next, now)
	if at = policy.Stamp(at); !it.NextCrawlAt.After(now) && !it.IndexPending {
		at = policy.Earlier(at, *next) // the item is due, and is only waiting to be claimed
	}
	*next = at
	return "planned anew: " + why
}
