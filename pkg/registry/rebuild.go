package registry

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Rebuild selects the items to index again, and whether from the site or from snapshots (A19, B5).
type Rebuild struct {
	Run  string // id of the run; a run includes each item only once
	Host string // only items of this host are rebuilt; if empty, those of all hosts
	// Refetch makes the run fetch the pages again. If it is false, the stored snapshots are indexed, and the schedule
	// stays as it is.
	Refetch bool
	// Force includes pages that are not in the index: items that failed, that are excluded or Gone.
	Force bool
	// Known makes the run trust the known contents of the index: only what differs is written, so texts keep their
	// vectors. The items do not count as waiting for the run, and each request includes its items again.
	Known bool
	// Skip, if set, reports whether a partition has nothing for the run.
	Skip func(ctx context.Context, partition string) (bool, error)
	// Wanted reports whether an item is selected. It is called for every item, whether or not the item is in the
	// index. If Wanted is nil, all items that belong in the index are selected. It may be called several times for
	// one item.
	Wanted func(ctx context.Context, it *Item) (bool, error)
}

// RebuildStep is the result of one step of a rebuild.
type RebuildStep struct {
	Items  int    // number of items examined
	Marked int    // number of these items that were requested to be indexed
	Next   Cursor // where the next step begins
	Done   bool   // nothing remains after Next

	// These fields have the outcomes of the requested items. Only [Rebuilds.Count] sets them.
	Indexed int // number of items that are in the index
	KeptOut int // number of items that are excluded, gone or aliases of another item
	Failed  int // number of items whose last check failed
	// Manifests are the names of the manifests of the indexed items.
	Manifests map[source.ID]string
}

// Request walks over some items from a cursor and requests those that are selected: these items are due at once, and
// a worker indexes them. Request may be repeated from the same cursor, also concurrently, because each run requests
// an item only once. The numbers in step are for this step only. Items for which the queue has no room wait in due
// rows as usual.
func (r *Rebuilds) Request(ctx context.Context, o Rebuild, from Cursor) (step RebuildStep, err error) {
	walk := itemWalk{Host: o.Host, Skip: o.Skip}
	err = r.step(ctx, walk, from, &step, func(partition string, items []Item) error {
		return r.requestAll(ctx, partition, items, o, &step)
	})
	return step, err
}

// Count walks over the items as [Rebuilds.Request] does, and counts the outcomes. It must be called only after all
// items of a run are done. An item that a later run has requested is not counted.
func (r *Rebuilds) Count(ctx context.Context, o Rebuild, from Cursor) (step RebuildStep, err error) {
	w := itemWalk{Host: o.Host, Columns: []string{"id", "sourceHost", "status", "rebuildRun", "manifest"}}
	err = r.step(ctx, w, from, &step, func(_ string, items []Item) error {
		for _, it := range items {
			switch {
			case it.RebuildRun != o.Run:
			case it.Status == Indexed:
				step.Indexed++
				step.name(&it)
			case it.Status == Error:
				step.Failed++
			default:
				step.KeptOut++
			}
		}
		return nil
	})
	return step, err
}

func (r *Rebuilds) step(ctx context.Context, w itemWalk, from Cursor, step *RebuildStep,
	visit func(partition string, items []Item) error) error {
	w.Items, w.Partitions = stepItems, stepPartitions
	at, err := r.s.OverItems(ctx, w, from, visit)
	step.Items, step.Next, step.Done = at.Items, at.Next, at.Done
	return err
}

// name adds to the step the name of an item's manifest, if the item is indexed and has one.
func (s *RebuildStep) name(it *Item) {
	if it.Manifest == "" {
		return
	}
	if s.Manifests == nil {
		s.Manifests = map[source.ID]string{}
	}
	s.Manifests[it.ID] = it.Manifest
}

// requestAll requests the selected items of one partition, and claims as many of them as their hosts have room for.
func (r *Rebuilds) requestAll(ctx context.Context, partition string, all []Item, o Rebuild,
	step *RebuildStep) error {
	before := step.Marked
	all, err := r.wanted(ctx, all, o)
	if err != nil {
		return err
	}
	for _, group := range groupBy(all, func(it Item) string { return it.SourceHost }) {
		for items := range slices.Chunk(group, policy.JobItems) {
			marked, err := r.requestHost(ctx, partition, items[0].SourceHost, items, o)
			if err != nil {
				return err
			}
			step.Marked += marked
		}
	}
	if step.Marked > before { // a dry run writes nothing
		_, err = r.jobs.Refill(ctx, partition)
	}
	return err
}

