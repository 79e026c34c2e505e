package registry

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// An item that becomes Gone is due when it is to be purged, so purging needs no scan. Those that
// were Gone before CRAWL_PURGE_GONE_DAYS was set or lowered are due at their next rare check,
// which may be far away. HastenPurge brings them forward: after each change of the setting it walks
// once through the partitions that have Gone items, a bounded piece at a time, with a cursor.

// hastenRows bounds one call: partitions looked at and items read.
const hastenRows = 20_000

var hastenKey = storage.Key{Partition: "cursor", Row: "purge"}

// hasteState is how far the walk has come.
type hasteState struct {
	Seconds   int64  `col:"keepSeconds"` // the setting that the walk is for
	Done      bool   `col:"done"`
	Partition string `col:"inPartition"` // to go on in, from Row on
	Row       string `col:"fromRow"`
}

var hasteColumns = columnsOf(hasteState{})

// HastenPurge brings items forward that are Gone for so long already, or will be before their next
// check, that they are to be purged earlier. keep is how long tombstones are kept, 0 for ever. It
// reads at most 20,000 rows and goes on with the next call; when there is nothing to do it
// reads one. moved is how many items are due earlier now.
func (r *Registry) HastenPurge(ctx context.Context, keep time.Duration) (moved int, err error) {
	e, err := r.index.Get(ctx, hastenKey)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return 0, err
	}
	var s hasteState
	decode(hasteColumns, e.Props, &s)
	if seconds := int64(keep / time.Second); s.Seconds != seconds {
		s = hasteState{Seconds: seconds, Done: seconds == 0}
	} else if s.Done || seconds == 0 {
		return 0, nil
	}
	h := hastening{r: r, keep: keep, budget: hastenRows, state: s}
	if !s.Done {
		if err := h.walk(ctx); err != nil {
			return h.moved, err // what was moved stays so; the next call begins where this one did
		}
	}
	_, err = r.index.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: hastenKey, Props: encode(hasteColumns, h.state),
	}})
	return h.moved, err
}

// hastening is one call of HastenPurge.
type hastening struct {
	r      *Registry
	keep   time.Duration
	budget int
	moved  int
	state  hasteState
}

// walk goes on from the cursor until the end or until the budget is used up.
func (h *hastening) walk(ctx context.Context) error {
	for partition, err := range h.r.Partitions(ctx) {
		if err != nil {
			return err
		}
		if partition < h.state.Partition {
			continue
		}
		if partition > h.state.Partition {
			h.state.Partition, h.state.Row = partition, ""
		}
		if h.budget--; h.budget < 0 {
			return nil
		}
		if done, err := h.partition(ctx, partition); err != nil || !done {
			return err
		}
	}
	h.state = hasteState{Seconds: h.state.Seconds, Done: true}
	return nil
}

// partition moves the items of one partition, from the cursor on.
func (h *hastening) partition(ctx context.Context, partition string) (done bool, err error) {
	if any, err := h.anyGone(ctx, partition); err != nil || !any {
		return true, err
	}
	late, done, err := h.read(ctx, partition)
	if err != nil {
		return false, err
	}
	for chunk := range slices.Chunk(late, JobItems) {
		if err := h.move(ctx, chunk); err != nil {
			return false, err
		}
	}
	return done, nil
}

// read finds the items of a partition that come too late, from the cursor on, as far as the budget
// goes. Of each only what moving it takes is read.
func (h *hastening) read(ctx context.Context, partition string) (late []*Item, done bool, err error) {
	columns := []string{"id", "sourceHost", "goneSince", "nextCrawlAt", "lockedUntil"}
	for it, err := range h.r.walk(ctx, partition, h.state.Row, maxWalkPage, columns...) {
		if err != nil {
			return nil, false, err
		}
		if h.budget == 0 {
			h.state.Row = it.key.Row
			return late, false, nil
		}
		h.budget--
		if h.isLate(&it) {
			late = append(late, &it)
		}
	}
	return late, true, nil
}

// anyGone asks the counters of a partition's hosts.
func (h *hastening) anyGone(ctx context.Context, partition string) (bool, error) {
	q := storage.Query{Partition: partition, RowFrom: hostPrefix, RowTo: "host" + afterBar, Select: []string{"counts"}}
	for e, err := range h.r.items.Query(ctx, q) {
		if err != nil {
			return false, err
		}
		var host hostState
		if decode(hostColumns, e.Props, &host); host.Counts[Gone] > 0 {
			return true, nil
		}
	}
	return false, nil
}

// isLate reports whether an item's next check comes after its tombstone's time is over. One that
// somebody holds gets its next check from them.
func (h *hastening) isLate(it *Item) bool {
	now := h.r.now()
	return !it.GoneSince.IsZero() && it.NextCrawlAt.After(h.due(it, now)) && !it.LockedUntil.After(now)
}

func (h *hastening) due(it *Item, now time.Time) time.Time {
	return stamp(laterOf(it.GoneSince.Add(h.keep), now))
}

// move writes new due times for up to 32 items of a partition, in one transaction. An item that
// changes meanwhile is left alone.
func (h *hastening) move(ctx context.Context, items []*Item) error {
	for len(items) > 0 {
		now := h.r.now()
		var ops []storage.Op
		var first time.Time
		for _, it := range items {
			at := h.due(it, now)
			first = earlier(first, at)
			ops = append(ops, hastenOps(it, at)...)
		}
		_, err := h.r.hinted(ctx, items[0].Partition(), []time.Time{first}, ops)
		i, lost := loser(err)
		if err == nil {
			h.moved += len(items)
		}
		if !lost {
			return err
		}
		items = slices.Delete(items, i/3, i/3+1)
	}
	return nil
}
