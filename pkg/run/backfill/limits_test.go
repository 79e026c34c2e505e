package backfill_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestK8LimitsHoldExactly checks K8, E5, E13: whatever fails, and however many runs and sources are active at once,
// no minute sees more jobs or more registered items than the settings allow, and no cap is exceeded by a single
// address.
func TestK8LimitsHoldExactly(t *testing.T) {
	for _, limits := range []struct{ items, jobs, ofRun, ofSource int }{
		{600, 2, 200, 110}, {75, 100, 130, 90}, {30, 4, 70, 40}, {7, 2, 20, 8}, {1000, 7, 1000, 500},
	} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%d items, %d jobs/%d", limits.items, limits.jobs, seed), func(t *testing.T) {
				r := inMemory(t)
				r.restart(func(o *backfill.Options) {
					o.PerMinute, o.JobsPerMinute, o.MaxURLs, o.MaxPerSource = limits.items, limits.jobs, limits.ofRun, limits.ofSource
					o.MaxConcurrency = 3
				})
				for _, run := range r.stormy(seed) {
					r.whole(run)
				}
				r.withinAMinute(limits.items, limits.jobs)
			})
		}
	}
}

// stormy performs two runs over three sources at once while operations fail and messages are lost and doubled. It
// returns both runs at their end.
func (r *rig) stormy(seed uint64) (ended []backfill.Run) {
	r.Helper()
	for _, host := range []string{"a", "b", "ab"} {
		r.web.Pages["https://"+host+".example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://"+host+".example/",
			150)...)
	}
	first := r.start(backfill.Request{Sources: []string{"a", "b"}})
	other := r.start(backfill.Request{Sources: []string{"a-b", "b"}})
	storm := runtest.NewStorm(seed)
	r.Hook.Set(storm)
	for range 400 {
		storm.Deliver(r.Messages(backfill.Queue), r.Step)
		r.Clock.Pass(7 * time.Second)
		_, _ = r.RequeueStalled(r.Context())
		if all, err := r.List(r.Context(), "", 2); err == nil && over(all[0]) && over(all[1]) {
			break
		}
	}
	r.Hook.Set(nil)
	return []backfill.Run{r.end(first.ID), r.end(other.ID)}
}

// withinAMinute checks the registered items against limits. A job is the items of one source that were registered at
// one time.
func (r *rig) withinAMinute(items, jobs int) {
	r.Helper()
	type job struct {
		at      time.Time
		run, of string
	}
	begun := map[job]int{}
	for _, it := range r.items() {
		if it.DiscoveryRun == "" {
			continue // it was registered before
		}
		begun[job{at: it.FirstSeen, run: it.DiscoveryRun, of: it.SourceHost}]++
	}
	for from := range begun {
		within, n := 0, 0
		for one, size := range begun {
			if since := one.at.Sub(from.at); since >= 0 && since < time.Minute {
				within, n = within+1, n+size
			}
		}
		if within > jobs || n > items {
			r.Fatalf("in the minute from %s %d jobs registered %d items; %d and %d may", from.at, within, n, jobs, items)
		}
	}
	if len(begun) < 3 {
		r.Errorf("%d jobs in all: nothing was limited", len(begun))
	}
}

// TestK8RequestsOfAPage checks K8: without limits one message registers a source to its end. Each page costs two
// requests, for its item and its pointer, and a share of the requests that fifty pages have in common.
func TestK8RequestsOfAPage(t *testing.T) {
	r := inMemory(t)
	const pages = 1000
	r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", pages)...)
	aside(func(*rig) backfill.Request { return backfill.Request{} })(r)
	r.restart(func(o *backfill.Options) { o.MaxPerSource, o.MaxBacklog = pages, pages })
	var queue, other atomic.Int64
	r.Hook.Set(storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		if strings.HasPrefix(c.Op, "queue.") {
			queue.Add(1)
		} else {
			other.Add(1)
		}
		return nil
	}})
	run := r.start(backfill.Request{Sources: []string{"a"}})
	messages := r.Messages(backfill.Queue)
	r.Must(r.Step(t.Context(), messages[0]))
	r.Hook.Set(nil)
	if run = r.run(run.ID); run.Status != backfill.Completed || run.Queued != pages {
		t.Fatalf("after one message: %+v", run)
	}
	if n := queue.Load() + 2; n > pages/10 { // the host receives the message and deletes it
		t.Errorf("%d requests of queues for %d pages", n, pages)
	}
	if n := other.Load(); n > pages*235/100 {
		t.Errorf("%d requests of tables for %d pages", n, pages)
	}
}

// TestK8MessageThatIsRepeated checks K8: when a message whose steps were interrupted is repeated, the work continues
// at once where they ended.
func TestK8MessageThatIsRepeated(t *testing.T) {
	r := inMemory(t)
	req := aside(worlds[0].lay)(r)
	run := r.start(req)
	body := r.Messages(backfill.Queue)[0]
	for n := 0; !over(run) && n < 100; n++ {
		r.Hook.Set(&runtest.Fault{Nth: 60, Late: n%2 == 0})
		_ = r.Step(t.Context(), body)
		run = r.run(run.ID)
	}
	r.ended(run.ID, worlds[0])
}

// TestK8ShortWaitsAreInPlace checks K8: two sources that have to wait for less than a second wait within their calls,
// each for its own jobs.
func TestK8ShortWaitsAreInPlace(t *testing.T) {
	r := inMemory(t)
	r.restart(func(o *backfill.Options) { o.PerMinute, o.JobsPerMinute = 30_000, 100_000 })
	r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 300)...)
	run, begun := r.start(backfill.Request{Sources: []string{"a"}}), r.Clock.Now()
	r.Must(r.Step(t.Context(), r.Messages(backfill.Queue)[0]))
	if took := r.Clock.Now().Sub(begun); r.run(run.ID).Queued != 300 || took != 500*time.Millisecond {
		t.Errorf("%d registered in %v, want 300 in .5 s", r.run(run.ID).Queued, took)
	}
	r.withinAMinute(30_000, 600)
}

// TestK8TwoTakeOnePermit checks K8: when two sources try to take the same permit at once, one gets it.
func TestK8TwoTakeOnePermit(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		for _, host := range []string{"a", "b"} {
			r.web.Pages["https://"+host+".example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://"+host+".example/",
				150)...)
		}
		r.start(backfill.Request{Sources: []string{"a", "b"}})
		messages := r.Messages(backfill.Queue)
		r.Hook.Set(storagetest.Hooks{OnBefore: func(ctx context.Context, c storagetest.Call) error {
			if len(c.Ops) == 1 && c.Ops[0].Entity.Key.Row == "pace" { // the row is read and not yet written
				r.Hook.Set(nil)
				return r.Step(ctx, messages[1])
			}
			return nil
		}})
		r.Must(r.Step(t.Context(), messages[0]))
		if n := len(r.items()); n != 50 {
			t.Errorf("%d items registered at once, want 50 of one source", n)
		}
	})
}
