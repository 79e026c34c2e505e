package registry

import (
	"fmt"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/storage"
)

// minuteLayout names a bucket of the due hints.
const minuteLayout = "2006-01-02T15:04Z"

const (
	duePrefix    = "due|"
	hostPrefix   = "host|"
	robotsPrefix = "robots|"
	aliasPrefix  = "alias|"
	formerPrefix = "former|"
	// afterBar closes the range of a prefix that ends in '|': the next character.
	afterBar = "}"
	// hintShards spreads the hints so that writes do not all fall on the newest partition.
	hintShards = 4
	// partitionsKey lists the partitions in the index table.
	partitionsKey = "partition"
)

// stamp is the resolution at which times are stored and compared.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func dueRow(at time.Time, hash string) string { return duePrefix + storage.FormatTime(at) + "|" + hash }

// parseDueRow splits a due row's key.
func parseDueRow(row string) (at time.Time, hash string, ok bool) {
	rest, found := strings.CutPrefix(row, duePrefix)
	if !found {
		return time.Time{}, "", false
	}
	text, hash, found := strings.Cut(rest, "|")
	at = storage.ParseTime(text)
	return at, hash, found && !at.IsZero()
}

func hostRow(host string) string { return hostPrefix + host }

func robotsRow(scheme, host string) string { return robotsPrefix + scheme + "|" + host }

func indexKey(hash string) storage.Key {
	return storage.Key{Partition: hash[:2], Row: hash}
}

func partitionKey(partition string) storage.Key {
	return storage.Key{Partition: partitionsKey, Row: partition}
}

// bucket is the minute at or after t: a hint is never early, so a sweep that follows it finds
// what it promised.
func bucket(t time.Time) time.Time {
	b := t.UTC().Truncate(time.Minute)
	if b.Before(t) {
		b = b.Add(time.Minute)
	}
	return b
}

func shardOf(partition string) int { return int(xxhash.Sum64String(partition) % hintShards) }

func hintKey(partition string, at time.Time) storage.Key {
	return storage.Key{
		Partition: fmt.Sprintf("%d|%s", shardOf(partition), bucket(at).Format(minuteLayout)),
		Row:       partition,
	}
}

// isItemRow tells items from the rows that stand beside them: a hash has none of '|'.
func isItemRow(row string) bool { return !strings.Contains(row, "|") }

func isHostRow(row string) bool { return strings.HasPrefix(row, hostPrefix) }
