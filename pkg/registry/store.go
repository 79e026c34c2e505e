package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/feed"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"golang.org/x/sync/errgroup"
)

// rowStore reads and writes the rows of a registry, and is safe for concurrent use by any number of processes. It
// ensures that every due row has a hint by which a sweep finds it, even after a crash, and that rows that must change
// together change in one transaction. What the rows contain is decided by the parts of the registry.
type rowStore struct {
	Items, Index, Hints storage.Table // the comment of package registry describes their rows
	Jobs, Slow          storage.Queue // the queues for jobs, see [JobQueue] and [SlowQueue]
	Options             Options       // with defaults in place of zero values
	Sums                *sums

	poisons []storage.Queue
	hosts   hostLocks
	known   recent.Map[storage.Key, struct{}] // hints that no sweep can have deleted yet
}

// newRowStore opens the rows of a registry in a store. It sends no request; see [rowStore.Create].
func newRowStore(under storage.Store, o Options) *rowStore {
	o = withDefaults(o)
	if o.Feed == nil {
		o.Feed = feed.Open(under, o.Clock)
	}
	items, index, hints := Tables(o.Table)
	s := &rowStore{
		Items: under.Table(items), Index: under.Table(index), Hints: under.Table(hints),
		Jobs: under.Queue(JobQueue), Slow: under.Queue(SlowQueue), Options: o,
		poisons: []storage.Queue{under.Queue(PoisonQueue), under.Queue(SlowPoisonQueue)},
		known:   recent.Map[storage.Key, struct{}]{Most: 10_000},
	}
	s.Sums = &sums{s: s}
	return s
}

// Create creates the tables and queues that are missing. Only the Functions host writes to the poison queues, but
// their triggers log errors as long as the queues do not exist.
func (r *rowStore) Create(ctx context.Context) error {
	makers := []func(context.Context) error{r.Items.Create, r.Index.Create, r.Hints.Create, r.Jobs.Create,
		r.Slow.Create, r.Options.Feed.Create}
	for _, q := range r.poisons {
		makers = append(makers, q.Create)
	}
	return r.Parallel(ctx, len(makers), func(ctx context.Context, i int) error { return makers[i](ctx) })
}

// Now returns the time, rounded as rows store it.
func (r *rowStore) Now() time.Time { return policy.Stamp(r.Options.Clock()) }

// Parallel calls fn with 0 to n-1. At most Options.Parallel calls run at the same time; if that is 1, they run in
// order.
func (r *rowStore) Parallel(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	if r.Options.Parallel == 1 || n == 1 {
		for i := range n {
			if err := fn(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.Options.Parallel)
	for i := range n {
		g.Go(func() error { return fn(ctx, i) })
	}
	return g.Wait()
}

// LockHost waits for the right to write a host row. No other goroutine of this process gets that right until the
// function unlock is called.
func (r *rowStore) LockHost(ctx context.Context, id hostID) (unlock func(), err error) {
	return r.hosts.lock(ctx, id)
}

// OnHost runs fn, which reads and writes a host row, while it holds the lock of that row in this process. If another
// process has written the row first, fn must return a Conflict, and OnHost runs it again, like [rowStore.Retry].
func (r *rowStore) OnHost(ctx context.Context, partition, host string, fn func(ctx context.Context) error) error {
	unlock, err := r.hosts.lock(ctx, hostID{partition, host})
	if err != nil {
		return err
	}
	defer unlock()
	return r.Retry(ctx, fn)
}

// Retry runs fn. As long as fn returns a Conflict, Retry runs it again after a short wait. After thirty tries it
// returns a Throttled error.
func (r *rowStore) Retry(ctx context.Context, fn func(ctx context.Context) error) error {
	const tries = 30
	for try := range tries {
		err := fn(ctx)
		if !fault.Is(err, fault.Conflict) {
			return err
		}
		wait := time.Duration((0.5 + r.Options.Jitter()) * float64(int64(10*time.Millisecond)<<min(try, 4)))
		if err := r.Options.Sleep(ctx, wait); err != nil {
			return err
		}
	}
	return fault.After(2*time.Second, "too many writers at once: gave up after %d conflicts", tries)
}
