package registry

import (
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// JobTTL is how long a job may take to arrive after it was sent. After that time a sweep sends another job.
const JobTTL = 10 * time.Minute

// held claims the due row of an item that is locked now, until the item is certainly available again. So if the
// worker dies, a sweep finds the row. Held writes the whole row, which repairs a store that has lost it. An item's
// row and its due row change in the same transactions, so the item's revision protects both.
func held(it *Item, now time.Time) storage.Op {
	return upsertDue(it, it.NextCrawlAt, now.Add(HeldTime))
}

// expediteItem moves an item and its due row to an earlier time. The item must still have the revision that was read.
func expediteItem(it *Item, at time.Time, props storage.Properties) []storage.Op {
	props["nextCrawlAt"] = storage.FormatTime(at)
	return []storage.Op{it.merge(props), deleteDue(it.key, it.NextCrawlAt), upsertDue(it, at, time.Time{})}
}

// dueKey returns the key of the due row of an item that is due at a time.
func dueKey(item storage.Key, at time.Time) storage.Key {
	return storage.Key{Partition: item.Partition, Row: dueRow(at, item.Row)}
}

// deleteDue removes an item's due row. The deletion needs no ETag of its own: a due row moves only in a transaction
// that also writes its item, and the item's ETag is checked there.
func deleteDue(item storage.Key, at time.Time) storage.Op { return dropRow(dueKey(item, at)) }

// dropRow deletes a row, whatever its revision is.
func dropRow(key storage.Key) storage.Op {
	return storage.DeleteOp(key, storage.AnyETag)
}

// upsertDue writes an item's due row. The row contains everything that a job needs, so claiming it requires no read
// of the item.
func upsertDue(it *Item, at, enqueued time.Time) storage.Op {
	props := storage.Properties{
		"id": string(it.ID), "host": it.SourceHost, "enqueuedUntil": storage.FormatTime(enqueued),
	}
	if level := it.Level; level != "" {
		props["priority"] = int64(level[0] - '0')
	}
	if it.failsUnreached() {
		props["unreached"] = storage.FormatTime(it.UnreachedSince)
	}
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: dueKey(it.key, at), Props: props}}
}

// claimDue records in a due row that a job has the row until the given time. The row must still have the revision
// that was read.
func claimDue(key storage.Key, read storage.ETag, until time.Time) storage.Op {
	return storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: key, ETag: read, Props: storage.Properties{"enqueuedUntil": storage.FormatTime(until)},
	}}
}

// setEnqueued records in an item's due row that a job has that row until the given time. It writes the row whatever
// the row's revision is, because the column is only advice for sweeps, and a due row that has moved no longer exists
// under this key.
func setEnqueued(it *Item, until time.Time) storage.Op {
	return claimDue(dueKey(it.key, it.NextCrawlAt), storage.AnyETag, until)
}

// enqueuedUntil returns the time until which a job has a due row.
func enqueuedUntil(due storage.Entity) time.Time {
	text, _ := due.Props["enqueuedUntil"].(string)
	return storage.ParseTime(text)
}

// unbegunSince returns when a due row was claimed for a job that has not begun. It returns false for any other row,
// such as one whose job has begun, which claims it again until the end of the lock.
func unbegunSince(due storage.Entity, now time.Time) (claimed time.Time, ok bool) {
	until := enqueuedUntil(due)
	return until.Add(-JobTTL), until.After(now.Add(HeldTime))
}

// parkedUntil returns the time until which due rows are parked while their host is unavailable. This is the given
// time at which the host becomes available, but at most JobTTL from now. So wherever a due row moves, the partition
// has a hint before the row's new time (invariant 2).
func parkedUntil(now, until time.Time) time.Time {
	if limit := now.Add(JobTTL); until.After(limit) {
		return limit
	}
	return until
}

// rowVersion is the version of the rows that this program writes.
const rowVersion = 1

var itemRows = row.Of[Item]()

// newItem returns the item for a source that is registered now. The item is due at once.
func newItem(s source.Source, key storage.Key, now time.Time) Item {
	return Item{
		Identity: Identity{
			Version: rowVersion, ID: s.ID(), Type: s.Type, NormalizedSource: s.Normalized, DisplaySource: s.Display,
			SourceHost: s.Host, ContentGroupID: s.ContentGroupID(), FirstSeen: now,
		},
		Seen: Seen{Status: Pending, HTTPRobotsAllowed: true},
		Plan: Plan{NextCrawlAt: now},
		key:  key,
	}
}

// itemOf reads an item from its row.
func itemOf(e storage.Entity) Item {
	it, _ := itemRows.Decode(e.Props) // a damaged column counts as empty, so that the item can still be checked
	it.key, it.etag = e.Key, e.ETag
	return it
}

func (it *Item) entity() storage.Entity {
	return storage.Entity{Key: it.key, ETag: it.etag, Props: itemRows.Encode(it)}
}

// Write stores an item and moves its due row from the time oldDue to the item's new time. The argument enqueued is
// the time until which a job has the due row; it is zero if no job has the row.
func (it *Item) Write(oldDue, enqueued time.Time) []storage.Op {
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

// merge changes some columns of an item. The item must still have the revision that was read.
func (it *Item) merge(props storage.Properties) storage.Op {
	return storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: it.key, ETag: it.etag, Props: props}}
}

// Replace overwrites the row from which the item was read.
func (it *Item) Replace() storage.Op { return storage.Op{Kind: storage.Replace, Entity: it.entity()} }

// Delete removes the row from which the item was read.
func (it *Item) Delete() storage.Op {
	return storage.DeleteOp(it.key, it.etag)
}
