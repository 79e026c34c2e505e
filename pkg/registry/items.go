package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// LoadItems reads items by point reads. Items that do not exist are returned with an empty ETag.
func (r *rowStore) LoadItems(ctx context.Context, partition string, hashes []string) ([]Item, error) {
	items := make([]Item, len(hashes))
	err := r.Parallel(ctx, len(hashes), func(ctx context.Context, i int) (err error) {
		items[i], err = r.LoadItem(ctx, storage.Key{Partition: partition, Row: hashes[i]})
		return err
	})
	return items, err
}

// LoadItem reads an item by a point read. An item that does not exist has an empty ETag.
func (r *rowStore) LoadItem(ctx context.Context, key storage.Key) (Item, error) {
	e, err := r.Items.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return missingItem(key), nil
	}
	if err != nil {
		return Item{}, err
	}
	return itemOf(e), nil
}

// LoadSources reads the items of sources. Items that do not exist have no revision.
func (r *rowStore) LoadSources(ctx context.Context, sources []source.Source) ([]Item, error) {
	items := make([]Item, len(sources))
	err := r.Parallel(ctx, len(sources), func(ctx context.Context, i int) (err error) {
		s := sources[i]
		items[i], err = r.LoadItem(ctx, storage.Key{Partition: s.Partition(r.Options.Strategy), Row: s.Hash()})
		return err
	})
	return items, err
}

// Point writes the index rows that lead from ids to items, for items that do not exist yet. The content of such a row
// never changes, but every write changes its ETag, so that a concurrent delete fails. The writes are deferred: the
// rows of the items are written later, and wait.
func (r *rowStore) Point(ctx context.Context, partition string, missing []string) error {
	return r.Parallel(ctx, len(missing), func(ctx context.Context, i int) error {
		_, err := r.Index.Transact(storage.Deferred(ctx), storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: indexKey(missing[i]), Props: storage.Properties{"partition": partition},
		}})
		return err
	})
}

// ForceCheck forces a check of an item because another item has changed. No person requested this check. So, unlike
// [Items.Reindex], ForceCheck does not change an item that is paused, gone or about to be removed.
func (r *Items) ForceCheck(ctx context.Context, it Item) error {
	var job []JobItem
	id := hostID{Partition: it.Partition(), Host: it.SourceHost}
	err := r.s.ChangeHost(ctx, id, func(ctx context.Context, h *hostRecord) (*hostChange, error) {
		cur, err := r.s.LoadItem(ctx, it.Key())
		if job = nil; err != nil || !cur.exists() || cur.mayVanish() || cur.Paused {
			return nil, err
		}
		now := r.s.Now()
		as := member{Source: source.Source{Display: cur.DisplaySource}}
		until, hint := cur.claimUntil(now)
		ops := registerOps(now, as, &cur, h, RegisterOptions{Force: true}, until)
		h.Policy.Pace.Claim(now, 1, r.s.Options.Politeness(it.SourceHost))
		job = []JobItem{inJob(&cur)}
		return &hostChange{Ops: ops, Hint: hint}, nil
	})
	if err == nil {
		r.s.Send(ctx, it.Partition(), it.SourceHost, reasonForced, job)
	}
	return err
}

// expedite brings the next check of an item forward to a given time, because something that the item depends on is
// about to change. The caller must commit that change before the given time. The check is not forced, and a sweep
// finds it. Expedite does not change an item that is due sooner, paused, gone or about to be removed.
func (r *Items) expedite(ctx context.Context, it Item, at time.Time) error {
	at = policy.Stamp(at)
	return r.s.Retry(ctx, func(ctx context.Context) error {
		cur, err := r.s.LoadItem(ctx, it.Key())
		if err != nil || !cur.exists() || cur.mayVanish() || cur.Paused || !cur.NextCrawlAt.After(at) {
			return err
		}
		_, err = r.s.Hinted(ctx, it.Partition(), at, expediteItem(&cur, at, storage.Properties{}))
		return asConflict(err)
	})
}
