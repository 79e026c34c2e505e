package rebuild_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

func pages(host, path string, n int) []string { return runtest.Pages("https://"+host+"/"+path+"/", n) }

// tally is a run's counts of its items.
type tally struct{ Items, Marked, Indexed, KeptOut, Failed int }

func tallyOf(run rebuild.Run) tally {
	return tally{run.Items, run.Marked, run.Indexed, run.KeptOut, run.Failed}
}

// TestA19Progress checks that a run reports its progress step by step, and at the end the result of every item (A19).
func TestA19Progress(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.index(append(append(pages("a.example", "ok", 280), pages("a.example", "out", 15)...),
			pages("b.example", "bad", 5)...)...)
		r.push(3)
		run, err := r.Start(t.Context(), rebuild.Scope{})
		r.Must(err)
		if run.State != rebuild.Marking || run.Items != 0 {
			t.Errorf("begun: %+v", run)
		}
		if run = r.step(run.ID); run.State != rebuild.Marking || run.Items != 256 || run.Marked != 256 {
			t.Errorf("after a step: %+v", run)
		}
		if run = r.step(run.ID); run.State != rebuild.Entering || run.Items != 300 || run.Marked != 300 {
			t.Errorf("all are asked: %+v", run)
		}
		if run = r.step(run.ID); run.State != rebuild.Entering || run.Entries != 3 || len(r.shelf.pages) != 3 {
			t.Errorf("entries are in: %+v", run)
		}
		if run = r.step(run.ID); run.State != rebuild.Indexing || run.Entries != 3 {
			t.Errorf("no entry is left: %+v", run)
		}
		if left, err := r.Left(t.Context(), run); err != nil || left != 300 {
			t.Errorf("%d left (%v), want 300", left, err)
		}
		if run = r.step(run.ID); run.State != rebuild.Indexing {
			t.Errorf("nobody has worked: %+v", run)
		}
		if bodies := r.Messages(rebuild.Queue); len(bodies) != 0 {
			t.Errorf("it looks again at once: %s", bodies)
		}
		r.work(byPath)
		if left, err := r.Left(t.Context(), run); err != nil || left != 0 {
			t.Errorf("%d left (%v), want none", left, err)
		}
		r.Clock.Pass(15 * time.Second)
		if run = r.step(run.ID); run.State != rebuild.Counting {
			t.Errorf("all are through: %+v", run)
		}
		run = r.step(run.ID)
		if active, err := r.Active(t.Context()); err != nil || len(active) != 1 || run.State != rebuild.Counting {
			t.Errorf("half counted: %+v, %d active (%v)", run, len(active), err)
		}
		run = r.step(run.ID)
		if diff := cmp.Diff(tally{300, 300, 280, 15, 5}, tallyOf(run)); diff != "" || run.State != rebuild.Done ||
			!run.EndedAt.Equal(r.Clock.Now()) {
			t.Errorf("done: %+v\n(-want +have)\n%s", run, diff)
		}
		if active, err := r.Active(t.Context()); err != nil || len(active) != 0 || len(r.Messages(rebuild.Queue)) != 0 {
			t.Errorf("%d runs go on after the last (%v)", len(active), err)
		}
	})
}

// TestA19Scopes checks runs of one host and of no items, and that a later run keeps its own counts (A19).
func TestA19Scopes(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.index(append(pages("a.example", "ok", 3), pages("b.example", "out", 2)...)...)
		for _, tt := range []struct {
			name  string
			scope rebuild.Scope
			want  tally
		}{
			{"one host", rebuild.Scope{Host: "a.example"}, tally{3, 3, 3, 0, 0}},
			{"everything", rebuild.Scope{}, tally{5, 5, 3, 2, 0}},
			{"what is not in the index is not asked", rebuild.Scope{Host: "b.example"}, tally{2, 0, 0, 0, 0}},
			{"unless by force", rebuild.Scope{Host: "b.example", Force: true}, tally{2, 2, 0, 2, 0}},
		} {
			run, err := r.Start(t.Context(), tt.scope)
			r.Must(err)
			if diff := cmp.Diff(tt.want, tallyOf(r.end(run.ID))); diff != "" {
				t.Errorf("%s: (-want +have)\n%s", tt.name, diff)
			}
		}
		if _, err := r.Start(t.Context(), rebuild.Scope{Host: "c.example"}); !fault.Is(err, fault.NotFound) {
			t.Errorf("an unknown host: %v", err)
		}
	})
}

