package registry

import (
	"fmt"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/storage"
)

// minuteLayout names a bucket of the due hints.
const minuteLayout = "2006-01-02T15:04Z"

const (
	robotsPrefix = "robots|"
	aliasPrefix  = "alias|"
	formerPrefix = "former|"
	// hintShards spreads the hints so that writes do not all fall on the newest partition.
	hintShards = 4
	// partitionsKey lists the partitions in the index table.
	partitionsKey = "partition"
)

func robotsRow(scheme, host string) string { return robotsPrefix + scheme + "|" + host }

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

func isHostRow(row string) bool { return strings.HasPrefix(row, item.HostPrefix) }
