package backfill_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// world is a run to disturb: the contents of the web, the request, and the result without faults.
type world struct {
	name string
	lay  func(r *rig) backfill.Request
	want tally
	end  backfill.Status
}

var worlds = []world{
	{"sitemaps", func(r *rig) backfill.Request {
		nested(r)
		r.register(runtest.Pages("https://a.example/one/", 2)...)
		return backfill.Request{Sources: []string{"a"}}
	}, tally{Discovered: 20, Queued: 18, Skipped: 2, Duplicates: 3, Documents: 3}, backfill.Completed},
	{"two sources and a cap", func(r *rig) backfill.Request {
		r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 8)...)
		r.web.Pages["https://b.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://b.example/", 8)...)
		return backfill.Request{Sources: []string{"a", "b"}, MaxURLs: 11}
	}, tally{Discovered: 11, Queued: 11, Documents: 2}, backfill.Completed},
	{"one source after the other, one of them down", func(r *rig) backfill.Request {
		r.web.Pages["https://b.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://b.example/", 3)...)
		r.web.Pages["https://a.example/sitemap.xml"] = 500
		return backfill.Request{Sources: []string{"a", "b"}, Concurrency: 1}
	}, tally{Discovered: 3, Queued: 3, Errors: 1, Documents: 1}, backfill.Completed},
	{"dry run", func(r *rig) backfill.Request {
		nested(r)
		r.register(runtest.Pages("https://a.example/one/", 2)...)
		return backfill.Request{Sources: []string{"a"}, DryRun: true}
	}, tally{Discovered: 20, Queued: 18, Skipped: 2, Duplicates: 3, Documents: 3}, backfill.Completed},
	{"more links than one transaction takes", func(r *rig) backfill.Request {
		r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 23)...)
		return backfill.Request{Sources: []string{"a"}, MaxURLs: 7}
	}, tally{Discovered: 7, Queued: 7, Documents: 1}, backfill.Completed},
	modeWorld(backfill.Archive), modeWorld(backfill.Pagination), modeWorld(backfill.Container),
	{"LINKS", layTree, treeTally, backfill.Completed},
	{"LINKS, a cap", func(r *rig) backfill.Request {
		req := layTree(r)
		req.MaxURLs = 3
		return req
	}, tally{Discovered: 3, Queued: 2, Skipped: 1, Excluded: 1, Trapped: 1, Documents: 1}, backfill.Completed},
	{"LINKS, a dry run", func(r *rig) backfill.Request {
		req := layTree(r)
		req.DryRun = true
		return req
	}, treeTally, backfill.Completed},
}

func modeWorld(mode backfill.Mode) world {
	return world{string(mode), func(r *rig) backfill.Request {
		layModes(r)
		return modeRequest(r, mode)
	}, modeTallies[mode], backfill.Completed}
}

// TestE11Faults checks E11: whichever single operation of a run fails, before or after it took effect, the run ends
// in the same state with the same numbers.
func TestE11Faults(t *testing.T) {
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			runtest.EachFault(t, 20, 1, func(t *testing.T, f *runtest.Fault) { disturb(t, "mem", w, f) })
		})
	}
}

// TestK8FaultsWithoutLimits checks K8: the same holds where no limit separates the steps and they follow each other
// in one call.
func TestK8FaultsWithoutLimits(t *testing.T) {
	for _, w := range worlds[:3] {
		w.lay = aside(w.lay)
		t.Run(w.name, func(t *testing.T) {
			runtest.EachFault(t, 20, 1, func(t *testing.T, f *runtest.Fault) { disturb(t, "mem", w, f) })
		})
	}
}

// aside lifts the limits of E13.
func aside(lay func(r *rig) backfill.Request) func(r *rig) backfill.Request {
	return func(r *rig) backfill.Request {
		r.restart(func(o *backfill.Options) { o.PerMinute, o.JobsPerMinute = 100_000_000, 100_000_000 })
		return lay(r)
	}
}

// TestE11FaultsEmbedded checks E11: the same holds on the embedded store, whose transactions are other code. Every
// seventh operation fails in its turn.
func TestE11FaultsEmbedded(t *testing.T) {
	runtest.EachFault(t, 20, 7, func(t *testing.T, f *runtest.Fault) { disturb(t, "embedded", worlds[1], f) })
}

// disturb performs a run with a fault.
func disturb(t *testing.T, store string, w world, f *runtest.Fault) {
	t.Helper()
	defer backfill.Smaller(5, 3)()
	r := newRig(t, runtest.Stores[store])
	req := w.lay(r)
	r.Hook.Set(f)
	run, err := r.Start(t.Context(), req)
	if err != nil { // the run may have begun all the same
		runs, err := r.List(t.Context(), "", 10)
		r.Must(err)
		if len(runs) == 0 {
			return
		}
		run = runs[0]
	}
	r.ended(run.ID, w)
}

// ended performs steps until a run is over, and checks its result against the world.
func (r *rig) ended(id string, w world) {
	r.Helper()
	run := r.end(id)
	r.Hook.Set(nil)
	if diff := cmp.Diff(w.want, tallyOf(run.Counts)); diff != "" || run.Status != w.end {
		r.Errorf("%s (-want +have)\n%s", run.Status, diff)
	}
	r.whole(run)
}

// TestE11Simulation checks E5, E11: operations fail at random, messages are lost, doubled and late, and two workers
// do the same step at once. At the end everything is counted once.
func TestE11Simulation(t *testing.T) {
	for _, w := range worlds {
		for seed := range uint64(12) {
			w := w
			if seed%3 == 0 {
				w.lay = aside(w.lay)
			}
			t.Run(fmt.Sprintf("%s/%d", w.name, seed), func(t *testing.T) { simulate(t, w, seed) })
		}
	}
}

func simulate(t *testing.T, w world, seed uint64) {
	defer backfill.Smaller(5, 3)()
	r, storm := inMemory(t), runtest.NewStorm(seed)
	run := r.start(w.lay(r))
	r.Hook.Set(storm)
	for range 300 {
		storm.Deliver(r.Messages(backfill.Queue), r.Step)
		r.Clock.Pass(30 * time.Second)
		_, _ = r.RequeueStalled(t.Context())
		if run, err := r.Get(t.Context(), run.ID); err == nil && over(run) {
			break
		}
	}
	r.Hook.Set(nil)
	r.end(run.ID)
	r.Outlive(t.Context()) // when two workers end one step, the second may leave its links until now
	r.ended(run.ID, w)
}
