package item

import (
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

const (
	// LockTime is how long a worker holds its items. The worker's job ends within that time.
	LockTime = policy.LeaseTime
	// RequestTime is the timeout of a request to the store. Until it has passed, the request may still take effect.
	RequestTime = 30 * time.Second
)

// Forced reports whether a forced check is waiting (A15).
func (it *Item) Forced() bool {
	return it.ReindexRequested || it.ReindexGeneration > it.ProcessedGeneration
}

// Eligible reports whether a worker may lock the item: no worker holds it, and it is due or forced. An expired lock
// still counts for as long as a request of its holder may take effect.
func (it *Item) Eligible(now time.Time) bool {
	if !it.LockedUntil.IsZero() && it.LockedUntil.Add(RequestTime).After(now) {
		return false
	}
	return !it.NextCrawlAt.After(now) || it.Forced()
}

// CheckIsDue reports whether a check of the item is due and has not begun yet. A running check does not count: it may
// have fetched the page before the page changed, and a worker that outlived its lock may still commit. A request
// during a running check moves the due time, once, to after the beginning of the lock, and the commit keeps that
// time. A pending index does not count either, because indexing a snapshot sends no request to the site.
func (it *Item) CheckIsDue(now time.Time) bool {
	begun := it.LockedUntil.Add(-LockTime)
	return !it.NextCrawlAt.After(now) && it.NextCrawlAt.After(begun) && !it.IndexPending
}

// AsksNobody reports whether the item's next check sends no request to its site: the item is to be removed or has
// moved, or its snapshot is to be indexed.
func (it *Item) AsksNobody() bool {
	return it.RemoveRequested || it.MovedTo != "" || it.IndexPending && !it.Forced()
}
