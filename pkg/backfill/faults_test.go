package backfill_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/backfill"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// world is a run to be disturbed: what the web has, what is asked, and what comes of it undisturbed.
type world struct {
	name string
	lay  func(r *rig) backfill.Request
	want tally
	end  backfill.Status
}

var worlds = []world{
	{"sitemaps", func(r *rig) backfill.Request {
		nested(r)
		r.register(pages("https://a.example/one/", 2)...)
		return backfill.Request{Sources: []string{"a"}}
	}, tally{Discovered: 20, Queued: 18, Skipped: 2, Duplicates: 3, Documents: 3}, backfill.Completed},
	{"two sources and a cap", func(r *rig) backfill.Request {
		r.web.pages["https://a.example/sitemap.xml"] = urlset(pages("https://a.example/", 8)...)
		r.web.pages["https://b.example/sitemap.xml"] = urlset(pages("https://b.example/", 8)...)
		return backfill.Request{Sources: []string{"a", "b"}, MaxURLs: 11}
	}, tally{Discovered: 11, Queued: 11, Documents: 2}, backfill.Completed},
	{"one source after the other, one of them down", func(r *rig) backfill.Request {
		r.web.pages["https://b.example/sitemap.xml"] = urlset(pages("https://b.example/", 3)...)
		r.web.pages["https://a.example/sitemap.xml"] = 500
		return backfill.Request{Sources: []string{"a", "b"}, Concurrency: 1}
	}, tally{Discovered: 3, Queued: 3, Errors: 1, Documents: 1}, backfill.Completed},
	{"dry run", func(r *rig) backfill.Request {
		nested(r)
		r.register(pages("https://a.example/one/", 2)...)
		return backfill.Request{Sources: []string{"a"}, DryRun: true}
	}, tally{Discovered: 20, Queued: 18, Skipped: 2, Duplicates: 3, Documents: 3}, backfill.Completed},
	{"more links than one transaction takes", func(r *rig) backfill.Request {
		r.web.pages["https://a.example/sitemap.xml"] = urlset(pages("https://a.example/", 23)...)
		return backfill.Request{Sources: []string{"a"}, MaxURLs: 7}
	}, tally{Discovered: 7, Queued: 7, Documents: 1}, backfill.Completed},
	modeWorld(backfill.Archive), modeWorld(backfill.Pagination), modeWorld(backfill.Container),
}

func modeWorld(mode backfill.Mode) world {
	return world{string(mode), func(r *rig) backfill.Request {
		layModes(r)
		return modeRequest(r, mode)
	}, modeTallies[mode], backfill.Completed}
}

// E11: whatever single operation of a run fails, before or after it took effect, the run comes to the
// same end with the same numbers.
func TestE11Faults(t *testing.T) {
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			count := disturb(t, w, 0, false)
			if count < 20 {
				t.Fatalf("only %d operations", count)
			}
			for n := 1; n <= count; n++ {
				for _, after := range []bool{false, true} {
					if disturb(t, w, n, after); t.Failed() {
						t.Fatalf("operation %d of %d, after %v", n, count, after)
					}
				}
			}
		})
	}
}

// E11 on the embedded store, at every seventh operation: its transactions are other code.
func TestE11FaultsEmbedded(t *testing.T) {
	w := worlds[1]
	for n := 1; n <= disturbOn(t, openers["embedded"], w, 0, false); n += 7 {
		for _, after := range []bool{false, true} {
			if disturbOn(t, openers["embedded"], w, n, after); t.Failed() {
				t.Fatalf("operation %d, after %v", n, after)
			}
		}
	}
}

func disturb(t *testing.T, w world, nth int, after bool) int {
	return disturbOn(t, openers["mem"], w, nth, after)
}

// disturbOn does a run of which the nth operation fails, none if it is 0, and says how many there were.
func disturbOn(t *testing.T, open opener, w world, nth int, after bool) (count int) {
	t.Helper()
	defer backfill.Smaller(5, 3)()
	r := newRig(t, open)
	req := w.lay(r)
	r.hook = storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error {
			if count++; count == nth && !after {
				return fault.New(fault.Unavailable, "sabotaged")
			}
			return nil
		},
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			if count == nth && after {
				return fault.New(fault.Unavailable, "sabotaged")
			}
			return err
		},
	}
	run, err := r.Start(t.Context(), req)
	if err != nil { // it may have begun all the same
		runs, err := r.List(t.Context(), "", 10)
		must(t, err)
		if len(runs) == 0 {
			return count
		}
		run = runs[0]
	}
	run = r.end(run.ID)
	r.hook = storagetest.Hooks{}
	if diff := cmp.Diff(w.want, tallyOf(run.Counts)); diff != "" || run.Status != w.end {
		t.Errorf("%s (-want +have)\n%s", run.Status, diff)
	}
	r.whole(run)
	return count
}

// E5, E11: operations fail at random, messages are lost, doubled and late, two workers do the same step
// at once, and at the end everything is counted once.
func TestE11Simulation(t *testing.T) {
	for _, w := range worlds {
		for seed := range uint64(12) {
			t.Run(fmt.Sprintf("%s/%d", w.name, seed), func(t *testing.T) { simulate(t, w, seed) })
		}
	}
}

func simulate(t *testing.T, w world, seed uint64) {
	defer backfill.Smaller(5, 3)()
	r := newRig(t, openers["mem"])
	req := w.lay(r)
	rng, mu := rand.New(rand.NewPCG(seed, 1)), sync.Mutex{}
	chance := func(percent int) bool {
		mu.Lock()
		defer mu.Unlock()
		return rng.IntN(100) < percent
	}
	run := r.start(req)
	r.hook = storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error {
			if chance(2) {
				return fault.New(fault.Unavailable, "sabotaged")
			}
			return nil
		},
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			if err == nil && chance(2) {
				return fault.New(fault.Unavailable, "sabotaged")
			}
			return err
		},
	}
	var late [][]byte
	for range 300 {
		bodies := append(r.messages(), late...)
		late = nil
		var workers sync.WaitGroup
		for _, body := range bodies {
			if chance(10) {
				continue // lost
			}
			for range 2 {
				workers.Go(func() { _ = r.Step(context.Background(), body) })
			}
			if chance(20) {
				late = append(late, body)
			}
		}
		workers.Wait()
		r.clock.pass(30 * time.Second)
		_, _ = r.Wake(t.Context())
		if run, err := r.Get(t.Context(), run.ID); err == nil && over(run) {
			break
		}
	}
	r.hook = storagetest.Hooks{}
	run = r.end(run.ID)
	if diff := cmp.Diff(w.want, tallyOf(run.Counts)); diff != "" || run.Status != w.end {
		t.Errorf("%s (-want +have)\n%s", run.Status, diff)
	}
	r.whole(run)
}
