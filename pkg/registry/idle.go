package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// A registration has nothing to change about an item whose next check is still to begin. But unless
// a job is on its way, that check begins with the next sweep, up to a minute later, which is long for
// who has just asked. The due row tells: reading it costs one request, for such items only.

// stays reports whether a registration leaves the item as it is.
func (it *Item) stays(now time.Time, o RegisterOptions) bool {
	sameCredential := o.Credential == "" || o.Credential == it.Credential
	return it.etag != "" && !o.Force && !o.NewOnly && sameCredential && it.comes(now) && !it.mayVanish()
}

// loadIdle reads the due rows of the items that a registration leaves as they are. It gives the
// revision of each that is in nobody's hands, and an empty one for all other items. One that is
// locked is in somebody's hands: its commit sends the next job.
func (r *Registry) loadIdle(ctx context.Context, items []Item, o RegisterOptions) ([]storage.ETag, error) {
	now := r.now()
	idle := make([]storage.ETag, len(items))
	var at []int
	for i := range items {
		if items[i].stays(now, o) && !items[i].LockedUntil.After(now) {
			at = append(at, i)
		}
	}
	err := r.parallel(ctx, len(at), func(ctx context.Context, n int) error {
		i := at[n]
		e, err := r.items.Get(ctx, dueKey(&items[i]))
		if fault.Is(err, fault.NotFound) {
			return nil // it has just moved
		}
		if err == nil && !enqueuedUntil(e).After(now) {
			idle[i] = e.ETag
		}
		return err
	})
	return idle, err
}

// dueKey is where an item's due row is.
func dueKey(it *Item) storage.Key {
	return storage.Key{Partition: it.key.Partition, Row: dueRow(it.NextCrawlAt, it.key.Row)}
}

// claimDueRow marks a due row, as it was read, as in the hands of a job until then.
func claimDueRow(key storage.Key, read storage.ETag, until time.Time) storage.Op {
	return storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: key, ETag: read, Props: storage.Properties{"enqueuedUntil": storage.FormatTime(until)},
	}}
}
