package registry

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// change is what is written together with a host's row.
type change struct {
	ops  []storage.Op
	hint time.Time // for the first of the due rows among ops; zero for none
	// conflict, if any, is called when it was one of ops, and not the host's row, that somebody else wrote
	// first, before decide is asked anew.
	conflict func()
}

// decideHost changes a host as it was read, and says what else is to be written.
type decideHost func(ctx context.Context, h *hostEntry) (*change, error)

// changeHost lets decide change a host's row and say what else to write with it, in one transaction, as
// the only one in this process and anew while somebody elsewhere writes first. Nothing is written if
// decide returns nil.
func (r *store) changeHost(ctx context.Context, id hostID, decide decideHost) error {
	return r.onHost(ctx, id.partition, id.host, func(ctx context.Context) error {
		h, err := r.loadHost(ctx, id.partition, id.host)
		if err != nil {
			return err
		}
		c, err := decide(ctx, &h)
		if err != nil || c == nil {
			return err
		}
		told, err := r.sums.pointPartition(ctx, &h)
		if err != nil {
			return err
		}
		_, err = r.hinted(ctx, id.partition, c.hint, append([]storage.Op{h.op()}, c.ops...))
		if err == nil && !told {
			r.sums.publish(ctx, &h)
		}
		if i, lost := conflictIndex(err); (!lost || i != 0) && err != nil && c.conflict != nil {
			c.conflict()
		}
		return asConflict(err)
	})
}

// writeEach writes the operations of several items of one partition in one transaction, after first.
// Items of which somebody else has changed a row meanwhile are left out; those that are written know
// their new revision. The revisions are those of first.
func (r *store) writeEach(ctx context.Context, hint time.Time, first []storage.Op, items []*Item,
	opsOf func(*Item) []storage.Op) ([]*Item, []storage.ETag, error) {
	for len(first)+len(items) > 0 {
		ops, owners := slices.Clone(first), make([]*Item, len(first))
		for _, it := range items {
			for _, op := range opsOf(it) {
				ops, owners = append(ops, op), append(owners, it)
			}
		}
		tags, err := r.hinted(ctx, ops[0].Entity.Partition, hint, ops)
		if err == nil {
			for i, it := range owners {
				if it != nil && ops[i].Entity.Key == it.Key() {
					it.Written(tags[i])
				}
			}
			return items, tags[:len(first)], nil
		}
		i, lost := conflictIndex(err)
		if !lost || owners[i] == nil {
			return nil, nil, err
		}
		items = without(items, owners[i])
	}
	return nil, nil, nil
}

// conflictIndex tells which operation of a transaction lost a race.
func conflictIndex(err error) (index int, lost bool) {
	op, ok := errors.AsType[*storage.OpError](err)
	if !ok || !fault.Lost(err) {
		return 0, false
	}
	return op.Index, true
}

// asConflict treats a row that vanished like one that changed: what was read is out of date.
func asConflict(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Conflict, "%w", err)
	}
	return err
}

// ignoreLost is for a delete of something that somebody else deleted or rewrote.
func ignoreLost(err error) error {
	if fault.Lost(err) {
		return nil
	}
	return err
}

func without[T comparable](list []T, x T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return v == x })
}
