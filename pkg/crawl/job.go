package crawl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"golang.org/x/sync/semaphore"
)

// job is the work on one batch: it runs the checks, writes the pages to the index together, and commits the findings.
type job struct {
	w           *Worker
	batch       *registry.Batch
	lease       *politeness.Lease
	releaseSlot func() // releases the job's slot once the host has answered; further calls do nothing

	mu       politeness.Lock // guards the fields below
	progress progress
	done     []registry.Finding // findings of items that are indexed but not yet committed
	// These fields describe the findings in done further.
	outcomes []string
	kinds    []change.Kind // the kinds of the changes
	failures []failure
	stale    []manifest
	fresh    []registry.Item // of these, the items that somebody may wait for: new ones, and those checked by force
	// unreached are checks that sent no request, because an origin of the host could not be reached.
	unreached []verdict.Checked
}

func (w *Worker) newJob(b *registry.Batch, releaseSlot func()) *job {
	lease := w.hosts.Lease(b)
	putOff(b.Items, w.o.Started, w.o.Clock())
	return &job{
		w: w, batch: b, lease: lease, releaseSlot: releaseSlot, mu: politeness.NewLock(),
		progress: newProgress(b.Items, lease, w.o.Clock()),
	}
}

// run checks the items. The batch bounds the requests in flight; more checks than requests run at
// once, because a check also waits for storage.
func (j *job) run(ctx context.Context) {
	var wg sync.WaitGroup
	for range min(j.batch.Permits*j.w.o.Behind, len(j.batch.Items)) {
		wg.Go(func() { j.work(ctx) })
	}
	wg.Wait()
}

// work checks one item after the other.
func (j *job) work(ctx context.Context) {
	for it := j.next(ctx); it != nil; it = j.next(ctx) {
		j.one(ctx, it)
	}
}

func (j *job) next(ctx context.Context) *registry.Item {
	j.mu.Lock()
	defer j.mu.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	return j.progress.next()
}

// begin waits until a check may begin: for its host's pace if the check asks, then at the gate,
// then for a permit. The wait for the pace is before the gate, because a suspect inside keeps
// everybody out, and everybody inside keeps a suspect out. A check that waits at the gate holds no
// permit, because checks inside the gate may need it. A check that gets its permit while a suspect
// waits gives the permit back, leaves the gate, and lets the suspect go first. Otherwise the
// suspect would wait for the requests of all checks that wait for a permit.
func (j *job) begin(ctx context.Context, alone, asks bool) (leave, release func(), err error) {
	for {
		if asks && j.lease.Near(ctx) != nil {
			return func() {}, func() {}, politeness.ErrNotNow
		}
		if leave, err = j.w.gate.acquire(ctx, alone); err != nil {
			return leave, leave, err
		}
		release, err = j.lease.Permit(ctx)
		if err != nil || alone || !j.w.gate.wanted() {
			return leave, release, err
		}
		release()
		leave()
	}
}

// begins reports whether an item may still begin after the wait for a permit. If it may not, begins
// gives the item back.
func (j *job) begins(ctx context.Context, it *registry.Item) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if ctx.Err() == nil && j.progress.mayBegin(it) {
		return true
	}
	j.progress.giveBack(it)
	return false
}

// one checks a single item and records the result. The check begins once it has a permit for its request.
func (j *job) one(ctx context.Context, it *registry.Item) {
	ctx, cancel := context.WithTimeout(ctx, j.lease.Deadline().Sub(j.w.o.Clock()))
	defer cancel()
	leave, release, err := j.begin(ctx, suspected(it), !it.AsksNobody())
	defer leave()
	defer release()
	var c verdict.Checked
	if err == nil {
		if !j.begins(ctx, it) {
			return
		}
		c, err = j.w.check(ctx, *it, shared{j.batch, j.lease, j.noteBegun}, release)
	}
	if !suspected(it) { // a suspect stays alone until it is committed
		leave()
	}
	j.note(ctx, it, c, err)
}

// note records the result of a check, and commits when it is time.
func (j *job) note(ctx context.Context, it *registry.Item, c verdict.Checked, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.progress.ended = j.progress.ended || err == nil
	switch {
	case errors.Is(err, politeness.ErrNotNow):
		j.progress.spent = true
		return
	case err != nil:
		j.batch.Break(it)
		j.progress.fail(fmt.Errorf("%s: %w", it.ID, err))
		return
	}
	if c.Outcome.Kind == verdict.Unreached {
		j.unreached = append(j.unreached, c)
		return
	}
	if c.Outcome.Kind != schedule.Failed && c.Outcome.Kind != verdict.Untried && !c.Basis.IndexOnly {
		j.releaseSlot()
	}
	due := j.progress.add(c, c.Ended, j.w.o.CommitTime)
	if full := j.w.waiting.add(c.Placement.Size()); full || due {
		if err := j.commit(ctx, false); err != nil {
			j.progress.fail(err)
		}
	}
}

