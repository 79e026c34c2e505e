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

// An item that becomes Gone is due when it is to be purged, so purging needs no scan. Those that
// were Gone before CRAWL_PURGE_GONE_DAYS was set or lowered are due at their next rare check,
// which may be far away. ExpeditePurge brings them forward: after each change of the setting it walks
// once through the partitions that have Gone items, a bounded piece at a time, with a cursor.

// purgeRows bounds one call: partitions looked at and items read.
const purgeRows = 20_000

var purgeKey = storage.Key{Partition: "cursor", Row: "purge"}

// purgeCursor is how far the walk has come.
type purgeCursor struct {
	Seconds   int64  `col:"keepSeconds"` // the setting that the walk is for
	Done      bool   `col:"done"`
	Partition string `col:"inPartition"` // to go on in, from Row on
	Row       string `col:"fromRow"`
}

var purgeCursors = row.Of[purgeCursor]()

// ExpeditePurge brings items forward that are Gone for so long already, or will be before their next
// check, that they are to be purged earlier. keep is how long tombstones are kept, 0 for ever. It
// reads at most 20,000 rows and goes on with the next call; when there is nothing to do it
// reads one. moved is how many items are due earlier now.
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
			return moved, err // what was moved is done; the next call begins where this one did
		}
	}
	_, err = r.s.Index.Transact(ctx, storage.Op{
		Kind: storage.Upsert, Entity: storage.Entity{Key: purgeKey, Props: purgeCursors.Encode(&s)},
	})
	return moved, err
}

// purgePiece is how many items of a partition are read at a time.
const purgePiece = 1000

// expeditePurge goes on from the cursor until the end, or until so many rows were read.
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

// nothingGone asks the counters of a partition's hosts.
func (r *Items) nothingGone(ctx context.Context, partition string) (bool, error) {
	for h, err := range r.s.HostsOf(ctx, partition, "counts") {
		if err != nil || h.Counts[Gone] > 0 {
			return false, err
		}
	}
	return true, nil
}

// purgeEarlier brings those items of a partition forward whose next check comes after the time of their
// tombstone is over. One that is locked gets its next check from whoever locked it, and one that changes
// meanwhile is left alone.
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