// wanted returns the items that the rebuild selects.
func (r *Rebuilds) wanted(ctx context.Context, all []Item, o Rebuild) ([]Item, error) {
	if o.Wanted == nil {
		return all, nil
	}
	picked := make([]bool, len(all))
	err := r.s.Parallel(ctx, len(all), func(ctx context.Context, i int) (err error) {
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

// requestHost requests up to 32 items of one host in one transaction.
func (r *Rebuilds) requestHost(ctx context.Context, partition, host string, items []Item,
	o Rebuild) (marked int, err error) {
	hashes := hashesOf(items)
	id := hostID{Partition: partition, Host: host}
	err = r.s.ChangeHost(ctx, id, func(ctx context.Context, h *hostRecord) (*hostChange, error) {
		if items == nil {
			if items, err = r.s.LoadItems(ctx, partition, hashes); err != nil {
				return nil, err
			}
		}
		now := r.s.Now()
		var ops []storage.Op
		ops, marked = planRebuild(now, items, h, o)
		if items = nil; len(ops) == 0 { // planRebuild has changed the items, so they must be read again
			return nil, nil
		}
		return &hostChange{Ops: ops, Hint: now}, nil
	})
	return marked, err
}

// planRebuild decides which items of one host are requested, and how they change. The caller must not have changed
// the items since they were read. For all items, requested or not, planRebuild recomputes the columns that depend on
// the identity alone (spec 003 §9).
func planRebuild(now time.Time, items []Item, h *hostRecord, o Rebuild) (ops []storage.Op, marked int) {
	for i := range items {
		it := &items[i]
		mended := derive(it)
		switch {
		case !it.exists(): // the item was deleted in the meantime
		case it.RebuildRun == o.Run && !o.Known:
			marked++ // an earlier try has already requested the item
		case it.indexable() || o.Force || o.Wanted != nil:
			marked++
			ops = append(ops, rebuildOps(now, it, h, o)...)
		case mended:
			ops = append(ops, it.Write(it.NextCrawlAt, time.Time{})...)
		}
	}
	return ops, marked
}

// rebuildOps makes one item due now: as a pending index, which sends no request to the site, or as a check.
func rebuildOps(now time.Time, it *Item, h *hostRecord, o Rebuild) []storage.Op {
	oldDue, was, what := it.NextCrawlAt, tallyOf(it), "from its snapshot"
	if !o.Known || !it.RebuildPending { // a rebuild that waits for the item goes on counting it
		it.RebuildRun = o.Run
	}
	it.RebuildPending = it.RebuildPending || !o.Known
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
	h.recount(was, tallyOf(it))
	if oldDue.After(now) {
		it.NextCrawlAt = now
	}
	return it.Write(oldDue, time.Time{})
}

// Waiting counts the items that are waiting for a rebuild, of one host, or of all hosts if host is empty. It begins
// at a partition and reads the host rows of at most 1,000 partitions. It returns the number of items, and either the
// partition to continue at or that it is done.
func (r *Rebuilds) Waiting(ctx context.Context, host, from string) (left int, next string, done bool, err error) {
	const most = 1000
	var partitions []string
	for p, err := range r.s.PartitionsOf(ctx, host, from) {
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
	err = r.s.Parallel(ctx, len(partitions), func(ctx context.Context, i int) (err error) {
		counts[i], err = r.waitingIn(ctx, partitions[i], host)
		return err
	})
	for _, n := range counts {
		left += n
	}
	return left, next, next == "", err
}

func (r *Rebuilds) waitingIn(ctx context.Context, partition, host string) (n int, err error) {
	if host != "" {
		h, err := r.s.LoadHost(ctx, partition, host)
		return h.Rebuilding, err
	}
	for h, err := range r.s.HostsOf(ctx, partition, "rebuilding") {
		if err != nil {
			return 0, err
		}
		n += h.Rebuilding
	}
	return n, nil
}

// Knows reports whether anything is registered for a host, or for any host when host is empty.
func (r *Items) Knows(ctx context.Context, host string) (bool, error) {
	for partition, err := range r.s.PartitionsOf(ctx, host, "") {
		if err != nil || host == "" {
			return err == nil, err
		}
		_, err := r.s.Items.Get(ctx, storage.Key{Partition: partition, Row: hostRow(host)})
		if !fault.Is(err, fault.NotFound) {
			return err == nil, err
		}
	}
	return false, nil
}
