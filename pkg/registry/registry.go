package registry

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Names of what the registry keeps its state in. The tables of pointers and of hints follow the items
// table's name when that is changed, so that two registries can share an account.
const (
	DefaultTable = "IngestItems"
	JobQueue     = "crawl-jobs"
	PoisonQueue  = JobQueue + "-poison"
	// SlowQueue has jobs that were moved out of the way, see [Jobs.MoveToSlow].
	SlowQueue       = JobQueue + "-slow"
	SlowPoisonQueue = SlowQueue + "-poison"
)

// Options adjust a registry. The zero value works.
type Options struct {
	Table      string                                     // items table; [DefaultTable] when empty
	Strategy   source.Strategy                            // [source.ByHost] when empty
	Politeness func(host string) Politeness               // one request a second when nil
	Schedule   schedule.Config                            // that of checks, for what is planned anew; [schedule.Defaults]
	Clock      func() time.Time                           // the wall clock when nil
	Jitter     func() float64                             // uniform in [0,1); math/rand when nil
	Token      func() string                              // unique lock owners; crypto/rand when nil
	Sleep      func(context.Context, time.Duration) error // waits on the wall clock when nil
	Parallel   int                                        // storage requests in flight per call; 16 when zero
	Feed       *feed.Feed                                 // where commits publish; opened over the same store when nil
	Log        *slog.Logger                               // discarded when nil
}

// Registry is the store of items. It is safe for concurrent use by any number of processes. Its parts share
// one store of rows.
type Registry struct {
	Items    *Items
	Jobs     *Jobs
	Hosts    *Hosts
	Changes  *Changes
	Rebuilds *Rebuilds
	Moves    *Moves
	Aliases  *Aliases
	Tags     *Tags

	s *store
}

type (
	// Items registers sources, finds and lists their items, changes what is set for them, moves their checks
	// forward and removes them.
	Items struct{ s *store }

	// Jobs gives items to workers, and takes what they find.
	Jobs struct{ s *store }

	// Hosts has what is agreed on and known about hosts.
	Hosts struct {
		s    *store
		jobs *Jobs
	}

	// Changes judges what sites say of changes of their pages, and uses it where it proves true.
	Changes struct{ s *store }

	// Rebuilds has items indexed anew.
	Rebuilds struct {
		s    *store
		jobs *Jobs
	}

	// Moves has items go on under another identity.
	Moves struct {
		s     *store
		items *Items
		jobs  *Jobs
	}

	// Aliases lead from an item to those that it represents.
	Aliases struct {
		s     *store
		items *Items
	}
)

// store reads and writes the rows.
type store struct {
	items, index, hints storage.Table
	hosts               hostLocks
	jobs, slow          storage.Queue
	poisons             []storage.Queue
	o                   Options
	known               recent.Map[storage.Key, struct{}] // hints that no sweep can have taken yet
	sums                *sumStore
	feed                *feed.Feed
	tags                *Tags
}

// New opens a registry over a store. It touches nothing; see [Registry.Create].
func New(under storage.Store, o Options) *Registry {
	o = withDefaults(o)
	items, index, hints := Tables(o.Table)
	s := &store{
		items: under.Table(items), index: under.Table(index), hints: under.Table(hints),
		jobs: under.Queue(JobQueue), slow: under.Queue(SlowQueue), o: o,
		poisons: []storage.Queue{under.Queue(PoisonQueue), under.Queue(SlowPoisonQueue)},
		known:   recent.Map[storage.Key, struct{}]{Most: 10_000},
	}
	if s.feed = o.Feed; s.feed == nil {
		s.feed = feed.Open(under, o.Clock)
	}
	s.sums = &sumStore{s: s}
	s.tags = &Tags{s: s}
	i, j := &Items{s}, &Jobs{s}
	return &Registry{
		Items: i, Jobs: j, Hosts: &Hosts{s, j}, Changes: &Changes{s},
		Rebuilds: &Rebuilds{s, j}, Moves: &Moves{s, i, j}, Aliases: &Aliases{s, i}, Tags: s.tags,
		s: s,
	}
}