// TestB5RunIsRecorded checks that a run is recorded with the rules that it reads by, and with the run whose captures
// it reads, preferably one of another version (B1, B5). A run that fetches from the sites reads no captures.
func TestB5RunIsRecorded(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.index("https://a.example/ok")
		r.by, r.under = "crawl of old", "http_snapshot_url_v1_text_v1"
		r.index("https://b.example/ok")
		bad, err := source.DefaultRules().ParseURL("https://c.example/bad")
		r.Must(err)
		r.Must(r.reg.Items.Register(t.Context(), []source.Source{bad}, registry.RegisterOptions{})[0].Err)
		for _, tt := range []struct {
			scope rebuild.Scope
			of    string
		}{
			{rebuild.Scope{}, "crawl of old"},
			{rebuild.Scope{Host: "a.example"}, "crawl"},
			{rebuild.Scope{Host: "b.example"}, "crawl of old"},
			{rebuild.Scope{Host: "c.example"}, ""},
			{rebuild.Scope{Refetch: true}, ""},
		} {
			run, err := r.Start(t.Context(), tt.scope)
			r.Must(err)
			r.end(run.ID)
			e, err := r.Store.Table(snapshot.RunsTable).Get(t.Context(), storage.Key{Partition: "run", Row: run.ID})
			r.Must(err)
			have, _ := e.Props["reprocessingOfRunId"].(string)
			if e.Props["normalizationVersion"] != lineage.Current.String() || have != tt.of {
				t.Errorf("%+v: %v, want %q", tt.scope, e.Props, tt.of)
			}
		}
	})
}

// TestA20Messages checks that messages that are doubled, late, or of finished or unknown runs do no harm.
func TestA20Messages(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.index(pages("a.example", "ok", 2)...)
		run, err := r.Start(t.Context(), rebuild.Scope{})
		r.Must(err)
		first := r.Messages(rebuild.Queue)[0]
		for range 3 {
			r.Must(r.Step(t.Context(), first))
		}
		if n := len(r.Messages(rebuild.Queue)); n != 1 {
			t.Errorf("%d messages after one step that came three times", n)
		}
		r.Clock.Pass(time.Hour)
		run = r.end(run.ID)
		r.Must(r.Step(t.Context(), first))
		if diff := cmp.Diff(tally{2, 2, 2, 0, 0}, tallyOf(r.run(run.ID))); diff != "" {
			t.Error(diff)
		}
		for _, junk := range []string{``, `{}`, `{"run":""}`, `{"run":"a/b"}`, `{"run":"none","step":0}`, `[]`} {
			if err := r.Step(t.Context(), []byte(junk)); !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: %v, want Invalid", junk, err)
			}
		}
	})
}

// TestResume checks that a sweep sends the lost message of a run again once the run has stalled, and no sooner.
func TestResume(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.index("https://a.example/ok")
		run, err := r.Start(t.Context(), rebuild.Scope{})
		r.Must(err)
		r.Messages(rebuild.Queue) // lost
		for _, tt := range []struct {
			wait time.Duration
			want int
		}{{time.Minute, 0}, {59 * time.Second, 0}, {time.Second, 1}} {
			r.Clock.Pass(tt.wait)
			if sent, err := r.RequeueStalled(t.Context()); err != nil || sent != tt.want {
				t.Errorf("%d sent after another %s (%v)", sent, tt.wait, err)
			}
		}
		r.end(run.ID)
		r.Clock.Pass(time.Hour)
		if sent, err := r.RequeueStalled(t.Context()); err != nil || sent != 0 {
			t.Errorf("%d sent for runs that are done (%v)", sent, err)
		}
	})
}

