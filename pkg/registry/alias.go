package registry

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// An alias names the item that stands for it, and nothing leads back but these rows, which stand
// beside that item. They are hints: one may be left of what is no alias any more. An unchanged check
// neither reads nor writes them.

// maxHastened is how many aliases of one item are brought forward when it goes away; the others look
// when they are due.
const maxHastened = 50

// aliasRows is the prefix of the rows that lead from an item to its aliases.
func aliasRows(hash string) string { return aliasPrefix + hash + "|" }

// aliases reads the rows that lead from an item to its aliases.
func (r *Registry) aliases(ctx context.Context, of *Item) iter.Seq2[storage.Entity, error] {
	return r.items.Query(ctx, storage.Query{
		Partition: of.key.Partition, RowFrom: aliasRows(of.key.Row), RowTo: aliasPrefix + of.key.Row + afterBar, PageSize: storage.MaxOps,
	})
}

func dropRow(key storage.Key) storage.Op {
	return storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: key, ETag: storage.AnyETag}}
}

// PointAlias lets an item lead to one that is about to be its alias. It comes before the commit that
// makes it so.
func (r *Registry) PointAlias(ctx context.Context, of, alias *Item) error {
	_, err := r.items.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key:   storage.Key{Partition: of.key.Partition, Row: aliasRows(of.key.Row) + alias.key.Row},
		Props: storage.Properties{"partition": alias.key.Partition},
	}})
	return err
}

// DropAlias takes back that an item, which may be gone, leads to an alias.
func (r *Registry) DropAlias(ctx context.Context, of source.ID, alias *Item) error {
	_, hash, err := source.ParseID(string(of))
	if err != nil {
		return err
	}
	e, err := r.index.Get(ctx, indexKey(hash))
	if err != nil {
		return ignoreLost(err)
	}
	partition, _ := e.Props["partition"].(string)
	_, err = r.items.Transact(ctx, dropRow(storage.Key{Partition: partition, Row: aliasRows(hash) + alias.key.Row}))
	return ignoreLost(err)
}

// DropAliases takes back all that an item leads to, because it is purged.
func (r *Registry) DropAliases(ctx context.Context, of *Item) error {
	var ops []storage.Op
	for e, err := range r.aliases(ctx, of) {
		if err != nil {
			return err
		}
		ops = append(ops, dropRow(e.Key))
	}
	for chunk := range slices.Chunk(ops, storage.MaxOps) {
		if _, err := r.items.Transact(ctx, chunk...); err != nil {
			return asConflict(err)
		}
	}
	return nil
}

// HastenAliases has the aliases of an item, at most 50, looked at no later than at a time, by which
// it is committed that the item stands for nobody any more.
func (r *Registry) HastenAliases(ctx context.Context, of *Item, at time.Time) error {
	n := 0
	for e, err := range r.aliases(ctx, of) {
		if n++; err != nil || n > maxHastened {
			return err
		}
		partition, _ := e.Props["partition"].(string)
		it, err := r.loadItem(ctx, storage.Key{Partition: partition, Row: e.Row[len(aliasRows(of.key.Row)):]})
		if err == nil && it.AliasOf == of.ID {
			err = r.Hasten(ctx, it, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
