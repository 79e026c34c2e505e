package registry

import (
	"context"
	"iter"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Rebuild says which items are to be indexed anew, and from what (A19, B5).
type Rebuild struct {
	Run  string // names the effort: each item is asked once for it
	Host string // items of this host only; all when empty
	// Refetch asks the sites; otherwise the stored snapshots serve, and the schedule stays.
	Refetch bool
	// Force asks the sites also for what the index does not hold: items that failed, that are
	// excluded or Gone.
	Force bool
	// Wanted picks the items, whether they are in the index or not; all that belong there when nil. It
	// may be called more than once for one item.
	Wanted func(ctx context.Context, it *Item) (bool, error)
}

// Cursor is a place in the walk over all items; the zero Cursor is the beginning.
type Cursor struct {
	Partition string `json:"partition,omitempty"`
	Row       string `json:"row,omitempty"`
}

// RebuildStep is what one step of a rebuild did.
type RebuildStep struct {
	Items  int    // walked over
	Marked int    // of these, asked to be indexed anew
	Next   Cursor // where to go on
	Done   bool   // there is nothing after Next

	// What became of those that were asked, in [Registry.Rebuilt] alone.
	Indexed int // the index holds them
	KeptOut int // excluded, gone or another item's duplicates
	Failed  int // their last check failed

	read int // items, those of other hosts included
}

// Bounds of one step: what fits well into an invocation.
const (
	stepItems      = 8 * JobItems // read
	stepPartitions = 32
)

// Rebuild walks over some items from a place on and marks those that are wanted: they come due at
// once, and a worker indexes them. It may be repeated from the same place, also at the same time:
// an item is marked once for each run, and the numbers are those of one step. The frontier waits
// in due rows as always.
func (r *Registry) Rebuild(ctx context.Context, o Rebuild, from Cursor) (RebuildStep, error) {
	return r.overItems(ctx, o.Host, from, nil, func(partition string, items []Item, step *RebuildStep) error {
		return r.markAll(ctx, partition, items, o, step)
	})
}

// Rebuilt walks over some items from a place on as [Registry.Rebuild] does, after all that a run asked are
// through, and counts what became of them. Who was asked by a later run is not counted any more.
func (r *Registry) Rebuilt(ctx context.Context, o Rebuild, from Cursor) (RebuildStep, error) {
	columns := []string{"sourceHost", "status", "rebuildRun"}
	return r.overItems(ctx, o.Host, from, columns, func(_ string, items []Item, step *RebuildStep) error {
		for _, it := range items {
			switch {
			case it.RebuildRun != o.Run:
			case it.Status == Indexed:
				step.Indexed++
			case it.Status == Error:
				step.Failed++
			default:
				step.KeptOut++
			}
		}
		return nil
	})
}

// overItems visits some items of a host, or of all when it is empty, with those of their columns that are
// named, and says where to go on.
func (r *Registry) overItems(ctx context.Context, host string, from Cursor, columns []string,
	visit func(partition string, items []Item, step *RebuildStep) error,
) (RebuildStep, error) {
	step, visited := RebuildStep{Next: from}, 0
	for partition, err := range r.partitionsOf(ctx, host, from.Partition) {
		if err != nil || visited == stepPartitions || step.read >= stepItems {
			return step, err
		}
		visited++
		if partition != step.Next.Partition {
			step.Next = Cursor{Partition: partition}
		}
		items, err := r.readSome(ctx, host, columns, &step)
		if err == nil {
			err = visit(partition, items, &step)
		}
		if err != nil {
			return step, err
		}
	}
	step.Done = step.read < stepItems
	return step, nil
}

// readSome goes on in the partition of the step's cursor and sets it to where the step ends.
func (r *Registry) readSome(ctx context.Context, host string, columns []string, step *RebuildStep) ([]Item, error) {
	partition := step.Next.Partition
	var items []Item
	for it, err := range r.walk(ctx, partition, step.Next.Row, stepItems, columns...) {
		if err != nil {
			return nil, err
		}
		if step.read == stepItems {
			break
		}
		step.read++
		step.Next.Row = justPast(it.key.Row)
		if host == "" || it.SourceHost == host {
			step.Items++
			items = append(items, it)
		}
	}
	if step.read < stepItems {
		step.Next = Cursor{Partition: justPast(partition)}
	}
	return items, nil
}

// markAll asks those items of one partition that are wanted, and claims what its hosts can take.
func (r *Registry) markAll(ctx context.Context, partition string, all []Item, o Rebuild, step *RebuildStep) error {
	all, err := r.wanted(ctx, all, o)
	if err != nil {
		return err
	}
	groups := map[string][]Item{}
	for _, it := range all {
		groups[it.SourceHost] = append(groups[it.SourceHost], it)
	}
	for host, items := range groups {
		for len(items) > 0 {
			n := min(len(items), JobItems)
			marked, err := r.mark(ctx, partition, host, items[:n], o)
			if err != nil {
				return err
			}
			step.Marked += marked
			items = items[n:]
		}
	}
	_, err = r.Refill(ctx, partition)
	return err
}

// wanted leaves out what the rebuild does not want.
func (r *Registry) wanted(ctx context.Context, all []Item, o Rebuild) ([]Item, error) {
	if o.Wanted == nil {
		return all, nil
	}
	picked := make([]bool, len(all))
	err := r.parallel(ctx, len(all), func(ctx context.Context, i int) (err error) {
		if picked[i] = all[i].RebuildRun == o.Run; !picked[i] {
			picked[i], err = o.Wanted(ctx, &all[i])
		}
		return err
	})
	var out []Item
	for i, yes := range picked {
		if yes {
			out = append(out, all[i])
		}
	}
	return out, err
}

// partitionsOf lists, from one on, the partitions that items of a host can be in; all when host is
// empty.
func (r *Registry) partitionsOf(ctx context.Context, host, from string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if host != "" && r.o.Strategy != source.ByScheme {
			if from <= host {
				yield(host, nil)
			}
			return
		}
		for e, err := range r.index.Query(ctx, storage.Query{Partition: partitionsKey, RowFrom: from}) {
			if !yield(e.Row, err) || err != nil {
				return
			}
		}
	}
}

