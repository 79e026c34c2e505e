package registry

import (
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// JobTTL is how long a job may take to arrive after it was sent. After that time a sweep sends another job.
const JobTTL = 10 * time.Minute

// Held claims the due row of an item that is locked now, until the item is certainly available again. So if the
// worker dies, a sweep finds the row. Held writes the whole row, which repairs a store that has lost it. An item's
// row and its due row change in the same transactions, so the item's revision protects both.
func Held(it *Item, now time.Time) storage.Op {
	return UpsertDue(it, it.NextCrawlAt, now.Add(HeldTime))
}

// Expedite moves an item and its due row to an earlier time. The item must still have the revision that was read.
func Expedite(it *Item, at time.Time, props storage.Properties) []storage.Op {
	props["nextCrawlAt"] = storage.FormatTime(at)
	return []storage.Op{it.Merge(props), DeleteDue(it.key, it.NextCrawlAt), UpsertDue(it, at, time.Time{})}
}

// DueKey returns the key of the due row of an item that is due at a time.
func DueKey(item storage.Key, at time.Time) storage.Key {
	return storage.Key{Partition: item.Partition, Row: DueRow(at, item.Row)}
}

// DeleteDue removes an item's due row. The deletion needs no ETag of its own: a due row moves only in a transaction
// that also writes its item, and the item's ETag is checked there.
func DeleteDue(item storage.Key, at time.Time) storage.Op { return DropRow(DueKey(item, at)) }

// DropRow deletes a row, whatever its revision is.
func DropRow(key storage.Key) storage.Op {
	return storage.DeleteOp(key, storage.AnyETag)
}

// UpsertDue writes an item's due row. The row contains everything that a job needs, so claiming it requires no read
// of the item.
func UpsertDue(it *Item, at, enqueued time.Time) storage.Op {
	props := storage.Properties{
		"id": string(it.ID), "host": it.SourceHost, "enqueuedUntil": storage.FormatTime(enqueued),
	}
	if level := it.Level; level != "" {
		props["priority"] = int64(level[0] - '0')
	}
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: DueKey(it.key, at), Props: props}}
}

// ClaimDue records in a due row that a job has the row until the given time. The row must still have the revision
// that was read.
func ClaimDue(key storage.Key, read storage.ETag, until time.Time) storage.Op {
	return storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: key, ETag: read, Props: storage.Properties{"enqueuedUntil": storage.FormatTime(until)},
	}}
}

// SetEnqueued records in an item's due row that a job has that row until the given time. It writes the row whatever
// the row's revision is, because the column is only advice for sweeps, and a due row that has moved no longer exists
// under this key.
func SetEnqueued(it *Item, until time.Time) storage.Op {
	return ClaimDue(DueKey(it.key, it.NextCrawlAt), storage.AnyETag, until)
}

// EnqueuedUntil returns the time until which a job has a due row.
func EnqueuedUntil(due storage.Entity) time.Time {
	text, _ := due.Props["enqueuedUntil"].(string)
	return storage.ParseTime(text)
}

// UnbegunSince returns when a due row was claimed for a job that has not begun. It returns false for any other row,
// such as one whose job has begun, which claims it again until the end of the lock.
func UnbegunSince(due storage.Entity, now time.Time) (claimed time.Time, ok bool) {
	until := EnqueuedUntil(due)
	return until.Add(-JobTTL), until.After(now.Add(HeldTime))
}

// ParkedUntil returns the time until which due rows are parked while their host is unavailable. This is the given
// time at which the host becomes available, but at most JobTTL from now. So wherever a due row moves, the partition
// has a hint before the row's new time (invariant 2).
func ParkedUntil(now, until time.Time) time.Time {
	if limit := now.Add(JobTTL); until.After(limit) {
		return limit
	}
	return until
}
