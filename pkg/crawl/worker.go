package crawl

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	opsmemory "github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Indexer is the part of [search.Index] that a crawl writes to.
type Indexer interface {
	Put(ctx context.Context, pages ...search.Page) error
	Remove(ctx context.Context, id string, known *search.Contents) error
}

// Embedder gives the chunks of a page their vectors. A page that gets an error is unchanged, and is
// tried again later, whatever the error's kind.
type Embedder interface {
	Embed(ctx context.Context, p *search.Page) error
}

// Options adjust a worker. Schedule and Agent are needed, the rest has defaults.
type Options struct {
	Schedule  schedule.Config
	Agent     string // product token that robots.txt rules are matched against
	Rules     source.Rules
	Documents *document.Reader         // one with the defaults when nil
	Vectors   Embedder                 // without it, chunks have none
	Files     *file.Client             // without it, files cannot be read
	Room      *opsmemory.Room          // that of [opsmemory.DefaultMost] when nil
	Setting   func(name string) string // where credentials are found; nil: there are none
	KeepGone  bool                     // leave documents of Gone items in the index
	// ReindexOnCanonical indexes a page again whose rel=canonical has changed, though its content
	// has not (FORCE_REINDEX_ON_CANONICAL_CHANGE). A capture records the change either way.
	ReindexOnCanonical bool
	Soft404            bool // ask hosts for pages that do not exist, and know those pages again
	RunID              string
	Version            lineage.Version // of the rules that texts are read under; [lineage.Current] when empty
	Retention          snapshot.Retention
	Clock              func() time.Time
	Jitter             func() float64
	CommitTime         time.Duration // after which the next check that ends brings a commit; 10 s when zero
	// Behind is how many answers may be worked on for each request in flight, 4 when zero: keeping a page waits for
	// storage several times, and the host need not wait with it.
	Behind  int
	Metrics *telemetry.Metrics
	Log     *slog.Logger
}

// Worker processes jobs. It is safe for concurrent use.
type Worker struct {
	reg       *registry.Registry
	snaps     *snapshot.Store
	manifests *index.Manifests
	hosts     *politeness.Hosts
	index     Indexer
	o         Options
	waiting   waiting
	gate      gate
	slots     slots
}

// New makes a worker that asks hosts through hosts. With [search.None] for an index, pages stay at Crawled.
func New(
	reg *registry.Registry, snaps *snapshot.Store, manifests *index.Manifests, hosts *politeness.Hosts, engine Indexer,
	o Options,
) *Worker {
	o = o.withDefaults()
	return &Worker{
		gate: newGate(), reg: reg, snaps: snaps, manifests: manifests, hosts: hosts, index: engine, o: o,
		slots: newSlots(),
	}
}

// Hosts are those that the worker asks.
func (w *Worker) Hosts() *politeness.Hosts { return w.hosts }

func (w *Worker) rules() verdict.Rules {
	_, none := w.index.(search.None)
	return verdict.Rules{
		Agent: w.o.Agent, Sources: w.o.Rules, Version: w.o.Version, Schedule: w.o.Schedule, Indexes: !none,
		ReindexOnCanonical: w.o.ReindexOnCanonical, Soft404: w.o.Soft404, RunID: w.o.RunID,
	}
}

func (o Options) withDefaults() Options {
	defaults.Clock(&o.Clock)
	defaults.Jitter(&o.Jitter)
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	if o.Documents == nil {
		o.Documents = document.New(document.Options{})
	}
	if o.Room == nil {
		o.Room = opsmemory.NewRoom(opsmemory.DefaultMost, fetch.DefaultMaxBytes)
	}
	if o.Setting == nil {
		o.Setting = func(string) string { return "" }
	}
	if o.Version == "" {
		o.Version = lineage.Current
	}
	o.Behind = cmp.Or(o.Behind, 4)
	if o.CommitTime == 0 {
		o.CommitTime = 10 * time.Second
	}
	defaults.Log(&o.Log)
	return o
}

// Process does a job. It may be called for the same job any number of times. An error means that
// our own storage or index failed: unfinished items wait in their due rows, and calling again is
// right. When too many jobs of hosts that do not answer are in progress, another one is moved to the
// queue of [Worker.ProcessSlow].
func (w *Worker) Process(ctx context.Context, job registry.Job) (err error) {
	defer fault.Wrap(&err, "crawl %s", job.Host)
	var leave func()
	crowded := false
	b, err := w.reg.Jobs.BeginIf(ctx, job, func(answers bool) bool {
		if !answers && leave == nil {
			var ok bool
			leave, ok = w.slots.try()
			crowded = !ok
		}
		return !crowded
	})
	if leave == nil {
		leave = func() {}
	}
	defer leave()
	if crowded && err == nil {
		return w.reg.Jobs.MoveToSlow(ctx, job)
	}
	if err != nil || b == nil {
		return err
	}
	return w.process(ctx, b, leave)
}

// ProcessSlow is [Worker.Process] for a job that was moved: it waits for a slot.
func (w *Worker) ProcessSlow(ctx context.Context, job registry.Job) (err error) {
	defer fault.Wrap(&err, "crawl %s", job.Host)
	leave, err := w.slots.wait(ctx)
	if err != nil {
		return err
	}
	defer leave()
	b, err := w.reg.Jobs.Begin(ctx, job)
	if err != nil || b == nil {
		return err
	}
	return w.process(ctx, b, leave)
}

// process works on a batch. The host's first answer calls answered.
func (w *Worker) process(ctx context.Context, b *registry.Batch, answered func()) error {
	j := newJob(w, b, answered)
	j.run(ctx)
	if err := j.commit(ctx, true); err != nil {
		return errors.Join(j.progress.failed, err)
	}
	if j.progress.failed != nil || !b.More {
		return j.progress.failed
	}
	_, err := w.reg.Jobs.Refill(ctx, b.Partition)
	return err
}

// GiveUp records on the items of a poisoned job that it could not be processed (A19).
func (w *Worker) GiveUp(ctx context.Context, job registry.Job, why string) error {
	return w.reg.Jobs.Fail(ctx, job, func(it *registry.Item, now time.Time) {
		set, err := w.reg.Tags.Effective(ctx, it)
		if err != nil {
			w.o.Log.WarnContext(ctx, "tags could not be read", "id", it.ID, "err", err)
		}
		verdict.GiveUp(it, verdict.Basis{Rules: w.rules(), Options: set}, why, now, w.o.Jitter())
	})
}
