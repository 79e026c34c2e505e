package registry

import (
	"maps"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/registry/store"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Thaw makes a row of the items table fit for another store, where none of the jobs and workers
// are that it speaks of: the lock of an item, the leases and the claims of a host and the claim
// of a due row are gone from it, all else stays. Thawing twice is thawing once. e is not changed.
//
// For a due row it also gives the row of the hints table by which a sweep finds it as soon as it
// is due. The first due row of a partition is the earliest, so its hint serves the whole
// partition. The hint must be written before the due row is.
func Thaw(e storage.Entity) (thawed storage.Entity, hint storage.Entity, hinted bool) {
	props := maps.Clone(e.Props)
	at, _, due := item.ParseDueRow(e.Row)
	switch {
	case due:
		props["enqueuedUntil"] = ""
		// The minute that begins at or before the due time: a hint is rounded up.
		hint = storage.Entity{
			Key:   store.HintKey(e.Partition, at.Add(-time.Minute)),
			Props: storage.Properties{"writtenAt": ""}, // as old as can be, so a sweep may drop it
		}
	case item.IsItemRow(e.Row):
		delete(props, "lockedUntil")
		delete(props, "lockOwner")
	case strings.HasPrefix(e.Row, item.HostPrefix):
		delete(props, "leases")
		delete(props, "claimedUntil")
	}
	return storage.Entity{Key: e.Key, Props: props}, hint, due
}
