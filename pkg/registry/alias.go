package registry

import (
	"context"
	"iter"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// An alias is an item that another item represents in the index; the alias stores the id of that item. The reverse
// direction, from an item to its aliases, is kept only in the rows of this file, in the partition of the representing
// item. These rows are hints: a row may outlive its alias. A check that finds a page unchanged neither reads nor
// writes them.

// maxAliases limits the number of aliases that are read of an item. When the item that represents them goes away, the
// other aliases are checked when they are due.
const maxAliases = 50

// aliasRows returns the prefix of the keys of the rows that list an item's aliases.
func aliasRows(hash string) string { return aliasPrefix + hash + "|" }

// aliases reads the rows that list an item's aliases.
func aliases(ctx context.Context, s *rowStore, of *Item) iter.Seq2[storage.Entity, error] {
	return s.Items.Query(ctx, storage.Query{
		Partition: of.Partition(), RowFrom: aliasRows(of.Hash()), RowTo: aliasPrefix + of.Hash() + afterBar,
		PageSize: storage.MaxOps,
	})
}

// Point adds an alias to the alias list of the item that represents the alias. Callers must call Point before the
// commit that makes the page an alias.
func (r *Aliases) Point(ctx context.Context, of, alias *Item) error {
	_, err := r.s.Items.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key:   storage.Key{Partition: of.Partition(), Row: aliasRows(of.Hash()) + alias.Hash()},
		Props: storage.Properties{"partition": alias.Partition()},
	}})
	return err
}

// Drop removes an alias from an item's list of aliases. The item itself may no longer exist.
func (r *Aliases) Drop(ctx context.Context, of source.ID, alias *Item) error {
	_, hash, err := source.ParseID(string(of))
	if err != nil {
		return err
	}
	e, err := r.s.Index.Get(ctx, indexKey(hash))
	if err != nil {
		return ignoreLost(err)
	}
	partition, _ := e.Props["partition"].(string)
	_, err = r.s.Items.Transact(ctx, dropRow(storage.Key{Partition: partition, Row: aliasRows(hash) + alias.Hash()}))
	return ignoreLost(err)
}

// DropAll removes an item's list of aliases when the item is purged.
func (r *Aliases) DropAll(ctx context.Context, of *Item) error {
	var ops []storage.Op
	for e, err := range aliases(ctx, r.s, of) {
		if err != nil {
			return err
		}
		ops = append(ops, dropRow(e.Key))
	}
	return asConflict(storage.TransactAll(ctx, r.s.Items, ops))
}

// Expedite brings the next checks of an item's aliases forward to the given time, for at most 50 aliases. Before that
// time, the caller must have committed that the item no longer represents its aliases.
func (r *Aliases) Expedite(ctx context.Context, of *Item, at time.Time) error {
	for it, err := range r.items.AliasesOf(ctx, of) {
		if err == nil {
			err = r.items.expedite(ctx, it, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// AliasesOf yields the aliases that an item represents, at most 50.
func (r *Items) AliasesOf(ctx context.Context, of *Item) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		n := 0
		for e, err := range aliases(ctx, r.s, of) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			if n++; n > maxAliases {
				return
			}
			partition, _ := e.Props["partition"].(string)
			it, err := r.s.LoadItem(ctx, storage.Key{Partition: partition, Row: e.Row[len(aliasRows(of.Hash())):]})
			if err == nil && it.AliasOf != of.ID {
				continue
			}
			if !yield(it, err) {
				return
			}
		}
	}
}
