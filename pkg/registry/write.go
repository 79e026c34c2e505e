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
				if it != nil && ops[i].Entity.Key == it.key {
					it.etag = tags[i]
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

// write stores an item that was due at a time, and moves its due row to where it is due now. enqueued is
// until when a job has it; zero for none.
func (it *Item) write(oldDue, enqueued time.Time) []storage.Op {
	kind, created := storage.Replace, it.etag == ""
	if created {
		kind = storage.Insert
	}
	ops, moved := []storage.Op{{Kind: kind, Entity: it.entity()}}, !it.NextCrawlAt.Equal(oldDue)
	if !created && moved {
		ops = append(ops, deleteDue(it.key, oldDue))
	}
	if created || moved || !enqueued.IsZero() {
		ops = append(ops, upsertDue(it, it.NextCrawlAt, enqueued))
	}
	return ops
}

// merge changes some columns of an item as it was read.
func (it *Item) merge(props storage.Properties) storage.Op {
	return storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: it.key, ETag: it.etag, Props: props}}
}

// expediteOps moves an item as it was read, and its due row, to an earlier time.
func expediteOps(it *Item, at time.Time, props storage.Properties) []storage.Op {
	props["nextCrawlAt"] = storage.FormatTime(at)
	return []storage.Op{it.merge(props), deleteDue(it.key, it.NextCrawlAt), upsertDue(it, at, time.Time{})}
}

// dueKey is where an item's due row is.
func dueKey(item storage.Key, at time.Time) storage.Key {
	return storage.Key{Partition: item.Partition, Row: dueRow(at, item.Row)}
}

// deleteDue removes an item's due row. The item's own ETag guards it: only who holds the item moves its
// due row.
func deleteDue(item storage.Key, at time.Time) storage.Op { return dropRow(dueKey(item, at)) }

// dropRow deletes a row, whatever its revision.
func dropRow(key storage.Key) storage.Op {
	return storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: key, ETag: storage.AnyETag}}
}

// upsertDue writes an item's due row, which carries what a job needs, so that a claim reads no items.
func upsertDue(it *Item, at, enqueued time.Time) storage.Op {
	props := storage.Properties{
		"id": string(it.ID), "host": it.SourceHost, "enqueuedUntil": storage.FormatTime(enqueued),
	}
	if level := it.Level; level != "" {
		props["priority"] = int64(level[0] - '0')
	}
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: dueKey(it.key, at), Props: props}}
}

// claimDueRow notes until when a job has a due row, as it was read.
func claimDueRow(key storage.Key, read storage.ETag, until time.Time) storage.Op {
	return storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: key, ETag: read, Props: storage.Properties{"enqueuedUntil": storage.FormatTime(until)},
	}}
}
