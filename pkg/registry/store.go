package registry

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/undo"
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
	overdue             overdue

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

// Send sends jobs for claimed items. A failure is only logged: the due rows record how long the jobs may take to
// arrive, and after that time a sweep sends other jobs.
func (r *rowStore) Send(ctx context.Context, partition, host, reason string, items []JobItem) {
	for some := range slices.Chunk(items, policy.JobItems) {
		job := Job{PartitionKey: partition, Host: host, Items: some, Reason: reason,
			TraceParent: telemetry.TraceParent(ctx)}
		body, _ := json.Marshal(job) // strings and numbers always encode
		if err := r.Jobs.Send(ctx, body, 0); err != nil {
			r.Options.Log.WarnContext(ctx, "crawl job not sent; the sweep will", "host", host, "items", len(some),
				"kind", fault.KindOf(err))
		}
	}
}

// The names of the registry's tables and queues. The names of the tables for pointers and hints are made from the
// name of the items table, so that two registries can share an account.
const (
	DefaultTable = "IngestItems"
	JobQueue     = "crawl-jobs"
	PoisonQueue  = JobQueue + "-poison"
	// SlowQueue is the queue for the jobs of hosts that do not answer.
	SlowQueue       = JobQueue + "-slow"
	SlowPoisonQueue = SlowQueue + "-poison"
)

// Options adjust a registry. The zero value works.
type Options struct {
	Table      string                                     // name of the items table; [DefaultTable] when empty
	Strategy   source.Strategy                            // [source.ByHost] when empty
	Politeness func(host string) policy.Politeness        // pace and quotas of a host; one request a second when nil
	Schedule   schedule.Config                            // for replanned checks; [schedule.Defaults] when zero
	Clock      func() time.Time                           // the wall clock when nil
	Jitter     func() float64                             // returns uniform numbers in [0,1); math/rand when nil
	Token      func() string                              // returns unique names of lock owners; crypto/rand when nil
	Sleep      func(context.Context, time.Duration) error // waits on the wall clock when nil
	Parallel   int                                        // storage requests that one call has in flight; 16 when zero
	Feed       *feed.Feed                                 // for changes of commits; opened over the same store when nil
	Undo       *undo.Log                                  // takes back what people do; nothing is taken back when nil
	Log        *slog.Logger                               // discarded when nil
}

// Tables returns the table names of a registry with the given name of the items table. If the name is empty,
// [DefaultTable] is used.
func Tables(items string) (itemsTable, index, hints string) {
	if items == "" || items == DefaultTable {
		return DefaultTable, "IngestIndex", "DueHints"
	}
	return items, items + "Index", items + "Hints"
}

func withDefaults(o Options) Options {
	o.Table = cmp.Or(o.Table, DefaultTable)
	o.Strategy = cmp.Or(o.Strategy, source.ByHost)
	if o.Politeness == nil {
		o.Politeness = func(string) policy.Politeness {
			return policy.Politeness{MinDelay: time.Second, MaxDelay: 2 * time.Second, MaxConcurrent: 1}
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
	o.Parallel = cmp.Or(o.Parallel, 16)
	defaults.Log(&o.Log)
	return o
}

// The daily budget of all hosts together is divided over a few rows of the index table. Not every batch writes these
// rows: a host reserves a portion of the budget, and reserves another one when the portion is used up. So a busy host
// writes the rows only once for several batches. If there is no such budget, the rows are never written.

// totalPartition is the partition of the rows with the total budget.
const totalPartition = "total"

var totalRows = row.Of[policy.Share]()

// Share reserves, from the total budget, what a host lacks for n requests. It adds the reserved amount to the host,
// and the caller must write the host if it has changed. Share also stores the amount in *taken, for another try if
// that write fails.
func (r *rowStore) Share(ctx context.Context, host *hostRecord, n int, p policy.Politeness,
	taken *policy.Budget) (changed bool, err error) {
	now, s := r.Now(), &host.Policy
	s.StartDay(now)
	s.Today.Granted = s.Today.Granted.Plus(*taken)
	want := s.Wants(now, n, p)
	if want == (policy.Budget{}) {
		return *taken != policy.Budget{}, nil
	}
	got, err := r.spendTotal(ctx, host.Key.Partition+host.Host, s.Today.Began, want, p.Total)
	*taken = taken.Plus(got)
	s.Today.Grant(got, p, err == nil)
	return true, err
}

// spendTotal spends from the rows of the total budget. It begins with a row that depends on the host. If there is an
// error, the returned amount is spent all the same.
func (r *rowStore) spendTotal(ctx context.Context, host string, day time.Time,
	want, total policy.Budget) (got policy.Budget, err error) {
	first := int(xxhash.Sum64String(host) % policy.Shares)
	for i := range policy.Shares {
		shard := (first + i) % policy.Shares
		lacks := policy.Budget{Requests: want.Requests - got.Requests, Bytes: want.Bytes - got.Bytes}
		some, err := r.spendPart(ctx, shard, day, lacks, total)
		if got = got.Plus(some); err != nil || got == want {
			return got, err
		}
	}
	return got, nil
}

// spendPart spends from one row, up to the amount that remains in the row.
func (r *rowStore) spendPart(ctx context.Context, shard int, day time.Time,
	want, total policy.Budget) (got policy.Budget, err error) {
	key := storage.Key{Partition: totalPartition, Row: fmt.Sprint(shard)}
	err = r.Retry(ctx, func(ctx context.Context) error {
		got = policy.Budget{}
		part, etag, err := totalRows.Load(ctx, r.Index, key)
		if err != nil {
			return err
		}
		give := part.Spend(day, want, total, shard)
		if give == (policy.Budget{}) {
			return nil
		}
		if _, err = r.Index.Transact(ctx, totalRows.Put(key, etag, &part)); err == nil {
			got = give
		}
		return asConflict(err)
	})
	return got, err
}
