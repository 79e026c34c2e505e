package item

import (
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// JobTTL is how long a sent job may take to arrive; after it the sweep sends another.
const JobTTL = 10 * time.Minute

// Expedite moves an item as it was read, and its due row, to an earlier time.
func Expedite(it *Item, at time.Time, props storage.Properties) []storage.Op {
	props["nextCrawlAt"] = storage.FormatTime(at)
	return []storage.Op{it.Merge(props), DeleteDue(it.key, it.NextCrawlAt), UpsertDue(it, at, time.Time{})}
}

// DueKey is where an item's due row is.
func DueKey(item storage.Key, at time.Time) storage.Key {
	return storage.Key{Partition: item.Partition, Row: DueRow(at, item.Row)}
}

// DeleteDue removes an item's due row. The item's own ETag guards it: only who holds the item moves its
// due row.
func DeleteDue(item storage.Key, at time.Time) storage.Op { return DropRow(DueKey(item, at)) }

// DropRow deletes a row, whatever its revision.
func DropRow(key storage.Key) storage.Op {
	return storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: key, ETag: storage.AnyETag}}
}

// UpsertDue writes an item's due row, which carries what a job needs, so that a claim reads no items.
func UpsertDue(it *Item, at, enqueued time.Time) storage.Op {
	props := storage.Properties{
		"id": string(it.ID), "host": it.SourceHost, "enqueuedUntil": storage.FormatTime(enqueued),
	}
	if level := it.Level; level != "" {
		props["priority"] = int64(level[0] - '0')
	}
	return storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: DueKey(it.key, at), Props: props}}
}

// ClaimDue notes until when a job has a due row, as it was read.
func ClaimDue(key storage.Key, read storage.ETag, until time.Time) storage.Op {
	return storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: key, ETag: read, Props: storage.Properties{"enqueuedUntil": storage.FormatTime(until)},
	}}
}

// SetEnqueued rewrites until when an item's due row is in other hands. The row may be written
// blindly: the column is advice to sweeps, and a row that moved is not there any more.
func SetEnqueued(it *Item, until time.Time) storage.Op {
	return ClaimDue(DueKey(it.key, it.NextCrawlAt), storage.AnyETag, until)
}

// EnqueuedUntil is until when a due row is in the hands of a job.
func EnqueuedUntil(due storage.Entity) time.Time {
	text, _ := due.Props["enqueuedUntil"].(string)
	return storage.ParseTime(text)
}

// ParkedUntil is until when due rows are left alone for a host that is not available until a time.
// It is never later than JobTTL from now: so whatever moves a due row, the partition
// has a hint before the row's new place (invariant 2).
func ParkedUntil(now, until time.Time) time.Time {
	if limit := now.Add(JobTTL); until.After(limit) {
		return limit
	}
	return until
}
