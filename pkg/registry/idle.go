package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// A registration does not change an item whose next check is due but has not begun. If there is no job for that
// check, the check begins only with the next sweep, up to a minute later. That is long for a caller that waits for
// the result. The due row shows whether there is a job. Reading the row costs one request, and only for such items.

// leaves reports whether a registration does not change the item.
func (o RegisterOptions) leaves(it *Item, now time.Time) bool {
	sameCredential := o.Credential == "" || o.Credential == it.Credential
	sameFolder := o.Folder == "" && !o.restores(it) || o.Folder == it.Folder && o.Unlisted == !it.UnlistedSince.IsZero()
	asksMore := o.Force || o.NewOnly || !sameCredential || !sameFolder || !o.Settings.Zero()
	return it.exists() && !asksMore && it.checkIsDue(now) && !it.mayVanish()
}

// respects reports whether a registration does not change the item because the item is paused.
func (o RegisterOptions) respects(it *Item) bool {
	return it.Paused && o.Settings.Zero() && !o.Force && !o.asked && !it.mayVanish()
}

// loadIdle reads the due rows of those items that a registration does not change. For each due row that no job has
// claimed, it returns the revision of the row. For all other items it returns an empty revision. A locked item counts
// as claimed, because the commit of that item sends the next job.
func (r *Items) loadIdle(ctx context.Context, items []Item, o RegisterOptions) ([]storage.ETag, error) {
	now := r.s.Now()
	idle := make([]storage.ETag, len(items))
	var at []int
	for i := range items {
		if o.leaves(&items[i], now) && !items[i].LockedUntil.After(now) {
			at = append(at, i)
		}
	}
	err := r.s.Parallel(ctx, len(at), func(ctx context.Context, n int) error {
		i := at[n]
		e, err := r.s.Items.Get(ctx, dueKey(items[i].Key(), items[i].NextCrawlAt))
		if fault.Is(err, fault.NotFound) {
			return nil // the due row has just moved
		}
		if err == nil && !enqueuedUntil(e).After(now) {
			idle[i] = e.ETag
		}
		return err
	})
	return idle, err
}
