package registry

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// An item's id is made from its normalized source. So when the rules for URLs change, some items get another
// identity. A new item with that identity takes over the state of the old one. If an item with that identity already
// exists, the old item is merged into it. The writes are, in this order:
//
//	the new item, with a row that has the id of the old one
//	the pointer of the old id, which leads to the new item from then on
//	the old item: movedTo, and due at once. A worker removes its documents from the index, then its rows are deleted
//
// Each write records what the next one needs, and may be repeated. Captures never move (spec 000 §6): the captures of
// the old id stay as they are, and the row with the old item's id leads to them.

// Moved is the result of one step of the walk over the items.
type Moved struct {
	Items    int
	Moved    int
	Examples []string
	Next     Cursor
	Done     bool
}

// moveColumns are the columns that show whether an item has another identity.
var moveColumns = []string{"type", "normalizedSource", "sourceHost", "removeRequested"}

// Step walks over some items from a cursor, and moves those that have another identity under the given rules. If dry
// is true, Step only reports these items. A step may be repeated from the same cursor, also concurrently.
func (r *Moves) Step(ctx context.Context, rules source.Rules, from Cursor, dry bool) (Moved, error) {
	var m Moved
	w := itemWalk{Columns: moveColumns, Items: stepItems, Partitions: stepPartitions}
	at, err := r.s.OverItems(ctx, w, from, func(partition string, items []Item) error {
		touched := map[string]bool{}
		for i := range items {
			to, moves := renamed(&items[i], rules)
			if !moves {
				continue
			}
			example, err := r.moveOne(ctx, &items[i], to, dry)
			if err != nil {
				return err
			}
			m.Moved, m.Examples = m.Moved+1, append(m.Examples, example)
			touched[partition], touched[to.Partition(r.s.Options.Strategy)] = true, true
		}
		if dry {
			return nil
		}
		for _, partition := range slices.Sorted(maps.Keys(touched)) {
			if _, err := r.jobs.Refill(ctx, partition); err != nil {
				return err
			}
		}
		return nil
	})
	m.Items, m.Next, m.Done = at.Items, at.Next, at.Done
	return m, err
}

// moveOne moves an item of which only a few columns were read, and returns a description of the move.
func (r *Moves) moveOne(ctx context.Context, it *Item, to source.Source, dry bool) (example string, err error) {
	_, joins, err := r.items.Lookup(ctx, to)
	if err != nil {
		return "", err
	}
	what := " becomes "
	if joins {
		what = " joins "
	}
	if !dry {
		err = r.move(ctx, it.Key(), to)
	}
	return it.NormalizedSource + what + to.Normalized, err
}

func (r *Moves) move(ctx context.Context, key storage.Key, to source.Source) error {
	old, err := r.s.LoadItem(ctx, key)
	if err != nil || !old.exists() || old.MovedTo == to.ID() {
		return err
	}
	fresh, err := r.adopt(ctx, &old, to)
	if err != nil {
		return err
	}
	asOf := old.revision()
	if !fresh {
		asOf = "" // the copied state may be older than this revision
	}
	_, err = r.s.Index.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: indexKey(key.Row), Props: storage.Properties{"partition": key.Partition, "movedTo": string(to.ID())},
	}})
	if err != nil {
		return err
	}
	return r.retire(ctx, key, to, asOf)
}

// adopt makes sure that the new item exists and has a row with the id of the old one. It reports whether this was
// new, or was done by an earlier try.
func (r *Moves) adopt(ctx context.Context, old *Item, to source.Source) (fresh bool, err error) {
	key := storage.Key{Partition: to.Partition(r.s.Options.Strategy), Row: to.Hash()}
	former := storage.Entity{
		Key:   storage.Key{Partition: key.Partition, Row: formerRows(key.Row) + old.Hash()},
		Props: storage.Properties{"formerId": string(old.ID), "partition": old.Partition()},
	}
	id := hostID{Partition: key.Partition, Host: to.Host}
	err = r.s.ChangeHost(ctx, id, func(ctx context.Context, h *hostRecord) (*hostChange, error) {
		fresh = false
		it, err := r.s.LoadItem(ctx, key)
		if err != nil {
			return nil, err
		}
		if it.exists() {
			if _, err := r.s.Items.Get(ctx, former.Key); !fault.Is(err, fault.NotFound) {
				return nil, err // an earlier try has created the row
			}
		}
		if !it.exists() || it.MovedTo != "" { // after the host row is read; see dropPointers
			if err := r.s.Point(ctx, key.Partition, []string{key.Row}); err != nil {
				return nil, err
			}
		}
		now := r.s.Now()
		ops := append(adoptOps(now, old, &it, to, h), storage.Op{Kind: storage.Upsert, Entity: former})
		fresh = true
		return &hostChange{Ops: ops, Hint: policy.Later(now, it.NextCrawlAt)}, nil
	})
	return fresh, err
}

