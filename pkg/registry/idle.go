package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/storage"
)

// A registration has nothing to change about an item whose next check is still to begin. But unless
// a job is on its way, that check begins with the next sweep, up to a minute later, which is long for
// who has just asked. The due row tells: reading it costs one request, for such items only.

// leaves reports whether a registration leaves the item as it is.
func (o RegisterOptions) leaves(it *Item, now time.Time) bool {
	sameCredential := o.Credential == "" || o.Credential == it.Credential
	asksMore := o.Force || o.NewOnly || !sameCredential || !o.Settings.Zero()
	return it.Exists() && !asksMore && it.CheckIsDue(now) && !it.MayVanish()
}

// respects reports whether a registration leaves the item alone because it is paused.
func (o RegisterOptions) respects(it *Item) bool {
	return it.Paused && o.Settings.Zero() && !o.Force && !o.asked && !it.MayVanish()
}

// loadIdle reads the due rows of the items that a registration leaves as they are. It gives the
// revision of each that is in nobody's hands, and an empty one for all other items. One that is
// locked is in somebody's hands: its commit sends the next job.
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
		e, err := r.s.Items.Get(ctx, item.DueKey(items[i].Key(), items[i].NextCrawlAt))
		if fault.Is(err, fault.NotFound) {
			return nil // it has just moved
		}
		if err == nil && !item.EnqueuedUntil(e).After(now) {
			idle[i] = e.ETag
		}
		return err
	})
	return idle, err
}
