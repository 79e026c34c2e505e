// Package runtest contains what the tests of runs share: a store with a clock and faults, a host that delivers
// messages, and a web with pages that the test defines.
package runtest

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// Open opens a new store that takes the time from the function now.
type Open func(t testing.TB, now func() time.Time) storage.Store

// Stores are the stores that tests run on: one in memory, and the embedded one.
var Stores = map[string]Open{
	"mem": func(_ testing.TB, now func() time.Time) storage.Store { return mem.New(now) },
	"embedded": func(t testing.TB, now func() time.Time) storage.Store {
		dir, err := os.MkdirTemp("/dev/shm", "tidemark-") // in memory, without the cost of syncs to a disk
		if err != nil {
			dir = t.TempDir()
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		s, err := sqlitestore.Open(dir, sqlitestore.Options{Now: now})
		Must(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	},
}

// OnStores runs a test on each store.
func OnStores(t *testing.T, test func(t *testing.T, open Open)) {
	for name, open := range Stores {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// Must ends a test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Rig is a store, together with a second view of that store. The second view has a hook, which can make operations
// fail. The rigs of other packages embed Rig.
type Rig struct {
	*testing.T
	Clock *Clock
	Store storage.Store // the store itself
	Seen  storage.Store // the store as the tested service sees it, with faults
	Hook  Hook
}

// Noon is the time at which tests begin, unless they choose another time.
var Noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// New returns a rig with a new store. The rig's clock shows the given time.
func New(t *testing.T, open Open, at time.Time) *Rig {
	r := &Rig{T: t, Clock: &Clock{now: at}}
	r.Store = open(t, r.Clock.Now)
	r.Seen = storagetest.Hooked(r.Store, &r.Hook)
	return r
}

// Must ends the test if there is an error.
func (r *Rig) Must(err error) {
	r.Helper()
	Must(r.T, err)
}

// Clock is a clock that the test moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass moves the clock forward.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Messages removes the visible messages from a queue and returns them.
func (r *Rig) Messages(queue string) (bodies [][]byte) {
	r.Helper()
	q := r.Store.Queue(queue)
	got, err := q.Receive(r.Context(), storage.MaxReceive, time.Minute)
	r.Must(err)
	for _, m := range got {
		bodies = append(bodies, m.Body)
		r.Must(q.Delete(r.Context(), m))
	}
	return bodies
}

// Stepper is a service with runs.
type Stepper interface {
	Step(ctx context.Context, body []byte) error
	RequeueStalled(ctx context.Context) (int, error)
}

// Finish works like the app until the given function returns true: it delivers the messages of a queue, a second time
// if a step fails, and calls the watchdog every 20 seconds.
func (r *Rig) Finish(queue string, s Stepper, over func() bool) {
	r.Helper()
	for range 400 {
		for _, body := range r.Messages(queue) {
			if s.Step(r.Context(), body) != nil {
				_ = s.Step(r.Context(), body)
			}
		}
		if over() {
			return
		}
		r.Clock.Pass(20 * time.Second)
		_, _ = s.RequeueStalled(r.Context()) // the watchdog may fail like any other call
	}
	r.Fatal("the run does not end")
}

// Rows returns those keys of a table's rows that contain a text.
func (r *Rig) Rows(table, text string) (keys []string) {
	r.Helper()
	rows, err := storagetest.Dump(r.Context(), r.Store, table)
	r.Must(err)
	for key := range rows {
		if strings.Contains(key, text) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Registry opens a registry over a store of the rig. Its politeness allows four requests at once.
func (r *Rig) Registry(s storage.Store) *registry.Registry {
	return registry.New(s, registry.Options{
		Clock: r.Clock.Now, Parallel: 1, Sleep: func(context.Context, time.Duration) error { return nil },
		Politeness: func(string) policy.Politeness { return policy.Politeness{MaxConcurrent: 4} },
	})
}

// Register adds sources, as a caller other than the tested service would.
func (r *Rig) Register(reg *registry.Registry, urls ...string) {
	r.Helper()
	var all []source.Source
	for _, u := range urls {
		s, err := source.DefaultRules().ParseURL(u)
		r.Must(err)
		all = append(all, s)
	}
	for _, got := range reg.Items.Register(r.Context(), all, registry.RegisterOptions{}) {
		r.Must(got.Err)
	}
}

// Items returns all items of a registry, by address.
func (r *Rig) Items(reg *registry.Registry) map[string]registry.Item {
	r.Helper()
	all, err := reg.Items.List(r.Context(), registry.ListQuery{Top: 10_000})
	r.Must(err)
	out := map[string]registry.Item{}
	for _, it := range all {
		out[it.NormalizedSource] = it
	}
	return out
}

// Check reports contradictions in the rows of a registry as test errors.
func (r *Rig) Check(reg *registry.Registry) {
	r.Helper()
	found, err := reg.Check(r.Context())
	r.Must(err)
	for _, v := range found {
		r.Error(v)
	}
}
