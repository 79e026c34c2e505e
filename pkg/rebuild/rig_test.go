package rebuild_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/rebuild"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/mem"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// rig is a registry with workers that know how each page ends by its path, and the service over what
// a hook leaves of the store.
type rig struct {
	*testing.T
	*rebuild.Service
	now     time.Time
	store   storage.Store
	reg     *registry.Registry
	hook    storagetest.Hooks
	entries *entries.Store // over what the hook leaves
	shelf   shelf
}

// shelf is an index that knows of what pages it was given, and no more.
type shelf struct{ pages map[string]search.Page }

func (s shelf) Put(_ context.Context, pages ...search.Page) error {
	for _, p := range pages {
		s.pages[p.ID] = p
	}
	return nil
}

func (s shelf) Remove(_ context.Context, id string, _ *search.Held) error {
	delete(s.pages, id)
	return nil
}

func (s shelf) Holds(_ context.Context, id string) (search.Holding, error) {
	p, ok := s.pages[id]
	if !ok {
		return search.Holding{}, fault.New(fault.NotFound, "no page %s", id)
	}
	return search.Holding{Chunks: p.Holds().Chunks}, nil
}

// push stores entries, which the index is not given: it was lost since.
func (r *rig) push(n int) {
	r.Helper()
	for range n {
		_, err := r.entries.In(entries.Production).Insert(r.Context(), entries.Fields{"source": "notes", "clean_text": "tide"})
		must(r.T, err)
	}
	r.now = r.now.Add(time.Hour)
	_, err := r.entries.Drain(r.Context())
	must(r.T, err)
	clear(r.shelf.pages)
}

// OnBefore and OnAfter of a rig's hook may be set at any time.
func (r *rig) Before(ctx context.Context, c storagetest.Call) error { return r.hook.Before(ctx, c) }

func (r *rig) After(ctx context.Context, c storagetest.Call, err error) error {
	return r.hook.After(ctx, c, err)
}

// onStores runs a test in memory and on the embedded store.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	for name, open := range openers {
		t.Run(name, func(t *testing.T) { test(t, newRig(t, open)) })
	}
}

var openers = map[string]func(t *testing.T, now func() time.Time) storage.Store{
	"mem": func(_ *testing.T, now func() time.Time) storage.Store { return mem.New(now) },
	"embedded": func(t *testing.T, now func() time.Time) storage.Store {
		dir, err := os.MkdirTemp("/dev/shm", "tidemark-") // what a sync is worth is shown in package sqlitestore
		if err != nil {
			dir = t.TempDir()
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		s, err := sqlitestore.Open(dir, sqlitestore.Options{Now: now})
		must(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	},
}

func newRig(t *testing.T, open func(t *testing.T, now func() time.Time) storage.Store) *rig {
	t.Helper()
	r := &rig{T: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return r.now }
	r.store = open(t, clock)
	o := registry.Options{Clock: clock, Politeness: func(string) registry.Politeness { return registry.Politeness{MaxConcurrent: 4} }}
	r.reg = registry.New(r.store, o)
	must(t, r.reg.Create(t.Context()))
	seen := storagetest.Hooked(r.store, r)
	r.shelf = shelf{map[string]search.Page{}}
	r.entries = entries.New(seen, entries.Options{Clock: clock, Index: r.shelf})
	must(t, r.entries.Create(t.Context()))
	r.Service = rebuild.New(seen, registry.New(seen, o), snapshot.New(seen), rebuild.Options{Clock: clock, Of: "crawl", Entries: r.entries})
	must(t, r.Create(t.Context()))
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// index registers pages and has all of them indexed.
func (r *rig) index(urls ...string) {
	r.Helper()
	var all []source.Source
	for _, u := range urls {
		s, err := source.DefaultRules().ParseURL(u)
		must(r.T, err)
		all = append(all, s)
	}
	for _, got := range r.reg.Register(r.Context(), all, registry.RegisterOptions{}) {
		must(r.T, got.Err)
	}
	r.work(func(string) registry.Status { return registry.Indexed })
}

// work has workers finish every job there is.
func (r *rig) work(ends func(url string) registry.Status) {
	r.Helper()
	q := r.store.Queue(registry.JobQueue)
	for {
		got, err := q.Receive(r.Context(), 32, time.Minute)
		must(r.T, err)
		if len(got) == 0 {
			if swept, err := r.reg.Sweep(r.Context()); err != nil || swept.Claimed == 0 {
				must(r.T, err)
				return
			}
		}
		for _, m := range got {
			job, err := registry.ParseJob(m.Body)
			must(r.T, err)
			r.finish(job, ends)
			must(r.T, q.Delete(r.Context(), m))
		}
	}
}

func (r *rig) finish(job registry.Job, ends func(url string) registry.Status) {
	r.Helper()
	batch, err := r.reg.Begin(r.Context(), job)
	must(r.T, err)
	if batch == nil {
		return
	}
	var done []registry.Finding
	for _, it := range batch.Items {
		f := *it
		f.Status, f.IndexedHash, f.IndexPending = ends(f.NormalizedSource), "", false
		if f.Status == registry.Indexed {
			f.IndexedHash = "sha256:1"
		}
		f.ProcessedGeneration, f.ReindexRequested = f.ReindexGeneration, false
		f.Rebuilt(f.Status == registry.Indexed)
		f.Bring(r.now.Add(24 * time.Hour))
		done = append(done, registry.Finding{Item: f})
	}
	must(r.T, r.reg.Commit(r.Context(), batch, done, registry.HostFinding{}, true))
}

// byPath is how a page ends: /out… leaves the index, /bad… fails, all others are indexed.
func byPath(url string) registry.Status {
	switch {
	case strings.Contains(url, "/out"):
		return registry.OutOfScope
	case strings.Contains(url, "/bad"):
		return registry.Error
	}
	return registry.Indexed
}

// messages takes the messages of steps that are visible.
func (r *rig) messages() (bodies [][]byte) {
	r.Helper()
	q := r.store.Queue(rebuild.Queue)
	got, err := q.Receive(r.Context(), 32, time.Minute)
	must(r.T, err)
	for _, m := range got {
		bodies = append(bodies, m.Body)
		must(r.T, q.Delete(r.Context(), m))
	}
	return bodies
}

// step does what the one visible message says, and tells how the run is then.
func (r *rig) step(id string) rebuild.Run {
	r.Helper()
	bodies := r.messages()
	if len(bodies) != 1 {
		r.Fatalf("%d messages, want one", len(bodies))
	}
	must(r.T, r.Step(r.Context(), bodies[0]))
	return r.run(id)
}

func (r *rig) run(id string) rebuild.Run {
	r.Helper()
	run, err := r.Get(r.Context(), id)
	must(r.T, err)
	return run
}

// end goes on until a run is done.
func (r *rig) end(id string) rebuild.Run {
	r.Helper()
	for range 100 {
		for _, body := range r.messages() {
			must(r.T, r.Step(r.Context(), body))
		}
		r.work(byPath)
		if run := r.run(id); run.State == rebuild.Done {
			return run
		}
		r.now = r.now.Add(time.Minute)
		_, err := r.Resume(r.Context())
		must(r.T, err)
	}
	r.Fatal("the rebuild does not end")
	return rebuild.Run{}
}
