package registry

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// duePrefix is the prefix of the keys of due rows. HostPrefix is the prefix of the keys of host rows.
	duePrefix  = "due|"
	hostPrefix = "host|"
	// The prefixes of the keys of rows of other kinds.
	aliasPrefix  = "alias|"
	formerPrefix = "former|"
	robotsPrefix = "robots|"
	// afterBar is the character that sorts directly after '|'. A prefix whose final '|' is replaced by AfterBar is
	// the end of the prefix's key range.
	afterBar = "}"
)

// otherPrefixes are the prefixes of all rows of the items table that are no items.
var otherPrefixes = []string{aliasPrefix, duePrefix, formerPrefix, hostPrefix, robotsPrefix}

// dueRow returns the RowKey of the due row of an item that is due at a time.
func dueRow(at time.Time, hash string) string { return duePrefix + storage.FormatTime(at) + "|" + hash }

// parseDueRow splits the RowKey of a due row into its time and hash.
func parseDueRow(row string) (at time.Time, hash string, ok bool) {
	rest, found := strings.CutPrefix(row, duePrefix)
	if !found {
		return time.Time{}, "", false
	}
	text, hash, found := strings.Cut(rest, "|")
	at = storage.ParseTime(text)
	return at, hash, found && !at.IsZero()
}

// indexKey returns the key of the index row that leads to an item.
func indexKey(hash string) storage.Key {
	return storage.Key{Partition: hash[:2], Row: hash}
}

// isItemRow reports whether a row of the items table is an item. Only the RowKeys of items contain no '|'.
func isItemRow(row string) bool { return !strings.Contains(row, "|") }

// hostRow returns the RowKey of a host's row.
func hostRow(host string) string { return hostPrefix + host }

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

// minuteLayout is the format of the minute in the keys of due hints.
const minuteLayout = "2006-01-02T15:04Z"

const (
	// hintShards is the number of shards over which hints are spread, so that writes do not all go to the newest
	// partition.
	hintShards = 4
	// partitionsKey is the partition of the index table that lists all partitions of items.
	partitionsKey = "partition"
)

func partitionKey(partition string) storage.Key {
	return storage.Key{Partition: partitionsKey, Row: partition}
}

// bucket returns the first minute that does not begin before t. So a hint is never early: a sweep that follows it
// finds the rows for which it was written.
func bucket(t time.Time) time.Time {
	b := t.UTC().Truncate(time.Minute)
	if b.Before(t) {
		b = b.Add(time.Minute)
	}
	return b
}

func shardOf(partition string) int {
	return int(xxhash.Sum64String(partition) % hintShards)
}

// hintKey returns the key of the hint for due rows of a partition that are due at the given time or later.
func hintKey(partition string, at time.Time) storage.Key {
	return storage.Key{
		Partition: fmt.Sprintf("%d|%s", shardOf(partition), bucket(at).Format(minuteLayout)),
		Row:       partition,
	}
}