// TestBegin checks that a run of a given id is begun once, and that the number of requested runs is bounded.
func TestBegin(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.index("https://a.example/ok")
		for range 2 {
			run, err := r.Ensure(t.Context(), "index-1", "the index was begun anew")
			if err != nil || run.ID != "index-1" || run.Reason == "" {
				t.Fatalf("%+v (%v)", run, err)
			}
		}
		if n := len(r.Messages(rebuild.Queue)); n != 1 {
			t.Errorf("%d messages for one run", n)
		}
		for range rebuild.MaxActive - 1 {
			_, err := r.Start(t.Context(), rebuild.Scope{})
			r.Must(err)
		}
		if _, err := r.Start(t.Context(), rebuild.Scope{}); !fault.Is(err, fault.Conflict) {
			t.Errorf("one too many: %v", err)
		}
		for _, id := range []string{"", "active|index-1", "a\x00b", "none"} {
			if _, err := r.Get(t.Context(), id); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.NotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
	})
}

// TestFaults checks that a run survives the failure of any single operation, before or after it took effect: with
// what the host and the watchdog do about it, the run ends with the numbers of a run without faults.
func TestFaults(t *testing.T) {
	for name, open := range runtest.Stores {
		t.Run(name, func(t *testing.T) {
			runtest.EachFault(t, 20, 1, func(t *testing.T, f *runtest.Fault) { disturb(t, newRig(t, open), f) })
		})
	}
}

// disturb performs a rebuild with a fault.
func disturb(t *testing.T, r *rig, f *runtest.Fault) {
	t.Helper()
	r.index("https://a.example/ok", "https://a.example/out", "https://b.example/bad")
	r.push(2)
	r.Hook.Set(f)
	_, err := r.Ensure(t.Context(), "index-1", "")
	if err != nil { // the user asks again
		_, err = r.Ensure(t.Context(), "index-1", "")
		r.Must(err)
	}
	r.Finish(rebuild.Queue, r, func() bool {
		r.work(byPath)
		run, err := r.Get(t.Context(), "index-1")
		return err == nil && run.State == rebuild.Done
	})
	r.Hook.Set(nil)
	run := r.end("index-1")
	if diff := cmp.Diff(tally{3, 3, 1, 1, 1}, tallyOf(run)); diff != "" {
		t.Errorf("(-want +have)\n%s", diff)
	}
	r.Clock.Pass(time.Hour)
	_, err = r.entries.FlushOutbox(t.Context())
	r.Must(err)
	if run.Entries != 2 || len(r.shelf.pages) != 2 {
		t.Errorf("%d entries, %d of them in the index", run.Entries, len(r.shelf.pages))
	}
	r.Check(r.reg)
}

// TestOldRows checks that a row of an older version can be read, and that a damaged cursor starts over.
func TestOldRows(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.index("https://a.example/ok")
		run, err := r.Ensure(t.Context(), "index-1", "")
		r.Must(err)
		rows := r.Store.Table(snapshot.RunsTable)
		key := storage.Key{Partition: "rebuild", Row: run.ID}
		e, err := rows.Get(t.Context(), key)
		r.Must(err)
		for _, name := range []string{"indexed", "keptOut", "failed"} {
			delete(e.Props, name)
		}
		e.Props["cursor"] = "{"
		_, err = rows.Transact(t.Context(), storage.Op{Kind: storage.Replace, Entity: e})
		r.Must(err)
		if diff := cmp.Diff(tally{1, 1, 1, 0, 0}, tallyOf(r.end(run.ID))); diff != "" {
			t.Error(diff)
		}
	})
}

// TestMessageNames checks the field names of a step's message: messages survive an update, so the names must not
// change.
func TestMessageNames(t *testing.T) {
	r := newRig(t, runtest.Stores["mem"])
	_, err := r.Ensure(t.Context(), "index-1", "")
	r.Must(err)
	var have map[string]any
	r.Must(json.Unmarshal(r.Messages(rebuild.Queue)[0], &have))
	if diff := cmp.Diff(map[string]any{"run": "index-1", "step": 0.0}, have); diff != "" {
		t.Error(diff)
	}
}
