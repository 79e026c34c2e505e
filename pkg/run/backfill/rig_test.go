package backfill_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// rig is the service over a store whose operations a hook may fail, and a web whose contents the test defines.
type rig struct {
	*runtest.Rig
	*backfill.Service
	reg *registry.Registry
	web *runtest.Web
	o   backfill.Options
	// crawl fetches pages between steps, if a test needs that.
	crawl *runtest.Crawl
}

// onStores runs a test on the memory store and on the embedded store.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	runtest.OnStores(t, func(t *testing.T, open runtest.Open) { test(t, newRig(t, open)) })
}

func inMemory(t *testing.T) *rig { return newRig(t, runtest.Stores["mem"]) }

func newRig(t *testing.T, open runtest.Open) *rig {
	t.Helper()
	r := &rig{Rig: runtest.New(t, open, runtest.Noon), web: runtest.NewWeb()}
	r.o = backfill.Options{
		Enabled: true, Rules: source.DefaultRules(), Clock: r.Clock.Now,
		Sleep: func(_ context.Context, d time.Duration) error { r.Clock.Pass(d); return nil },
		Sites: site.List{
			{Slug: "a", Domain: "a.example", Sitemaps: []string{"https://a.example/sitemap.xml"}},
			{Slug: "b", Domain: "b.example", Sitemaps: []string{"https://b.example/sitemap.xml"}},
			{Slug: "a-b", Domain: "ab.example", Sitemaps: []string{"https://ab.example/sitemap.xml"}},
		},
	}
	r.reg = r.Registry(r.Store)
	r.Must(r.reg.Create(t.Context()))
	r.restart(func(*backfill.Options) {})
	r.Must(r.Create(t.Context()))
	return r
}

// restart replaces the service by one with changed options.
func (r *rig) restart(change func(o *backfill.Options)) {
	change(&r.o)
	r.Service = backfill.New(r.Seen, r.Registry(r.Seen), r.web, r.web, r.o)
}

// stepwise makes each message do one step.
func stepwise(o *backfill.Options) { o.StepTime = -1 }

func (r *rig) register(urls ...string) { r.Register(r.reg, urls...) }

func (r *rig) start(req backfill.Request) backfill.Run {
	r.Helper()
	run, err := r.Start(r.Context(), req)
	r.Must(err)
	return run
}

func (r *rig) run(id string) backfill.Run {
	r.Helper()
	run, err := r.Get(r.Context(), id)
	r.Must(err)
	return run
}

func over(run backfill.Run) bool {
	return run.Status == backfill.Completed || run.Status == backfill.Failed || run.Status == backfill.Cancelled
}

// end performs steps until a run is over.
func (r *rig) end(id string) (run backfill.Run) {
	r.Helper()
	r.Finish(backfill.Queue, r, func() bool {
		if r.crawl != nil {
			r.crawl.FetchDue()
		}
		one, err := r.Get(r.Context(), id)
		run = one
		return err == nil && over(run)
	})
	return run
}

func (r *rig) items() map[string]registry.Item { return r.Items(r.reg) }

// found counts the items that a run has registered.
func (r *rig) found(id string) (n int) {
	for _, it := range r.items() {
		if it.DiscoveryRun == id {
			n++
		}
	}
	return n
}

// whole checks what must hold for every run at its end: its counts equal the items, they are within its caps, and
// nothing but its record remains.
func (r *rig) whole(run backfill.Run) {
	r.Helper()
	if n := r.found(run.ID); !run.DryRun && n != run.Queued {
		r.Errorf("%d items registered, %d counted", n, run.Queued)
	}
	if run.Discovered != run.Queued+run.Skipped+run.Refused || run.Discovered > run.MaxURLs {
		r.Errorf("counts do not add up, or are above %d: %+v", run.MaxURLs, run.Counts)
	}
	for _, p := range run.Progress {
		if p.Discovered > run.MaxPerSrc {
			r.Errorf("%d addresses of %s, at most %d are allowed", p.Discovered, p.Source, run.MaxPerSrc)
		}
	}
	if left := slices.Concat(r.Rows(backfill.Table, "/links|"), r.Rows(backfill.Table, "/active|"),
		r.Rows(backfill.Table, "/walk|"), r.Rows(backfill.Table, "/walked|")); len(left) > 0 {
		r.Errorf("%v are left over", left)
	}
	r.Check(r.reg)
}
