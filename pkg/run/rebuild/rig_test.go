package rebuild_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// rig is a registry with workers that decide the result of each page by its path, and the service over a store with
// faults.
type rig struct {
	*runtest.Rig
	*rebuild.Service
	reg     *registry.Registry
	entries *entries.Store // over the store with faults
	shelf   shelf
	// by is the run that captures the indexed pages, under a version.
	by    string
	under lineage.Version
}

// shelf is an index that knows only the pages that it was given.
type shelf struct{ pages map[string]search.Page }

func (s shelf) Put(_ context.Context, pages ...search.Page) error {
	for _, p := range pages {
		s.pages[p.ID] = p
	}
	return nil
}

func (s shelf) Remove(_ context.Context, id string, _ *search.Contents) error {
	delete(s.pages, id)
	return nil
}

func (s shelf) Inspect(_ context.Context, id string) (search.Stored, error) {
	p, ok := s.pages[id]
	if !ok {
		return search.Stored{}, fault.New(fault.NotFound, "no page %s", id)
	}
	return search.Stored{Chunks: p.Contents().Chunks}, nil
}

// push stores entries without writing them to the index, as if it had been lost since.
func (r *rig) push(n int) {
	r.Helper()
	for range n {
		_, err := r.entries.In(entries.Production).Insert(r.Context(), entry.Fields{"source": "notes",
			"clean_text": "tide"})
		r.Must(err)
	}
	r.Clock.Pass(time.Hour)
	_, err := r.entries.FlushOutbox(r.Context())
	r.Must(err)
	clear(r.shelf.pages)
}

// onStores runs a test in memory and on the embedded store.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	runtest.OnStores(t, func(t *testing.T, open runtest.Open) { test(t, newRig(t, open)) })
}

func newRig(t *testing.T, open runtest.Open) *rig {
	t.Helper()
	r := &rig{Rig: runtest.New(t, open, runtest.Noon), by: "crawl", under: lineage.Current,
		shelf: shelf{map[string]search.Page{}}}
	r.reg = r.Registry(r.Store)
	r.Must(r.reg.Create(t.Context()))
	r.Must(snapshot.New(r.Store).Create(t.Context()))
	r.entries = entries.New(r.Seen, entries.Options{Clock: r.Clock.Now, Index: r.shelf})
	r.Must(r.entries.Create(t.Context()))
	r.Service = rebuild.New(r.Seen, r.Registry(r.Seen), snapshot.New(r.Seen), rebuild.Options{Clock: r.Clock.Now,
		Entries: r.entries})
	r.Must(r.Create(t.Context()))
	return r
}

// index registers pages and indexes all of them.
func (r *rig) index(urls ...string) {
	r.Helper()
	r.Register(r.reg, urls...)
	r.work(func(string) registry.Status { return registry.Indexed })
}

// work lets workers finish all jobs.
func (r *rig) work(ends func(url string) registry.Status) {
	r.Helper()
	q := r.Store.Queue(registry.JobQueue)
	for {
		got, err := q.Receive(r.Context(), 32, time.Minute)
		r.Must(err)
		if len(got) == 0 {
			if swept, err := r.reg.Jobs.Sweep(r.Context()); err != nil || swept.Claimed == 0 {
				r.Must(err)
				return
			}
		}
		for _, m := range got {
			job, err := registry.ParseJob(m.Body)
			r.Must(err)
			r.finish(job, ends)
			r.Must(q.Delete(r.Context(), m))
		}
	}
}

func (r *rig) finish(job registry.Job, ends func(url string) registry.Status) {
	r.Helper()
	batch, err := r.reg.Jobs.Begin(r.Context(), job)
	r.Must(err)
	if batch == nil {
		return
	}
	var done []registry.Finding
	for _, it := range batch.Items {
		f := *it
		f.Status, f.IndexedHash, f.IndexPending = ends(f.NormalizedSource), "", false
		if f.Status == registry.Indexed {
			f.IndexedHash = "sha256:1"
			r.capture(&f)
		}
		f.ProcessedGeneration, f.ReindexRequested = f.ReindexGeneration, false
		f.Rebuilt(f.Status == registry.Indexed)
		f.CheckAt(r.Clock.Now().Add(24 * time.Hour))
		done = append(done, registry.Finding{Item: f})
	}
	r.Must(r.reg.Jobs.Commit(r.Context(), batch, done, registry.HostFinding{}, true))
}

// capture stores a body for a page that has none yet: its address.
func (r *rig) capture(f *registry.Item) {
	r.Helper()
	if f.RawHash != "" {
		return
	}
	body := []byte(f.NormalizedSource)
	f.RawHash, f.NormalizationVersion = snapshot.Hash(body), r.under.String()
	_, err := snapshot.New(r.Store).Save(r.Context(), snapshot.Capture{
		ItemID: f.ID, RawHash: f.RawHash, NormalizationVersion: f.NormalizationVersion, RunID: r.by,
		CapturedAt: r.Clock.Now(),
	}, body, snapshot.Had{})
	r.Must(err)
}

// byPath decides the result of a page: /out… leaves the index, /bad… fails, all others are indexed.
func byPath(url string) registry.Status {
	switch {
	case strings.Contains(url, "/out"):
		return registry.OutOfScope
	case strings.Contains(url, "/bad"):
		return registry.Error
	}
	return registry.Indexed
}

// step performs the step of the one visible message, and returns the run afterwards.
func (r *rig) step(id string) rebuild.Run {
	r.Helper()
	bodies := r.Messages(rebuild.Queue)
	if len(bodies) != 1 {
		r.Fatalf("%d messages, want one", len(bodies))
	}
	r.Must(r.Step(r.Context(), bodies[0]))
	return r.run(id)
}

func (r *rig) run(id string) rebuild.Run {
	r.Helper()
	run, err := r.Get(r.Context(), id)
	r.Must(err)
	return run
}

// end performs steps until a run is done.
func (r *rig) end(id string) rebuild.Run {
	r.Helper()
	r.Finish(rebuild.Queue, r, func() bool {
		r.work(byPath)
		return r.run(id).State == rebuild.Done
	})
	return r.run(id)
}