// mark asks for up to 32 items of one host in one transaction.
func (r *Registry) mark(ctx context.Context, partition, host string, items []Item, o Rebuild) (marked int, err error) {
	var hashes []string
	for _, it := range items {
		hashes = append(hashes, it.key.Row)
	}
	err = r.onHost(ctx, partition, host, func(ctx context.Context) error {
		if items == nil {
			if items, err = r.loadItems(ctx, partition, hashes); err != nil {
				return err
			}
		}
		h, err := r.loadHost(ctx, partition, host)
		if err != nil {
			return err
		}
		var ops []storage.Op
		now := r.now()
		if ops, marked = planRebuild(now, items, &h, o); len(ops) == 0 {
			return nil
		}
		_, err = r.hinted(ctx, partition, []time.Time{now}, append([]storage.Op{h.op()}, ops...))
		items = nil // the plan has changed them
		return asConflict(err)
	})
	return marked, err
}

// planRebuild decides, for items of one host as read, which are asked, and how they change.
func planRebuild(now time.Time, items []Item, h *hostEntry, o Rebuild) (ops []storage.Op, marked int) {
	for i := range items {
		it := &items[i]
		switch {
		case it.etag == "": // deleted since
		case it.RebuildRun == o.Run:
			marked++ // by an earlier try
		case it.indexable() || o.Force || o.Wanted != nil:
			marked++
			ops = append(ops, rebuildOps(now, it, h, o)...)
		}
	}
	return ops, marked
}

// indexable reports whether the item's content is, or may belong, in the index: what the index
// should hold if it had lost everything, and what could not be extracted when it was fetched. Of
// what was never read, because it is too large, there is no hash of a text.
func (it *Item) indexable() bool {
	return it.IndexedHash != "" || it.Status == Crawled && it.TextHash != ""
}

// rebuildOps brings one item forward to now: as a debt, which leaves the site alone, or as a check.
func rebuildOps(now time.Time, it *Item, h *hostEntry, o Rebuild) []storage.Op {
	oldDue, was, what := it.NextCrawlAt, it.standing(), "from its snapshot"
	it.RebuildRun, it.RebuildPending = o.Run, true
	switch {
	case o.Refetch:
		what = "from its source"
		it.IndexPending, it.ReindexRequested = false, true
		it.ReindexGeneration++
	case !it.indexable() && o.Wanted == nil:
		what = "from its source"
		it.IndexPending = false
	case !it.IndexPending:
		it.IndexPending, it.ResumeAt = true, it.NextCrawlAt
	}
	it.Record(now, "rebuild", "to be indexed anew "+what+" by the run "+o.Run)
	h.recount(was, it.standing())
	if !oldDue.After(now) {
		return []storage.Op{itemOp(it, false)}
	}
	it.NextCrawlAt = now
	return []storage.Op{itemOp(it, false), deleteDue(it.key, oldDue), upsertDue(it, now, time.Time{})}
}

// Rebuilding counts the items of a host, or of all, that wait for a rebuild, from a partition on. It
// reads at most 1,000 partitions' host rows; next is where to go on, and done that it came to the
// end.
func (r *Registry) Rebuilding(ctx context.Context, host, from string) (left int, next string, done bool, err error) {
	const most = 1000
	var partitions []string
	for p, err := range r.partitionsOf(ctx, host, from) {
		if err != nil {
			return 0, from, false, err
		}
		if len(partitions) == most {
			next = p
			break
		}
		partitions = append(partitions, p)
	}
	counts := make([]int, len(partitions))
	err = r.parallel(ctx, len(partitions), func(ctx context.Context, i int) (err error) {
		counts[i], err = r.rebuildingIn(ctx, partitions[i], host)
		return err
	})
	for _, n := range counts {
		left += n
	}
	return left, next, next == "", err
}

func (r *Registry) rebuildingIn(ctx context.Context, partition, host string) (n int, err error) {
	if host != "" {
		h, err := r.loadHost(ctx, partition, host)
		return h.Rebuilding, err
	}
	q := storage.Query{Partition: partition, RowFrom: hostPrefix, RowTo: "host" + afterBar, Select: []string{"rebuilding"}}
	for e, err := range r.items.Query(ctx, q) {
		if err != nil {
			return 0, err
		}
		var h hostState
		decode(hostColumns, e.Props, &h)
		n += h.Rebuilding
	}
	return n, nil
}

// Knows reports whether anything is registered for a host, or at all when host is empty.
func (r *Registry) Knows(ctx context.Context, host string) (bool, error) {
	for partition, err := range r.partitionsOf(ctx, host, "") {
		if err != nil || host == "" {
			return err == nil, err
		}
		_, err := r.items.Get(ctx, storage.Key{Partition: partition, Row: hostRow(host)})
		if !fault.Is(err, fault.NotFound) {
			return err == nil, err
		}
	}
	return false, nil
}
