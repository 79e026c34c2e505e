package registry

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// hostChange is what to write in one transaction together with a host row.
type hostChange struct {
	Ops  []storage.Op
	Hint time.Time // time of the hint for the first due row among ops; if zero, no hint is written
	// Conflict, if set, is called when another writer has changed a row of ops but not the host row. It is called
	// before the change is decided again.
	Conflict func()
}

// decideHost changes a host that was read, and returns what to write together with the host row.
type decideHost func(ctx context.Context, h *hostRecord) (*hostChange, error)

// ChangeHost calls the given function to change a host row, and writes the row and the returned change in one
// transaction. It holds the lock of the host in this process, and calls the function again whenever another process
// was quicker to write. If the function returns nil, nothing is written.
func (r *rowStore) ChangeHost(ctx context.Context, id hostID, decide decideHost) error {
	return r.OnHost(ctx, id.Partition, id.Host, func(ctx context.Context) error {
		h, err := r.LoadHost(ctx, id.Partition, id.Host)
		if err != nil {
			return err
		}
		c, err := decide(ctx, &h)
		if err != nil || c == nil {
			return err
		}
		told, err := r.Sums.pointPartition(ctx, &h)
		if err != nil {
			return err
		}
		_, err = r.Hinted(ctx, id.Partition, c.Hint, append([]storage.Op{h.Op()}, c.Ops...))
		if err == nil && !told {
			r.Sums.publish(ctx, &h)
		}
		if i, lost := conflictIndex(err); (!lost || i != 0) && err != nil && c.Conflict != nil {
			c.Conflict()
		}
		return asConflict(err)
	})
}

// WriteEach writes the operations of several items of one partition in one transaction. Some other operations come
// first in that transaction. WriteEach drops an item if another writer has changed one of the item's rows since. The
// written items get their new revision. The returned revisions are those of the rows of the first operations.
func (r *rowStore) WriteEach(ctx context.Context, hint time.Time, first []storage.Op, items []*Item,
	opsOf func(*Item) []storage.Op) ([]*Item, []storage.ETag, error) {
	for len(first)+len(items) > 0 {
		ops, owners := slices.Clone(first), make([]*Item, len(first))
		for _, it := range items {
			for _, op := range opsOf(it) {
				ops, owners = append(ops, op), append(owners, it)
			}
		}
		tags, err := r.Hinted(ctx, ops[0].Entity.Partition, hint, ops)
		if err == nil {
			for i, it := range owners {
				if it != nil && ops[i].Entity.Key == it.Key() {
					it.written(tags[i])
				}
			}
			return items, tags[:len(first)], nil
		}
		i, lost := conflictIndex(err)
		if !lost || owners[i] == nil {
			return nil, nil, err
		}
		items = slices.DeleteFunc(slices.Clone(items), func(it *Item) bool { return it == owners[i] })
	}
	return nil, nil, nil
}

// conflictIndex returns the index of the operation whose conflict made a transaction fail.
func conflictIndex(err error) (index int, lost bool) {
	op, ok := errors.AsType[*storage.OpError](err)
	if !ok || !fault.Lost(err) {
		return 0, false
	}
	return op.Index, true
}

// asConflict turns NotFound into Conflict. Like a changed row, a row that vanished means that what was read is out of
// date.
func asConflict(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Conflict, "%w", err)
	}
	return err
}

// ignoreLost drops the error of a delete if the row was already deleted or rewritten.
func ignoreLost(err error) error { return fault.Except(err, fault.Conflict, fault.NotFound) }
