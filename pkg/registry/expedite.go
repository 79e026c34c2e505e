package registry

import (
	"context"
	"slices"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/registry/store"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// A Gone item is due at the time when it may be purged, so purging needs no scan. Items that became Gone before
// CRAWL_PURGE_GONE_DAYS was set or lowered are due at their next rare check instead, which may be far away.
// ExpeditePurge brings these checks forward. After each change of the setting it walks once, with a cursor and in
// bounded pieces, over the partitions that have Gone items.

// purgeRows is how many rows one call reads at most: the examined partitions plus the items.
const purgeRows = 20_000

var purgeKey = storage.Key{Partition: "cursor", Row: "purge"}

// purgeCursor is the cursor of the walk.
type purgeCursor struct {
	Seconds   int64  `col:"keepSeconds"` // the value of the setting that the walk applies
	Done      bool   `col:"done"`
	Partition string `col:"inPartition"` // where the next call continues: at Row in this partition
	Row       string `col:"fromRow"`
}

var purgeCursors = row.Of[purgeCursor]()

// ExpeditePurge brings forward the next check of each Gone item whose tombstone expires before that check. keep is
// how long tombstones are kept; 0 keeps them for ever. A call reads at most 20,000 rows, and the next call continues
// where it ended. When there is nothing to do, a call reads one row. moved is how many items are now due earlier.
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
			return moved, err // items moved so far stay moved; the next call starts at the same cursor
		}
	}
	_, err = r.s.Index.Transact(ctx, storage.Op{
		Kind: storage.Upsert, Entity: storage.Entity{Key: purgeKey, Props: purgeCursors.Encode(&s)},
	})
	return moved, err
}

// purgePiece is how many items of a partition are read at a time.
const purgePiece = 1000

// expeditePurge continues from the cursor until the walk ends or the given number of rows was read.
func (r *Items) expeditePurge(ctx context.Context, s *purgeCursor, keep time.Duration,
	rows int) (moved int, err error) {
	for rows > 0 && !s.Done {
		w := store.ItemWalk{
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
// changes meanwhile.
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
	for chunk := range slices.Chunk(late, JobItems) {
		written, _, err := r.s.WriteEach(ctx, first, nil, chunk, func(it *Item) []storage.Op {
			return item.Expedite(it, due(it), storage.Properties{})
		})
		if moved += len(written); err != nil {
			return moved, err
		}
	}
	return moved, nil
}
