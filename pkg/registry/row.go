package registry

import (
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

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