// adoptOps writes the new item and its due row.
func adoptOps(now time.Time, old, it *Item, to source.Source, host *hostRecord) []storage.Op {
	was, oldDue := tallyOf(it), it.NextCrawlAt
	if !it.exists() {
		*it, was = asSource(old, to, it.Key(), now), tally{}
	} else {
		join(it, old, now)
	}
	host.recount(was, tallyOf(it))
	return it.Write(oldDue, time.Time{})
}

// retire makes the old item due, so that a worker removes it from the index and then from the registry. If a check of
// the old item is pending, or if the item was changed by a check since its state was copied, the new item is checked
// instead.
func (r *Moves) retire(ctx context.Context, key storage.Key, to source.Source, asOf storage.ETag) error {
	return r.s.Retry(ctx, func(ctx context.Context) error {
		it, err := r.s.LoadItem(ctx, key)
		if err != nil || !it.exists() || it.RemoveRequested || it.MovedTo == to.ID() {
			return err
		}
		now, oldDue := r.s.Now(), it.NextCrawlAt
		if !oldDue.After(now) || it.Forced() || it.revision() != asOf {
			got := r.items.Register(ctx, []source.Source{to}, RegisterOptions{Force: it.Forced()})[0]
			if got.Err != nil {
				return got.Err
			}
		}
		it.MovedTo, it.NextCrawlAt = to.ID(), now
		it.Record(now, "moved", "is "+to.Normalized+" ("+string(to.ID())+") under the present rules for URLs")
		_, err = r.s.Hinted(ctx, key.Partition, now, it.Write(oldDue, time.Time{}))
		return asConflict(err)
	})
}

func formerRows(hash string) string { return formerPrefix + hash + "|" }

// Formers lists the ids of the items that have moved to an item, including those that moved in several steps. If
// there are none, it costs no request.
func (r *Moves) Formers(ctx context.Context, it *Item) (ids []source.ID, err error) {
	if it.Formers == 0 {
		return nil, nil
	}
	err = r.formers(ctx, it, func(e storage.Entity) {
		id, _ := e.Props["formerId"].(string)
		ids = append(ids, source.ID(id))
	})
	return ids, err
}

// formers visits the rows with the ids of the items that have moved to an item.
func (r *Moves) formers(ctx context.Context, it *Item, visit func(storage.Entity)) error {
	seen := map[string]bool{it.Hash(): true} // moves may form a cycle if rules were changed back
	for open := []storage.Key{it.Key()}; len(open) > 0; open = open[1:] {
		at := open[0]
		q := storage.Query{Partition: at.Partition, RowFrom: formerRows(at.Row),
			RowTo: formerPrefix + at.Row + afterBar}
		for e, err := range r.s.Items.Query(ctx, q) {
			if err != nil {
				return err
			}
			hash := e.Row[len(formerRows(at.Row)):]
			if seen[hash] {
				continue
			}
			seen[hash] = true
			visit(e)
			partition, _ := e.Props["partition"].(string)
			open = append(open, storage.Key{Partition: partition, Row: hash})
		}
	}
	return nil
}

// Drop removes the rows with the ids of former items when the item that they moved to is purged. Callers must delete
// the captures of the former items first.
func (r *Moves) Drop(ctx context.Context, it *Item) error {
	if it.Formers == 0 {
		return nil
	}
	var rows []storage.Key
	if err := r.formers(ctx, it, func(e storage.Entity) { rows = append(rows, e.Key) }); err != nil {
		return err
	}
	for _, key := range slices.Backward(rows) { // the farthest rows first: only the nearer rows lead to them
		if _, err := r.s.Items.Transact(ctx, dropRow(key)); ignoreLost(err) != nil {
			return err
		}
	}
	return nil
}
