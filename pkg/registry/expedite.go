package registry

import (
	"context"
	"slices"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// The next check of a Gone item is at the time when the item may be purged, so finding items to purge needs no scan.
// But items that became Gone before CRAWL_PURGE_GONE_DAYS was set or lowered have their next check later, perhaps
// much later. ExpeditePurge brings these checks forward. After each change of the setting, it walks once over the
// partitions that have Gone items, in bounded pieces and with a cursor.

// purgeRows limits the number of rows that one call reads: the examined partitions plus the items.
const purgeRows = 20_000

var purgeKey = storage.Key{Partition: "cursor", Row: "purge"}

// purgeCursor is the cursor of the walk.
type purgeCursor struct {
	Seconds   int64  `col:"keepSeconds"` // the value of the setting for which this walk is made
	Done      bool   `col:"done"`
	Partition string `col:"inPartition"` // the next call continues at Row in this partition
	Row       string `col:"fromRow"`
}

var purgeCursors = row.Of[purgeCursor]()

// ExpeditePurge brings forward the next check of each Gone item whose tombstone expires before that check. Tombstones
// expire after the duration keep; if it is 0, they never expire. A call reads at most 20,000 rows, and the next call
// continues where it ended. When there is nothing to do, a call reads one row. ExpeditePurge returns the number of
// items that are now due earlier.
func (r *Items) ExpeditePurge(ctx context.Context, keep time.Duration) (moved int, err error) {
	s, _, err := purgeCursors.Load(ctx, r.s.Index, purgeKey)
	if err != nil {
		return 0, err
	}
	if seconds := int64(keep / time.Second); s.Seconds != seconds {
		s = purgeCursor{Seconds: seconds, Done: seconds == 0}
	} else if s.Done || seconds == 0 {
		return 0, nil
	}
	if !s.Done {
		if moved, err = r.expeditePurge(ctx, &s, keep, purgeRows); err != nil {
			return moved, err // items moved so far stay moved, and the next call starts at the same cursor
		}
	}
	_, err = r.s.Index.Transact(ctx, storage.Op{
		Kind: storage.Upsert, Entity: storage.Entity{Key: purgeKey, Props: purgeCursors.Encode(&s)},
	})
	return moved, err
}

// purgePiece is the number of items of a partition that are read at a time.
const purgePiece = 1000

// expeditePurge continues from the cursor until the walk ends or the given number of rows was read.
func (r *Items) expeditePurge(ctx context.Context, s *purgeCursor, keep time.Duration,
	rows int) (moved int, err error) {
	for rows > 0 && !s.Done {
		w := itemWalk{
			Columns: []string{"id", "sourceHost", "goneSince", "nextCrawlAt", "lockedUntil"},
			Items:   min(rows, purgePiece), Partitions: rows, Skip: r.nothingGone,
		}
		from := Cursor{Partition: s.Partition, Row: s.Row}
		at, err := r.s.OverItems(ctx, w, from, func(_ string, items []Item) error {
			n, err := r.purgeEarlier(ctx, items, keep)
			moved += n
			return err
		})
		if err != nil {
			return moved, err
		}
		rows -= at.Read + at.Partitions
		s.Partition, s.Row, s.Done = at.Next.Partition, at.Next.Row, at.Done
	}
	return moved, nil
}

// nothingGone reports whether the host counters of a partition count no Gone items.
func (r *Items) nothingGone(ctx context.Context, partition string) (bool, error) {
	for h, err := range r.s.HostsOf(ctx, partition, "counts") {
		if err != nil || h.Counts[Gone] > 0 {
			return false, err
		}
	}
	return true, nil
}

// purgeEarlier brings forward those items of a partition whose next check comes after their tombstone expires. It
// skips a locked item, because the commit of that item sets the next check. It also skips an item that another writer
// changes in the meantime.
func (r *Items) purgeEarlier(ctx context.Context, items []Item, keep time.Duration) (moved int, err error) {
	now := r.s.Now()
	due := func(it *Item) time.Time { return policy.Stamp(policy.Later(it.GoneSince.Add(keep), now)) }
	var late []*Item
	var first time.Time
	for i := range items {
		it := &items[i]
		if !it.GoneSince.IsZero() && it.NextCrawlAt.After(due(it)) && !it.LockedUntil.After(now) {
			late, first = append(late, it), policy.Earlier(first, due(it))
		}
	}
	for chunk := range slices.Chunk(late, policy.JobItems) {
		written, _, err := r.s.WriteEach(ctx, first, nil, chunk, func(it *Item) []storage.Op {
			return expediteItem(it, due(it), storage.Properties{})
		})
		if moved += len(written); err != nil {
			return moved, err
		}
	}
	return moved, nil
}
