package registry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Names of what the registry keeps its state in. The two pointer tables follow the items table's
// name when that is changed, so that two registries can share an account.
const (
	DefaultTable = "IngestItems"
	JobQueue     = "crawl-jobs"
	PoisonQueue  = JobQueue + "-poison"
)

// Options adjust a registry. The zero value works.
type Options struct {
	Table      string                                     // items table; [DefaultTable] when empty
	Strategy   source.Strategy                            // [source.ByHost] when empty
	Politeness func(host string) Politeness               // one request a second when nil
	Clock      func() time.Time                           // the wall clock when nil
	Jitter     func() float64                             // uniform in [0,1); math/rand when nil
	Token      func() string                              // unique lock owners; crypto/rand when nil
	Sleep      func(context.Context, time.Duration) error // waits on the wall clock when nil
	Parallel   int                                        // storage requests in flight per call; 16 when zero
	Log        *slog.Logger                               // discarded when nil
}

// Registry is the store of items. It is safe for concurrent use by any number of processes.
type Registry struct {
	items, index, hints storage.Table
	hosts               hostLocks
	jobs, poison        storage.Queue
	o                   Options
	known               hintCache
}

// New opens a registry over a store. It touches nothing; see [Registry.Create].
func New(store storage.Store, o Options) *Registry {
	o = withDefaults(o)
	items, index, hints := Tables(o.Table)
	return &Registry{
		items: store.Table(items), index: store.Table(index), hints: store.Table(hints),
		jobs: store.Queue(JobQueue), poison: store.Queue(PoisonQueue), o: o,
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
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = mathrand.Float64
	}
	if o.Token == nil {
		o.Token = newToken
	}
	if o.Sleep == nil {
		o.Sleep = Sleep
	}
	if o.Parallel == 0 {
		o.Parallel = 16
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func newToken() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

// Create makes the tables and queues that are missing. The poison queue is the host's to fill, but
// its trigger complains until it is there.
func (r *Registry) Create(ctx context.Context) error {
	makers := []func(context.Context) error{r.items.Create, r.index.Create, r.hints.Create, r.jobs.Create, r.poison.Create}
	return r.parallel(ctx, len(makers), func(ctx context.Context, i int) error { return makers[i](ctx) })
}

// now is the time as rows know it.
func (r *Registry) now() time.Time { return stamp(r.o.Clock()) }

// parallel runs fn for 0..n-1, at most Options.Parallel at once, and in order when that is 1.
func (r *Registry) parallel(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
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
func (r *Registry) load(ctx context.Context, job Job) ([]Item, hostEntry, error) {
	hashes := make([]string, len(job.Items))
	for i, it := range job.Items {
		hashes[i] = it.RowKey
	}
	items, err := r.loadItems(ctx, job.PartitionKey, hashes)
	if err != nil {
		return nil, hostEntry{}, err
	}
	h, err := r.loadHost(ctx, job.PartitionKey, job.Host) // last: it changes most often
	return items, h, err
}

// loadItems reads items by point reads. Those that do not exist come back with an empty ETag.
func (r *Registry) loadItems(ctx context.Context, partition string, hashes []string) ([]Item, error) {
	items := make([]Item, len(hashes))
	err := r.parallel(ctx, len(hashes), func(ctx context.Context, i int) (err error) {
		items[i], err = r.loadItem(ctx, storage.Key{Partition: partition, Row: hashes[i]})
		return err
	})
	return items, err
}

func (r *Registry) loadItem(ctx context.Context, key storage.Key) (Item, error) {
	e, err := r.items.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return Item{key: key}, nil
	}
	if err != nil {
		return Item{}, err
	}
	return itemOf(e), nil
}

// hostEntry is a host's state with the revision it was read at.
type hostEntry struct {
	hostState
	key  storage.Key
	etag storage.ETag
}

func (r *Registry) loadHost(ctx context.Context, partition, host string) (hostEntry, error) {
	h := hostEntry{key: storage.Key{Partition: partition, Row: hostRow(host)}}
	e, err := r.items.Get(ctx, h.key)
	if err == nil {
		h.etag = e.ETag
		decode(hostColumns, e.Props, &h.hostState)
	} else if !fault.Is(err, fault.NotFound) {
		return hostEntry{}, err
	}
	h.Host = host
	return h, nil
}

// op writes the host's row: an insert if it was not there, else If-Match.
func (h *hostEntry) op() storage.Op {
	kind := storage.Replace
	if h.etag == "" {
		kind = storage.Insert
	}
	return storage.Op{Kind: kind, Entity: storage.Entity{
		Key: h.key, ETag: h.etag, Props: encode(hostColumns, h.hostState),
	}}
}

// onHost runs fn, which reads and writes a host's row, as the only one in this process, and again
// while it reports a conflict: somebody elsewhere moved first, so decide anew with a little
// patience. Many losses in a row are reported as Throttled.
func (r *Registry) onHost(ctx context.Context, partition, host string, fn func(ctx context.Context) error) error {
	unlock, err := r.hosts.lock(ctx, hostID{partition, host})
	if err != nil {
		return err
	}
	defer unlock()
	return r.retry(ctx, fn)
}

func (r *Registry) retry(ctx context.Context, fn func(ctx context.Context) error) error {
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

// Sleep waits on the wall clock for d, or until ctx is done, whose error it then returns.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// hintCache remembers hints that this process wrote and no sweep can have taken yet, because
// their minute is still to come. It is bounded by forgetting everything.
type hintCache struct {
	mu   sync.Mutex
	seen map[storage.Key]time.Time
}

func (c *hintCache) has(key storage.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.seen[key]
	return ok
}

func (c *hintCache) add(key storage.Key, at time.Time) {
	const bound = 10_000
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil || len(c.seen) >= bound {
		c.seen = map[storage.Key]time.Time{}
	}
	c.seen[key] = at
}