func withDefaults(o Options) Options {
	if o.Table == "" {
		o.Table = DefaultTable
	}
	if o.Strategy == "" {
		o.Strategy = source.ByHost
	}
	if o.Politeness == nil {
		o.Politeness = func(string) Politeness {
			return Politeness{MinDelay: time.Second, MaxDelay: 2 * time.Second, MaxConcurrent: 1}
		}
	}
	if o.Schedule == (schedule.Config{}) {
		o.Schedule = schedule.Defaults()
	}
	defaults.Clock(&o.Clock)
	defaults.Jitter(&o.Jitter)
	if o.Token == nil {
		o.Token = rand.Text
	}
	defaults.Sleep(&o.Sleep)
	if o.Parallel == 0 {
		o.Parallel = 16
	}
	defaults.Log(&o.Log)
	return o
}

// Create makes the tables and queues that are missing. The poison queues are the host's to fill, but
// their triggers complain until they are there.
func (r *Registry) Create(ctx context.Context) error {
	makers := []func(context.Context) error{r.s.items.Create, r.s.index.Create, r.s.hints.Create, r.s.jobs.Create,
		r.s.slow.Create, r.s.feed.Create}
	for _, q := range r.s.poisons {
		makers = append(makers, q.Create)
	}
	return r.s.parallel(ctx, len(makers), func(ctx context.Context, i int) error { return makers[i](ctx) })
}

// now is the time as rows know it.
func (r *store) now() time.Time { return policy.Stamp(r.o.Clock()) }

// parallel runs fn for 0..n-1, at most Options.Parallel at once, and in order when that is 1.
func (r *store) parallel(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	if r.o.Parallel == 1 || n == 1 {
		for i := range n {
			if err := fn(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.o.Parallel)
	for i := range n {
		g.Go(func() error { return fn(ctx, i) })
	}
	return g.Wait()
}

// load reads the items of a job and the row of its host.
func (r *store) load(ctx context.Context, job Job) ([]Item, hostEntry, error) {
	items, err := r.loadItems(ctx, job.PartitionKey, job.Hashes())
	if err != nil {
		return nil, hostEntry{}, err
	}
	h, err := r.loadHost(ctx, job.PartitionKey, job.Host) // last: it changes most often
	return items, h, err
}

// loadItems reads items by point reads. Those that do not exist come back with an empty ETag.
func (r *store) loadItems(ctx context.Context, partition string, hashes []string) ([]Item, error) {
	items := make([]Item, len(hashes))
	err := r.parallel(ctx, len(hashes), func(ctx context.Context, i int) (err error) {
		items[i], err = r.loadItem(ctx, storage.Key{Partition: partition, Row: hashes[i]})
		return err
	})
	return items, err
}

func (r *store) loadItem(ctx context.Context, key storage.Key) (Item, error) {
	e, err := r.items.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return item.Missing(key), nil
	}
	if err != nil {
		return Item{}, err
	}
	return item.Of(e), nil
}

// onHost runs fn, which reads and writes a host's row, as the only one in this process, and again
// while it reports a conflict: somebody elsewhere moved first, so decide anew with a little
// patience. Many losses in a row are reported as Throttled.
func (r *store) onHost(ctx context.Context, partition, host string, fn func(ctx context.Context) error) error {
	unlock, err := r.hosts.lock(ctx, hostID{partition, host})
	if err != nil {
		return err
	}
	defer unlock()
	return r.retry(ctx, fn)
}

func (r *store) retry(ctx context.Context, fn func(ctx context.Context) error) error {
	const tries = 30
	for try := range tries {
		err := fn(ctx)
		if !fault.Is(err, fault.Conflict) {
			return err
		}
		wait := time.Duration((0.5 + r.o.Jitter()) * float64(int64(10*time.Millisecond)<<min(try, 4)))
		if err := r.o.Sleep(ctx, wait); err != nil {
			return err
		}
	}
	return fault.After(2*time.Second, "too many writers at once: gave up after %d conflicts", tries)
}
