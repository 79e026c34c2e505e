package registry

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
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
