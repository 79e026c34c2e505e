package store

import (
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/storage"
)

// minuteLayout names a bucket of the due hints.
const minuteLayout = "2006-01-02T15:04Z"

const (
	// hintShards spreads the hints so that writes do not all fall on the newest partition.
	hintShards = 4
	// partitionsKey lists the partitions in the index table.
	partitionsKey = "partition"
)

func partitionKey(partition string) storage.Key {
	return storage.Key{Partition: partitionsKey, Row: partition}
}

// bucket is the minute at or after t. A hint is never early, so a sweep that follows it finds the rows that it
// announces.
func bucket(t time.Time) time.Time {
	b := t.UTC().Truncate(time.Minute)
	if b.Before(t) {
		b = b.Add(time.Minute)
	}
	return b
}

func shardOf(partition string) int { return int(xxhash.Sum64String(partition) % hintShards) }

// HintKey is the key of the hint for due rows of a partition at a time or later.
func HintKey(partition string, at time.Time) storage.Key {
	return storage.Key{
		Partition: fmt.Sprintf("%d|%s", shardOf(partition), bucket(at).Format(minuteLayout)),
		Row:       partition,
	}
}
