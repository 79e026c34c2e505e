package registry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

func foundBy(run string) RegisterOptions {
	return RegisterOptions{
		NewOnly: true, Method: "BACKFILL", Run: run,
		Job: func(s source.Source) string { return "job of " + s.Normalized },
	}
}

// rows returns all rows of the registry, by table and key, with their revisions.
func (b bench) rows(t *testing.T) map[string]storage.Entity {
	t.Helper()
	out := map[string]storage.Entity{}
	for name, table := range map[string]storage.Table{"items": b.s.Items, "index": b.s.Index, "hints": b.s.Hints} {
		for e, err := range table.Query(t.Context(), storage.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			out[name+"/"+e.Partition+"/"+e.Row] = e
		}
	}
	return out
}

// E1: a registration with NewOnly changes no row of an existing item, whether the item waits, was indexed or is Gone.
func TestE1NewOnlyTouchesNothingThatExists(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		urls := pages("a.example", 40)
		b.register(t, RegisterOptions{}, urls...)
		jobs := b.take(t)
		b.finish(t, b.begin(t, jobs[0]))
		b.clock.Advance(time.Hour)
		before := b.rows(t)
		for _, got := range b.register(t, foundBy("run"), urls...) {
			if got.Created || got.Item.DiscoveryMethod != "API" {
				t.Fatalf("%+v", got.Item)
			}
		}
		if diff := cmp.Diff(before, b.rows(t)); diff != "" {
			t.Error(diff)
		}
		if jobs := b.take(t); len(jobs) != 0 {
			t.Errorf("%d jobs for what exists", len(jobs))
		}
	})
}

// E1, E2: new sources among existing ones are registered once, with their run and job, and one queue message. A
// repeated registration recognizes its own items.
func TestE2NewOnlyKeepsRunAndJob(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 3)...)
		b.take(t)
		urls := pages("a.example", 5)
		for try := range 3 {
			got := b.register(t, foundBy("run"), urls...)
			for i, g := range got {
				if isNew := i >= 3; g.Created != (isNew && try == 0) || (g.Item.DiscoveryRun == "run") != isNew {
					t.Errorf("try %d, page %d: created %v by %q", try, i, g.Created, g.Item.DiscoveryRun)
				}
			}
			if want := "job of https://a.example/page/4"; got[4].Item.DiscoveryJob != want {
				t.Errorf("job %q, want %q", got[4].Item.DiscoveryJob, want)
			}
		}
		n := 0
		for _, job := range b.take(t) {
			n += len(job.Items)
		}
		if n != 2 {
			t.Errorf("%d entries in the queue for two new pages registered three times", n)
		}
		if left, err := b.Hosts.Backlog(t.Context(), parse(t, urls[0])[0]); err != nil || left != 5 {
			t.Errorf("backlog %d (%v), want 5", left, err)
		}
		b.check(t)
	})
}

// K8: a caller that has found no items causes no second read, and changes no item that was registered meanwhile.
func TestK8MissingMeanwhileRegistered(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		urls := pages("a.example", 5)
		looked, err := b.Items.LookupAll(t.Context(), parse(t, urls...))
		if err != nil || looked[0] != nil {
			t.Fatalf("%v, %+v", err, looked[0])
		}
		b.register(t, RegisterOptions{}, urls[:3]...)
		before := b.rows(t)
		o := foundBy("run")
		o.Missing = true
		for i, got := range b.register(t, o, urls...) {
			if got.Created != (i >= 3) || got.Err != nil {
				t.Errorf("page %d: created %v, %v", i, got.Created, got.Err)
			}
		}
		after := b.rows(t)
		if looked, err = b.Items.LookupAll(t.Context(), parse(t, urls...)); err != nil || looked[4] == nil {
			t.Fatalf("%v, %+v", err, looked)
		}
		for _, it := range looked[:3] {
			if key := "items/" + it.Partition() + "/" + it.Hash(); after[key].ETag != before[key].ETag {
				t.Errorf("%s was written again", key)
			}
		}
		b.check(t)
	})
}