// failUnreached records that the checks of an origin that could not be reached have failed, if another origin of the
// host was reached. If none was, that is a state of the host: its pages stay due, and no check of them is recorded.
func (j *job) failUnreached() {
	if !j.lease.Reached() {
		return
	}
	for _, c := range j.unreached {
		of := c.Outcome.Of
		c.Outcome = verdict.Failed("%s", c.Outcome.Why)
		c.Outcome.Of = of
		j.progress.add(c, c.Ended, j.w.o.CommitTime)
	}
}

// noteReached records on the due items of a host that it has been out of reach for long.
func (j *job) noteReached(ctx context.Context) error {
	reached, host := j.lease.Reached(), j.batch.Host
	if !reached && len(j.unreached) == 0 {
		return nil // nobody has asked it
	}
	if j.w.outage.note(host, reached, j.w.o.Clock()) {
		j.w.o.Log.WarnContext(ctx, j.w.Outage())
	}
	if reached {
		return nil
	}
	n, err := j.w.in.Jobs.FailUnreached(ctx, j.batch.Partition, host, j.w.outage.patience())
	if why := j.unreached[0].Outcome; n > 0 {
		j.w.failed(host, n, failure{why.Of, why.Why})
	}
	return err
}

// commit writes the results so far: first to the index, then to the registry. The caller must hold
// mu, unless no other goroutine uses the job.
func (j *job) commit(ctx context.Context, last bool) error {
	// The index is written first: an item may be committed as Indexed only when its page is in the index.
	j.index(ctx)
	found, reported := j.lease.Report(last)
	if err := j.w.in.Jobs.Commit(ctx, j.batch, j.done, found, last); err != nil {
		return err
	}
	reported()
	j.count()
	j.progress.lastCommit = j.w.o.Clock()
	j.done = nil
	if len(j.fresh) > 0 {
		for i := range j.fresh {
			j.w.o.Awaited.Commit(j.fresh[i].ID)
		}
		j.w.o.Fetched(ctx, j.fresh)
		j.fresh = nil
	}
	// The old manifests may be dropped only after the commit, when no item refers to them any more.
	j.w.pages.drop(ctx, j.stale)
	j.stale = nil
	return nil
}

// index writes the checked pages to the index in one call, and then turns all checked items into findings.
func (j *job) index(ctx context.Context) {
	all, unindexed := j.progress.collect()
	var pages []search.Page
	for _, c := range all {
		if c.Placement.Entry != nil && c.Placement.Refused == nil {
			pages = append(pages, c.Placement.Entry.Page)
		}
	}
	together := j.w.pages.put(ctx, j.lease, pages...)
	for _, c := range all {
		if c.Placement.Entry != nil && c.Placement.Refused == nil {
			c.Placement.Refused = together
			if fault.Refused(together) && len(pages) > 1 {
				c.Placement.Refused = j.w.pages.put(ctx, j.lease, c.Placement.Entry.Page) // only one may be bad
			}
			if c.Placement.Refused == nil {
				j.countCollisions(ctx, c.Placement.Entry)
			}
		}
		f := verdict.Record(c, j.w.o.Clock(), j.w.o.Jitter())
		if f.Failed {
			f.Cause = verdict.KindOf(c)
			j.failures = append(j.failures, failure{f.Cause, f.Item.ErrorMessage})
		}
		j.done = append(j.done, f)
		j.outcomes = append(j.outcomes, verdict.Counted(c, f))
		if c.Basis.RawBefore == "" || c.Basis.Forced {
			j.fresh = append(j.fresh, f.Item)
		}
		if kind := c.Outcome.News.Kind; kind != change.None {
			j.kinds = append(j.kinds, kind)
		}
		if was := c.Basis.Manifest; was != "" && was != f.Item.Manifest && !f.Purge {
			j.stale = append(j.stale, manifest{Item: f.Item.ID, Digest: was})
		}
	}
	j.w.waiting.add(-unindexed)
}

// countCollisions logs and counts chunks that had the same uid at first. They have been made distinct since.
func (j *job) countCollisions(ctx context.Context, e *index.Prepared) {
	n := e.Collisions
	if n.Chunks == 0 {
		return
	}
	j.w.o.Metrics.ChunkCollisions.Add(float64(n.ByContext), "context")
	j.w.o.Metrics.ChunkCollisions.Add(float64(n.ByOrdinal), "ordinal")
	j.w.o.Log.InfoContext(ctx, "chunk uids collided", "id", e.Page.ID, "files", n.Files, "chunks", n.Chunks,
		"by context", n.ByContext, "by ordinal", n.ByOrdinal, "largest", n.Largest)
}

// failure is a check that has failed.
type failure struct{ kind, why string }

// count counts the findings that were just committed.
func (j *job) count() {
	for _, f := range j.failures {
		j.w.failed(j.batch.Host, 1, f)
	}
	j.failures = nil
	for _, outcome := range j.outcomes {
		j.w.o.Metrics.Checks.Add(1, outcome)
		if outcome == string(schedule.Changed) {
			j.w.o.Metrics.Changes.Add(1)
		}
	}
	for _, kind := range j.kinds {
		j.w.o.Metrics.Kinds.Add(1, string(kind))
	}
	j.outcomes, j.kinds = nil, nil
}

