package crawl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/document"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/index"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/robots"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/telemetry"
)

// Fetcher asks the web. Errors are about the page (see package fetch), never about us.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (fetch.Response, error)
	Robots(ctx context.Context, r fetch.RobotsRequest) (robots.Reply, error)
}

// Indexer is the part of [search.Index] that a crawl writes to.
type Indexer interface {
	Put(ctx context.Context, pages ...search.Page) error
	Remove(ctx context.Context, id string, held *search.Held) error
}

// Filler gives the chunks of a page their vectors. A page that gets an error is as it was, and comes
// back later, whatever the error's kind.
type Filler interface {
	Fill(ctx context.Context, p *search.Page) error
}

// Options adjust a worker. Schedule and Agent are needed, the rest has defaults.
type Options struct {
	Schedule  schedule.Config
	Agent     string // product token that robots.txt rules are matched against
	Rules     source.Rules
	Strategy  source.Strategy
	Documents *document.Reader         // one with the defaults when nil
	Vectors   Filler                   // without it, chunks have none
	Files     *file.Client             // without it, files cannot be read
	Setting   func(name string) string // where credentials are found; nil: there are none
	KeepGone  bool                     // leave documents of Gone items in the index
	// ReindexOnCanonical indexes a page again whose rel=canonical has changed, though its content
	// has not (FORCE_REINDEX_ON_CANONICAL_CHANGE). A capture records the change either way.
	ReindexOnCanonical bool
	Soft404            bool // ask hosts for pages that do not exist, and know those pages again
	RunID              string
	Retention          snapshot.Retention
	Clock              func() time.Time
	Jitter             func() float64
	Sleep              func(ctx context.Context, d time.Duration) error
	CommitTime         time.Duration // what is done is committed at least this often; 10 s when zero
	Metrics            *telemetry.Metrics
	Log                *slog.Logger
}

// Worker processes jobs. It is safe for concurrent use.
type Worker struct {
	reg       *registry.Registry
	snaps     *snapshot.Store
	manifests *index.Manifests
	web       Fetcher
	index     Indexer
	o         Options
	robots    originCache[ruling]
	absents   absentCache
}

// New makes a worker. With [search.None] for an index, pages rest at Crawled.
func New(reg *registry.Registry, snaps *snapshot.Store, manifests *index.Manifests, web Fetcher, engine Indexer, o Options) *Worker {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.Sleep == nil {
		o.Sleep = registry.Sleep
	}
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	o.Sleep = observed(o.Sleep, o.Metrics)
	if o.Documents == nil {
		o.Documents = document.New(document.Options{})
	}
	if o.Setting == nil {
		o.Setting = func(string) string { return "" }
	}
	if o.CommitTime == 0 {
		o.CommitTime = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Worker{reg: reg, snaps: snaps, manifests: manifests, web: web, index: engine, o: o}
}

const (
	// commitMargin is kept free at the end of a lock for the last commit.
	commitMargin = 15 * time.Second
	// lastStart is kept free before that for the last request.
	lastStart = 30 * time.Second
)

// Process does a job. It may be called for the same job any number of times. An error means that
// our own storage or index failed: what was not done waits in the due rows, and calling again is
// right.
func (w *Worker) Process(ctx context.Context, job registry.Job) (err error) {
	defer fault.Wrap(&err, "crawl %s", job.Host)
	b, err := w.reg.Begin(ctx, job)
	if err != nil || b == nil {
		return err
	}
	t := &task{Worker: w, batch: b, todo: slices.Clone(b.Items), lastCommit: w.o.Clock(), host: registry.HostFinding{CrawlDelay: b.CrawlDelay}}
	t.pace.reserved = b.Starts
	t.run(ctx)
	if err := t.commit(ctx, true); err != nil {
		return errors.Join(t.failed, err)
	}
	if t.failed != nil {
		return t.failed
	}
	_, err = w.reg.Refill(ctx, b.Partition)
	return err
}

// task is the work on one batch.
type task struct {
	*Worker
	batch *registry.Batch
	pace  pacer

	permits chan struct{} // holds a token for each request in flight
	bytes   atomic.Int64  // of the bodies that the host has sent

	mu         sync.Mutex // guards what follows
	todo       []*registry.Item
	checked    []*check // to be indexed and found
	unindexed  int      // bytes of text that wait for that
	done       []registry.Finding
	outcomes   []string        // of what is done
	stale      []staleManifest // of what is done
	host       registry.HostFinding
	told       registry.Budget // what the registry knows that the host was asked for
	spent      bool            // the host can bear no other request while the lock holds
	failed     error           // our own fault: stop, and let the job come again
	lastCommit time.Time
}

// behind is how many answers may be worked on for each request in flight: keeping a page waits
// for storage several times, and the host need not wait with it.
const behind = 4

// run checks the items, with as many requests at once as the batch permits.
func (t *task) run(ctx context.Context) {
	t.permits = make(chan struct{}, t.batch.Permits)
	if t.batch.Permits == 1 {
		t.work(ctx) // such a host is paced, so there is nothing to gain
		return
	}
	var wg sync.WaitGroup
	for range min(t.batch.Permits*behind, len(t.todo)) {
		wg.Go(func() { t.work(ctx) })
	}
	wg.Wait()
}

// work checks one item after the other. An item is begun only when its request is permitted.
func (t *task) work(ctx context.Context) {
	for {
		release := t.permit()
		it := t.take(ctx)
		if it == nil {
			release()
			return
		}
		t.one(ctx, *it, release)
	}
}

// take gives the next item, or nil when no other may be begun: of a host that has asked for a pause,
// or has been asked for all that it may be, only what asks nobody.
func (t *task) take(ctx context.Context) *registry.Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.goOn(ctx) {
		return nil
	}
	paused := !t.host.PauseUntil.IsZero() || t.reachedBudget()
	i := slices.IndexFunc(t.todo, func(it *registry.Item) bool { return !paused || it.AsksNobody() })
	if i < 0 {
		return nil
	}
	it := t.todo[i]
	t.todo = slices.Delete(t.todo, i, i+1)
	return it
}

