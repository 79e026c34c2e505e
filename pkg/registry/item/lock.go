package item

import (
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

const (
	// LockTime is how long a worker holds its items; within it the job is over.
	LockTime = policy.LeaseTime
	// RequestTime is after how long a request to the store is given up: until then it may still take effect.
	RequestTime = 30 * time.Second
)

// Forced reports whether a force request waits to be processed (A15).
func (it *Item) Forced() bool {
	return it.ReindexRequested || it.ReindexGeneration > it.ProcessedGeneration
}

// Eligible reports whether a worker may take the item: nobody holds it, and it is due or forced. A
// lock that ran out is respected for as long as a request of its holder may still be on its way.
func (it *Item) Eligible(now time.Time) bool {
	if !it.LockedUntil.IsZero() && it.LockedUntil.Add(RequestTime).After(now) {
		return false
	}
	return !it.NextCrawlAt.After(now) || it.Forced()
}

// CheckIsDue reports whether a check that is due has yet to begin. One that runs does not
// count: it may have fetched the page before it changed, and a worker that outlived its lock may
// still commit. Who asks then moves the due time behind the beginning of the lock, once, and the
// commit keeps that time. Nor does a pending index count, for which nobody asks the site.
func (it *Item) CheckIsDue(now time.Time) bool {
	begun := it.LockedUntil.Add(-LockTime)
	return !it.NextCrawlAt.After(now) && it.NextCrawlAt.After(begun) && !it.IndexPending
}

// AsksNobody reports whether the item's next check leaves its site alone: it is to be removed or has moved, or
// its snapshot is to be indexed.
func (it *Item) AsksNobody() bool {
	return it.RemoveRequested || it.MovedTo != "" || it.IndexPending && !it.Forced()
}
