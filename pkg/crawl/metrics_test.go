package crawl

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func checksOf(m *telemetry.Metrics) map[string]float64 {
	out := map[string]float64{}
	for _, s := range m.Read()[0].Series {
		out[s.Values[0]] = s.Sum
	}
	return out
}

// TestChecksAreCounted checks that each check is counted once, by its outcome.
func TestChecksAreCounted(t *testing.T) {
	m := telemetry.New()
	r := newRig(t, func(k *knobs) { k.crawl.Metrics = m })
	r.site.put("/a", text("one"))
	r.site.put("/b", status(500))
	r.site.put("/c", status(404))
	r.first("/a")
	r.next("/a")
	r.site.put("/a", text("two"))
	r.next("/a")
	r.first("/b")
	r.first("/c")
	want := map[string]float64{"changed": 2, "unchanged": 1, "failed": 1, "missing": 1}
	have := checksOf(m)
	if diff := cmp.Diff(want, have); diff != "" || m.Changes.Total() != 2 {
		t.Errorf("%v changes; (-want +have):\n%s", m.Changes.Total(), diff)
	}
}

// TestChecksThatAreNotCommittedAreNotCounted checks that a check is counted when its finding is committed, and only
// then.
func TestChecksThatAreNotCommittedAreNotCounted(t *testing.T) {
	m, broken := telemetry.New(), false
	r := newRig(t, func(k *knobs) {
		k.crawl.Metrics = m
		k.store = func(s storage.Store) storage.Store {
			return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
				if broken && c.Op == "table.Transact" && c.Name == registry.DefaultTable &&
					len(c.Ops) > 2 { // the transaction that locks has two operations
					return fault.New(fault.Unavailable, "storage is down")
				}
				return nil
			}})
		}
	})
	r.site.put("/a", text("one"))
	broken = true
	r.register(false, "/a")
	if err := r.work(); err == nil {
		t.Fatal("the commit did not fail")
	}
	if have := checksOf(m); len(have) != 0 {
		t.Errorf("counted: %v", have)
	}
	broken = false
	r.clock.pass(time.Hour)
	r.due("/a")
	r.mustWork()
	if have := checksOf(m); len(have) != 1 {
		t.Errorf("counted: %v", have)
	}
}

// TestTraceGoesWithTheJob checks that the trace of a registration is passed to its job and to the jobs that follow,
// and is not sent to sites.
func TestTraceGoesWithTheJob(t *testing.T) {
	r := newRig(t)
	r.site.put("/a", text("one"))
	sent := telemetry.NewTrace()
	ctx := telemetry.With(t.Context(), telemetry.Scope{Trace: sent})
	got := r.reg.Items.Register(ctx, []source.Source{r.source("/a")}, registry.RegisterOptions{})
	must(t, got[0].Err)
	jobs := r.jobs()
	if len(jobs) != 1 || jobs[0].TraceParent != sent.String() {
		t.Fatalf("%+v, want trace %s", jobs, sent)
	}
	must(t, r.Process(ctx, jobs[0]))
	for _, h := range r.site.heads {
		for name := range h {
			if strings.HasPrefix(strings.ToLower(name), "trace") || strings.Contains(h.Get(name), sent.ID) {
				t.Errorf("a site is told %s: %s", name, h.Get(name))
			}
		}
	}
	if len(r.site.heads) < 2 {
		t.Errorf("%d requests heard", len(r.site.heads))
	}
}

// TestC2CollisionsAreTold checks C2 (spec 002 §5.4): when a page is indexed, its collisions appear in the log and in
// the metrics. The row of a rebuild has those of all pages that it has indexed.
func TestC2CollisionsAreTold(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		var log bytes.Buffer
		r := newRig(t, on(open), func(k *knobs) { k.crawl.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		listing := "<pre><code>" + strings.Repeat(
			"the same listing, line after line, without a change\n",
			8,
		) + "</code></pre>"
		r.site.put(
			"/many",
			page{body: "<title>many</title><main>" + strings.Repeat("<p>Again.</p>"+listing, 40) + "</main>"},
		)
		r.site.put("/none", text("none"))
		r.register(false, "/many", "/none")
		r.mustWork()
		id := string(r.item("/many").ID)
		told, ordinal := r.o.Metrics.ChunkCollisions.Total(), r.o.Metrics.ChunkCollisions.Total("ordinal")
		if line := log.String(); told == 0 || ordinal == 0 || strings.Count(line, "chunk uids collided") != 1 ||
			!strings.Contains(line, id) {
			t.Errorf("%v chunks told, %v of them by ordinals; log %s", told, ordinal, line)
		}
		r.clock.pass(time.Second)
		run, err := r.rebuilds(r.store).Get(t.Context(), r.rebuild(rebuild.Scope{}).ID)
		must(t, err)
		n := run.Collisions
		if float64(n.Chunks) != told || float64(n.ByOrdinal) != ordinal || n.Largest < 2 ||
			n.ByContext+n.ByOrdinal != n.Chunks ||
			!slices.Equal(n.Files, []string{id}) {
			t.Errorf("the run has %+v, the metrics %v chunks", n, told)
		}
	})
}
