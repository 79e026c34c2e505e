package registry

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// clock is a clock that tests advance.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// bench is a registry over an empty store.
type bench struct {
	*Registry
	clock   *clock
	another func() *Registry // of another process over the same store
}

// opener makes a bench; the store under it is closed when the test ends.
type opener func(t testing.TB, o Options) bench

// onStores runs a test on every store that needs no service, because the tested promise depends on promises of the
// store. The embedded store makes the same promises as memory, but keeps them by other means.
func onStores(t *testing.T, test func(t *testing.T, open opener)) {
	t.Run("mem", func(t *testing.T) { test(t, openMem) })
	t.Run("embedded", func(t *testing.T) { test(t, openEmbedded) })
}

func openMem(t testing.TB, o Options) bench {
	t.Helper()
	c := newClock()
	under := mem.New(c.Now)
	return openOn(t, func() storage.Store { return under }, c, o)
}

func openEmbedded(t testing.TB, o Options) bench {
	t.Helper()
	c, dir := newClock(), storagetest.TempDir(t)
	return openOn(t, func() storage.Store {
		under, err := sqlitestore.Open(dir, sqlitestore.Options{Now: c.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { under.Close() })
		return under
	}, c, o)
}

func openOn(t testing.TB, under func() storage.Store, c *clock, o Options) bench {
	t.Helper()
	o.Clock = c.Now
	if o.Politeness == nil {
		o.Politeness = func(string) policy.Politeness { return policy.Politeness{MaxConcurrent: 4} }
	}
	b := bench{New(under(), o), c, func() *Registry { return New(under(), o) }}
	if err := b.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b bench) check(t testing.TB) {
	t.Helper()
	found, err := b.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

func parse(t testing.TB, urls ...string) []source.Source {
	t.Helper()
	var out []source.Source
	for _, u := range urls {
		s, err := source.DefaultRules().ParseURL(u)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func (b bench) register(t testing.TB, o RegisterOptions, urls ...string) []Registered {
	t.Helper()
	got := b.Items.Register(t.Context(), parse(t, urls...), o)
	for _, g := range got {
		if g.Err != nil {
			t.Fatal(g.Err)
		}
	}
	return got
}

// take receives every visible job from the queue.
func (b bench) take(t testing.TB) []Job {
	t.Helper()
	var out []Job
	for {
		messages, err := b.s.Jobs.Receive(t.Context(), 32, 10*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) == 0 {
			return out
		}
		for _, m := range messages {
			j, err := ParseJob(m.Body)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, j)
			if err := b.s.Jobs.Delete(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func pages(host string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("https://%s/page/%d", host, i))
	}
	return out
}

// finish commits every item of a batch as indexed, due again in a day.
func (b bench) finish(t testing.TB, batch *Batch) {
	t.Helper()
	b.finishAs(t, batch, HostFinding{})
}

// finishAsking commits like finish, with one request of a hundred bytes for each item.
func (b bench) finishAsking(t testing.TB, batch *Batch) {
	t.Helper()
	n := int64(len(batch.Items))
	b.finishAs(t, batch, HostFinding{Asked: policy.Budget{Requests: n, Bytes: 100 * n}})
}

func (b bench) finishAs(t testing.TB, batch *Batch, host HostFinding) {
	t.Helper()
	var done []Finding
	for _, it := range batch.Items {
		f := *it
		f.Status = Indexed
		f.ProcessedGeneration, f.ReindexRequested = f.ReindexGeneration, false
		f.CheckAt(b.clock.Now().Add(24 * time.Hour))
		done = append(done, Finding{Item: f, Changed: true})
	}
	if err := b.Jobs.Commit(t.Context(), batch, done, host, true); err != nil {
		t.Fatal(err)
	}
}

func (b bench) begin(t testing.TB, job Job) *Batch {
	t.Helper()
	batch, err := b.Jobs.Begin(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return batch
}
