package backfill_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage"
)

// row returns the row of a run as it is stored.
func (r *rig) row(id string) storage.Entity {
	r.Helper()
	q := storage.Query{Partition: "backfill", RowFrom: "run|", RowTo: "run}"}
	for e, err := range r.Store.Table(backfill.Table).Query(r.Context(), q) {
		r.Must(err)
		if e.Props["id"] == id {
			return e
		}
	}
	r.Fatalf("there is no row of %s", id)
	return storage.Entity{}
}

// TestE12RowIsReadable checks E12 (INV-8, OPS-2): people can read everything about a run in its row as it is.
func TestE12RowIsReadable(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		nasty := strings.Repeat(`"<\`+"\x01", 400)
		r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 3)...)
		var maps []string
		for i := range 60 {
			maps = append(maps, fmt.Sprintf("https://elsewhere.example/%d/%s", i, strings.Repeat("x", 600)))
		}
		r.web.Pages["https://b.example/sitemap.xml"] = runtest.MapIndex(append(maps, "https://b.example/map.xml")...)
		r.web.Pages["https://b.example/map.xml"] = runtest.Reply{Err: siteError(nasty)}
		run := r.end(r.start(backfill.Request{Sources: []string{"a", "b"}, Concurrency: 1, RunBy: "ada"}).ID)
		props := r.row(run.ID).Props
		for name, v := range props {
			if _, packed := v.([]byte); packed {
				t.Errorf("%s is packed", name)
			}
		}
		if props["sources"] != `["a","b"]` || props["refusedCount"] != int64(0) || props["documents"] != int64(2) {
			t.Errorf("sources %v, documents %v", props["sources"], props["documents"])
		}
		var first []api.BackfillError
		if text, _ := props["errorLog"].(string); json.Unmarshal([]byte(text), &first) != nil || len(first) == 0 ||
			first[0].Source != "b" {
			t.Errorf("errorLog %v", props["errorLog"])
		}
		if props["lastProcessedSource"] != "b" || props["lastProcessedPage"] != int64(1) || props["lastProcessedUrl"] != "" {
			t.Errorf("last processed: %v, %v, %v", props["lastProcessedSource"], props["lastProcessedPage"],
				props["lastProcessedUrl"])
		}
	})
}

func siteError(text string) error {
	return &politeness.SiteError{Err: fault.New(fault.Invalid, "%s", text)}
}

// TestE12LastProcessed checks E12: while a run is active, its row shows its source, document and address.
func TestE12LastProcessed(t *testing.T) {
	defer backfill.Smaller(2, 3)()
	r := inMemory(t)
	r.restart(stepwise)
	r.web.Pages["https://a.example/sitemap.xml"] = runtest.MapIndex("https://a.example/1.xml", "https://a.example/2.xml")
	r.web.Pages["https://a.example/1.xml"] = runtest.URLSet(runtest.Pages("https://a.example/one/", 3)...)
	r.web.Pages["https://a.example/2.xml"] = runtest.URLSet(runtest.Pages("https://a.example/two/", 3)...)
	run := r.start(backfill.Request{Sources: []string{"a"}})
	seen := map[backfill.Latest]bool{}
	for range 100 {
		for _, body := range r.Messages(backfill.Queue) {
			r.Must(r.Step(t.Context(), body))
			seen[r.run(run.ID).Last] = true
		}
		r.Clock.Pass(10 * time.Second)
	}
	for _, want := range []backfill.Latest{
		{Source: "a", Page: 1}, {Source: "a", Page: 2}, {"a", 2, "https://a.example/one/1"},
		{"a", 2, "https://a.example/one/2"}, {"a", 3, "https://a.example/one/2"}, {"a", 3, "https://a.example/two/2"},
	} {
		if !seen[want] {
			t.Errorf("never at %+v; seen %v", want, seen)
		}
	}
}

// TestE13RowsOfWorkAreRemoved checks E13 (ARC-3): only the newest finished runs keep their rows of work. The run's
// own rows stay, and resuming a run whose work is gone is refused with the reason.
func TestE13RowsOfWorkAreRemoved(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		defer backfill.Keep(2, 1)()
		var completed, failed []string
		for range 4 {
			r.Clock.Pass(time.Second) // runs of the same second have no order
			r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 3)...)
			completed = append(completed, r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID).ID)
			r.web.Pages["https://a.example/sitemap.xml"] = 404
			r.Clock.Pass(time.Second)
			failed = append(failed, r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID).ID)
		}
		for i, id := range completed {
			r.expectWork(id, i >= 2)
		}
		for i, id := range failed {
			r.expectWork(id, i == 3)
		}
		if all, err := r.List(t.Context(), "", 20); err != nil || len(all) != 8 || all[7].Queued != 3 {
			t.Errorf("the audit has %d runs, %v", len(all), err)
		}
		_, err := r.Resume(t.Context(), failed[0])
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "begin a new run") {
			t.Errorf("resume without a place to go on: %v", err)
		}
		r.Must(second(r.Resume(t.Context(), failed[3])))
		r.end(failed[3])
		r.Clock.Pass(time.Second)
		run := r.start(backfill.Request{Sources: []string{"a"}})
		r.Must(second(r.Cancel(t.Context(), run.ID)))
		r.expectWork(completed[2], false) // the cancelled run is among the newest two
		r.expectWork(run.ID, true)
	})
}

// expectWork checks whether a run has rows of work.
func (r *rig) expectWork(id string, want bool) {
	r.Helper()
	n := len(r.Rows(backfill.Table, "/lane|"+id+"|")) + len(r.Rows(backfill.Table, "/links|"+id+"|"))
	if n > 0 != want {
		r.Errorf("%d rows of work of %s, want some: %v", n, id, want)
	}
}

// TestE13RemovalUnderFaults checks E13: whatever fails while rows of work are removed, the run ends as it would have,
// and the end of the next run removes the rows.
func TestE13RemovalUnderFaults(t *testing.T) {
	defer backfill.Keep(1, 1)()
	runtest.EachFault(t, 15, 1, removeDisturbed)
}

func removeDisturbed(t *testing.T, f *runtest.Fault) {
	t.Helper()
	r := inMemory(t)
	r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 3)...)
	first := r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID)
	r.Clock.Pass(time.Second) // runs of the same second have no order
	second := r.start(backfill.Request{Sources: []string{"a"}})
	r.Hook.Set(f)
	second = r.end(second.ID)
	r.Hook.Set(nil)
	r.Clock.Pass(time.Second)
	third := r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID)
	if second.Status != backfill.Completed || third.Status != backfill.Completed {
		t.Errorf("%s, %s", second.Status, third.Status)
	}
	r.expectWork(first.ID, false)
	r.expectWork(second.ID, false)
	r.expectWork(third.ID, true)
}

// TestE13JobsPerMinute checks E13 (ARC-3): the jobs that register are limited per minute over all runs; reading is
// not.
func TestE13JobsPerMinute(t *testing.T) {
	defer backfill.Smaller(5, 3)()
	r := inMemory(t)
	for _, host := range []string{"a", "b"} {
		r.web.Pages["https://"+host+".example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://"+host+".example/",
			30)...)
	}
	run := r.start(backfill.Request{Sources: []string{"a", "b"}})
	begun, waited := r.Clock.Now(), false
	for range 100 {
		for _, body := range r.Messages(backfill.Queue) {
			r.Must(r.Step(t.Context(), body))
		}
		run = r.run(run.ID)
		jobs := 1 + int(r.Clock.Now().Sub(begun)/(30*time.Second))
		if run.Queued > 5*jobs {
			t.Fatalf("%d items after %v", run.Queued, r.Clock.Now().Sub(begun))
		}
		waited = waited || strings.Contains(run.Progress[0].Note, "BACKFILL_JOBS_PER_MINUTE")
		r.Clock.Pass(5 * time.Second)
	}
	if !over(run) || run.Queued != 60 || !waited {
		t.Errorf("%s with %d items; a note said what it waited for: %v", run.Status, run.Queued, waited)
	}
	dry := r.start(backfill.Request{Sources: []string{"a"}, DryRun: true})
	for begun = r.Clock.Now(); !over(r.run(dry.ID)); r.Clock.Pass(time.Second) {
		for _, body := range r.Messages(backfill.Queue) {
			r.Must(r.Step(t.Context(), body))
		}
	}
	if took := r.Clock.Now().Sub(begun); took > 20*time.Second {
		t.Errorf("a dry run, which registers nothing, took %v", took)
	}
}

// TestE12LogLines checks E5, E6, E12: caps, the switch and progress are logged in the words of spec 004.
func TestE12LogLines(t *testing.T) {
	var log bytes.Buffer
	lines := func(o *backfill.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) }
	r := inMemory(t)
	r.restart(lines)
	r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 120)...)
	r.web.Pages["https://b.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://b.example/", 120)...)
	r.Must(r.Create(t.Context()))
	if strings.Contains(log.String(), "DISABLED") {
		t.Errorf("log: %s", log.String())
	}
	r.end(r.start(backfill.Request{Sources: []string{"a", "b"}, MaxURLs: 100, MaxPerSrc: 60, Concurrency: 1}).ID)
	run := r.start(backfill.Request{Sources: []string{"a"}})
	r.restart(func(o *backfill.Options) { o.Enabled = false })
	r.Must(r.Create(t.Context()))
	for _, body := range r.Messages(backfill.Queue) {
		r.Must(r.Step(t.Context(), body))
	}
	for _, want := range []string{
		`msg="[backfill] Progress: 50/100 URLs"`, `msg="[backfill] Progress: 100/100 URLs"`,
		`msg="[backfill] Source cap reached for a: 60"`, `msg="[backfill] Global cap reached: 100"`,
		`msg="[backfill] DISABLED via BACKFILL_ENABLED=false"` + "\n",
		`msg="[backfill] DISABLED via BACKFILL_ENABLED=false" run=` + run.ID,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log.String())
		}
	}
}
