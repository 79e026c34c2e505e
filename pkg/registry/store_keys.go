package registry

import (
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/storage"
)

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
