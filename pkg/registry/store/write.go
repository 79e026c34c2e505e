package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Change is what is written together with a host's row.
type Change struct {
	Ops  []storage.Op
	Hint time.Time // for the first of the due rows among ops; zero for none
	// conflict, if any, is called when it was one of ops, and not the host's row, that somebody else wrote
	// first, before decide is asked anew.
	Conflict func()
}

// decideHost changes a host as it was read, and says what else is to be written.
type decideHost func(ctx context.Context, h *Host) (*Change, error)

// ChangeHost lets decide change a host's row and say what else to write with it, in one transaction, as
// the only one in this process and anew while somebody elsewhere writes first. Nothing is written if
// decide returns nil.
func (r *Store) ChangeHost(ctx context.Context, id HostID, decide decideHost) error {
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
			r.Sums.Publish(ctx, &h)
		}
		if i, lost := ConflictIndex(err); (!lost || i != 0) && err != nil && c.Conflict != nil {
			c.Conflict()
		}
		return AsConflict(err)
	})
}

// WriteEach writes the operations of several items of one partition in one transaction, after first.
// Items of which somebody else has changed a row meanwhile are left out; those that are written know
// their new revision. The revisions are those of first.
func (r *Store) WriteEach(ctx context.Context, hint time.Time, first []storage.Op, items []*item.Item,
	opsOf func(*item.Item) []storage.Op) ([]*item.Item, []storage.ETag, error) {
	for len(first)+len(items) > 0 {
		ops, owners := slices.Clone(first), make([]*item.Item, len(first))
		for _, it := range items {
			for _, op := range opsOf(it) {
				ops, owners = append(ops, op), append(owners, it)
			}
		}
		tags, err := r.Hinted(ctx, ops[0].Entity.Partition, hint, ops)
		if err == nil {
			for i, it := range owners {
				if it != nil && ops[i].Entity.Key == it.Key() {
					it.Written(tags[i])
				}
			}
			return items, tags[:len(first)], nil
		}
		i, lost := ConflictIndex(err)
		if !lost || owners[i] == nil {
			return nil, nil, err
		}
		items = without(items, owners[i])
	}
	return nil, nil, nil
}

// ConflictIndex tells which operation of a transaction lost a race.
func ConflictIndex(err error) (index int, lost bool) {
	op, ok := errors.AsType[*storage.OpError](err)
	if !ok || !fault.Lost(err) {
		return 0, false
	}
	return op.Index, true
}

// AsConflict treats a row that vanished like one that changed: what was read is out of date.
func AsConflict(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Conflict, "%w", err)
	}
	return err
}

// IgnoreLost is for a delete of something that somebody else deleted or rewrote.
func IgnoreLost(err error) error {
	if fault.Lost(err) {
		return nil
	}
	return err
}

func without[T comparable](list []T, x T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return v == x })
}
