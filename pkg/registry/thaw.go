package registry

import (
	"maps"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// Thaw prepares a row of the items table for another store, where the jobs and workers that the row refers to do not
// exist. It clears the lock of an item, the leases and claims of a host, and the claim of a due row, and keeps
// everything else. Thawing a row twice gives the same row. The argument e is not changed.
//
// For a due row, Thaw also returns the row of the hints table by which a sweep finds the due row as soon as it is
// due. The first due row of a partition is the earliest one, so its hint is sufficient for the whole partition.
// Callers must write the hint before the due row.
func Thaw(e storage.Entity) (thawed storage.Entity, hint storage.Entity, hinted bool) {
	props := maps.Clone(e.Props)
	at, _, due := parseDueRow(e.Row)
	switch {
	case due:
		props["enqueuedUntil"] = ""
		// The minute of the hint begins at or before the due time. HintKey rounds up, so a minute is subtracted
		// first.
		hint = storage.Entity{
			Key:   hintKey(e.Partition, at.Add(-time.Minute)),
			Props: storage.Properties{"writtenAt": ""}, // the hint counts as very old, so that a sweep may delete it
		}
	case isItemRow(e.Row):
		delete(props, "lockedUntil")
		delete(props, "lockOwner")
	case strings.HasPrefix(e.Row, hostPrefix):
		delete(props, "leases")
		delete(props, "claimedUntil")
	}
	return storage.Entity{Key: e.Key, Props: props}, hint, due
}