// progress decides which item of a job is next and when to commit. It does no I/O. Callers must
// make sure that only one goroutine uses it at a time.
type progress struct {
	lease      *politeness.Lease
	todo       []*registry.Item
	checked    []verdict.Checked // items that are still to be indexed and turned into findings
	unindexed  int               // number of bytes of text and vectors in checked
	ended      bool              // a check has ended, with whatever result
	spent      bool              // the host can accept no other request before the lock ends
	failed     error             // this program's own failure: the job stops and is delivered again
	lastCommit time.Time
}

func newProgress(items []*registry.Item, lease *politeness.Lease, now time.Time) progress {
	return progress{lease: lease, todo: slices.Clone(items), lastCommit: now}
}

// may reports whether an item may begin; asks reports whether the item needs a request. While the
// host has asked for a pause, or its budget is used up, only items that need no request may begin.
// An item that may not begin now may not begin later in this job either.
func (p *progress) may(asks bool) bool {
	return p.failed == nil && !p.spent && p.lease.MayBegin(asks)
}

// mayBegin reports whether an item may begin. An item whose origin could not be reached may not.
func (p *progress) mayBegin(it *registry.Item) bool {
	return p.may(!it.AsksNobody()) && (it.AsksNobody() || !p.lease.Shuns(it))
}

// next removes and returns the next item; nil when no further item may begin. A caller that waits
// before it begins the item must afterwards call mayBegin again.
func (p *progress) next() *registry.Item {
	i := slices.IndexFunc(p.todo, p.mayBegin)
	if i < 0 {
		return nil
	}
	it := p.todo[i]
	p.todo = slices.Delete(p.todo, i, i+1)
	return it
}

// giveBack puts an item whose check has not begun back to the front of the list.
func (p *progress) giveBack(it *registry.Item) { p.todo = slices.Insert(p.todo, 0, it) }

// add adds a checked item, and reports whether to commit now.
func (p *progress) add(c verdict.Checked, now time.Time, every time.Duration) (commit bool) {
	p.checked = append(p.checked, c)
	p.unindexed += c.Placement.Size()
	if c.Item.Deaths > 0 { // what is committed is not in progress at the next death
		every = min(every, time.Second)
	}
	return suspected(&c.Item) || now.Sub(p.lastCommit) >= every
}

// fail records a failure of this program. After that, no further item begins.
func (p *progress) fail(err error) { p.failed = errors.Join(p.failed, err) }

// collect returns the items that were checked since the last call.
func (p *progress) collect() (out []verdict.Checked, unindexed int) {
	out, unindexed = p.checked, p.unindexed
	p.checked, p.unindexed = nil, 0
	return out, unindexed
}

// When a worker dies, any of the items in progress may have killed it (S1). They are checked again
// as usual, and that their checks have begun is recorded first. An item that was in progress at two
// deaths is a suspect, and is tried while the process does nothing else. If the worker dies again,
// this item was the cause, unless somebody killed the worker just then. So the item is deadly only
// after a second death of that kind.

// gate lets several checks run at the same time, or one suspect alone.
type gate struct{ s *semaphore.Weighted }

// everybody is the weight of a suspect: more than the number of checks that can run at the same time.
const everybody = 1 << 20

func newGate() gate { return gate{semaphore.NewWeighted(everybody)} }

// acquire waits until the check may begin. It returns politeness.ErrNotNow when ctx ends first.
// Callers must call the returned function when the check has ended; further calls do nothing.
func (g gate) acquire(ctx context.Context, alone bool) (leave func(), err error) {
	n := int64(1)
	if alone {
		n = everybody
	}
	if err := g.s.Acquire(ctx, n); err != nil {
		return func() {}, politeness.ErrNotNow
	}
	return sync.OnceFunc(func() { g.s.Release(n) }), nil
}

// wanted reports whether a suspect waits to be alone. The caller must have acquired the gate.
func (g gate) wanted() bool {
	if !g.s.TryAcquire(1) { // TryAcquire fails while anybody waits
		return true
	}
	g.s.Release(1)
	return false
}

// calm is how long a process works before it tries a suspect. Another try may have ended the
// process before it, and the Functions host restarts its handler only so often.
const calm = 30 * time.Second

// putOff decides for each item whether its check is put off, because workers died while they held
// the item. The process started at the time started.
func putOff(items []*registry.Item, started, now time.Time) {
	for _, it := range items {
		if it.Suspect() {
			it.NotBefore = host.Later(it.NotBefore, started.Add(calm))
		}
		it.Early = it.NotBefore.After(now) && !it.Deadly
	}
}

// suspected reports whether the item must be tried alone.
func suspected(it *registry.Item) bool { return it.Suspect() && !it.Early && !it.Deadly }

// noteBegun records that the check of an item begins that was in progress at a death. Before a
// suspect is tried, noteBegun commits the finished checks, which must not be lost if the worker
// dies.
func (j *job) noteBegun(ctx context.Context, it *registry.Item) error {
	if it.Deaths == 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if suspected(it) && len(j.progress.checked) > 0 {
		if err := j.commit(ctx, false); err != nil {
			return err
		}
	}
	return j.w.in.Jobs.NoteBegun(ctx, j.batch, it)
}