// permit waits for the right to have a request in flight, and returns how to give it back, which
// may be done twice.
func (t *task) permit() (release func()) {
	t.permits <- struct{}{}
	return sync.OnceFunc(func() { <-t.permits })
}

// goOn reports whether another item may be started: nothing of ours has failed, and the lock holds
// long enough.
func (t *task) goOn(ctx context.Context) bool {
	left := t.batch.Until.Sub(t.o.Clock())
	return t.failed == nil && !t.spent && ctx.Err() == nil && left > commitMargin+lastStart
}

// one checks an item and takes note of the finding.
func (t *task) one(ctx context.Context, it registry.Item, release func()) {
	defer release()
	ctx, cancel := context.WithTimeout(ctx, t.batch.Until.Add(-commitMargin).Sub(t.o.Clock()))
	defer cancel()
	c := &check{task: t, Item: it, forced: it.Forced(), guest: guest{Worker: t.Worker}, answered: release, rawBefore: it.RawHash}
	c.guest.ask = c.waitAt
	err := c.safely(ctx)
	c.ended = t.o.Clock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(err, errNotNow) {
		t.spent = true
		return
	}
	if err != nil {
		t.batch.Break(&it)
		t.failed = errors.Join(t.failed, fmt.Errorf("%s: %w", it.ID, err))
		return
	}
	t.checked = append(t.checked, c)
	t.unindexed += c.unindexed()
	if c.ended.Sub(t.lastCommit) >= t.o.CommitTime || t.unindexed >= maxUnindexed {
		if err := t.commit(ctx, false); err != nil {
			t.failed = errors.Join(t.failed, err)
		}
	}
}

// commit writes what is done so far: first the index, then the registry. The caller holds the
// lock, or is alone.
func (t *task) commit(ctx context.Context, last bool) error {
	t.indexChecked(ctx)
	if last {
		t.host.NextStart = t.pace.free()
	}
	asked := t.asked()
	t.host.Asked = registry.Budget{Requests: asked.Requests - t.told.Requests, Bytes: asked.Bytes - t.told.Bytes}
	err := t.reg.Commit(ctx, t.batch, t.done, t.host, last)
	if err == nil {
		t.count()
		t.done, t.lastCommit, t.told = nil, t.o.Clock(), asked
		t.dropStale(ctx)
	}
	return err
}

// safely runs a check; a panic is the page's fault and is recorded on it.
func (c *check) safely(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.o.Log.ErrorContext(ctx, "check panicked", "id", c.ID, "panic", p, "stack", string(debug.Stack()))
			c.fail("the page could not be processed: %v", p)
			c.entry, err = nil, nil
		}
	}()
	if err := c.run(ctx); err != nil {
		return err
	}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	return c.prune(ctx)
}

// GiveUp records on the items of a poisoned job that it could not be processed (A19).
func (w *Worker) GiveUp(ctx context.Context, job registry.Job, why string) error {
	return w.reg.Fail(ctx, job, func(it *registry.Item, now time.Time) {
		d := w.o.Schedule.Next(it.Schedule(), schedule.Failed, 0, now, w.o.Jitter())
		it.Status = registry.Error
		it.SetError(why)
		it.Reschedule(d)
		it.Record(now, "poisoned", why)
	})
}
