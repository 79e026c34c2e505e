package crawl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// TestH7KindsOfChange checks how each kind of change is recorded in the history and with the capture, what the index
// does, and whether the page is checked more often afterwards.
func TestH7KindsOfChange(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		base := prose("T", 0, 100)
		pictured := page{body: strings.Replace(base.body, "</p>", `</p><img src="/crane.png" alt="A crane">`, 1)}
		for _, tt := range []struct {
			name  string
			serve page
			kind  change.Kind
			what  string
			why   string
			reset bool // the interval is reset to its base
			puts  int
		}{
			{"first", base, change.New, "changed", "fetched for the first time", true, 1},
			{"noise", page{body: base.body + "<!-- 1 -->"}, change.None, "unchanged", verdict.WhySameContent, false, 0},
			{"content", prose("T", 10, 100), change.Content, "changed",
				"the content is different: 10 words added, 10 removed", true, 1},
			{"title", prose("U", 10, 100), change.Title, "title", "the title is different, the text is not", false, 1},
			{"H8 back", base, change.Reverted, "reverted", "the content is that of ", false, 1},
			{"H8 back with other bytes", page{body: prose("T", 10, 100).body + "<!-- 1 -->"}, change.Reverted, "reverted",
				"the content is an earlier one again: 10 words added, 10 removed", false, 1},
			{"H8 back and forth", base, change.Reverted, "reverted", "the content is that of ", false, 1},
			{"images", pictured, change.Images, "images", "the images are different, the text is not", false, 1},
			{"metadata", page{body: strings.Replace(pictured.body, "<title>", "<meta name=author content=Ada><title>", 1)},
				change.Metadata, "metadata", "the metadata are different, the text is not", false, 1},
		} {
			r.site.put("/p", tt.serve)
			had := r.item
			check := r.next
			if tt.kind == change.New {
				check = r.first
				had = nil
			}
			known, before := len(r.changes("/p")), 0
			if had != nil {
				before = r.item("/p").UnchangedChecks
			}
			r.index.writes()
			it := check("/p")
			d := it.History[len(it.History)-1]
			for i := len(it.History) - 1; d.What == "scheduled" || d.What == "indexed"; i-- {
				d = it.History[i]
			}
			if d.What != tt.what || !strings.HasPrefix(d.Why, tt.why) || len(r.index.writes()) != tt.puts {
				t.Errorf("%s: %s: %s", tt.name, d.What, d.Why)
			}
			if reset := it.UnchangedChecks == 0 && it.CrawlIntervalSeconds == 86400; reset != tt.reset && before != 2 {
				t.Errorf("%s: unchanged %d, every %d seconds", tt.name, it.UnchangedChecks, it.CrawlIntervalSeconds)
			}
			changes := r.changes("/p")
			if tt.kind == change.None {
				if len(changes) != known {
					t.Errorf("%s: %d changes", tt.name, len(changes))
				}
				continue
			}
			if c := changes[0]; c.Kind != tt.kind || c.RawHash != it.RawHash || !c.Measured || len(changes) != known+1 {
				t.Errorf("%s: %+v", tt.name, c)
			}
		}
	})
}

func (r *rig) changes(path string) []snapshot.Change {
	r.t.Helper()
	id := r.source(path).ID()
	captures, err := r.snaps.List(r.t.Context(), id)
	must(r.t, err)
	out, err := r.snaps.Changes(r.t.Context(), id, captures, 1000)
	must(r.t, err)
	return out
}

// TestH7HowMuchHasChanged checks that the shares and words of a change are stored with both captures, and that the
// edge has the fields of spec 000 §4.3 and no others.
func TestH7HowMuchHasChanged(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", prose("T", 10, 60))
	first := r.first("/p")
	r.site.put("/p", prose("T", 30, 60))
	it := r.next("/p")
	want := snapshot.Change{
		Kind: change.Content, At: it.LastChanged, RawHash: it.RawHash, Before: first.RawHash,
		Version: it.NormalizationVersion, Measured: true, New: 1. / 3, Gone: 1. / 3, Added: 20, Removed: 20,
	}
	if diff := cmp.Diff(want, r.changes("/p")[0]); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	for e, err := range r.store.Table(snapshot.CapturesTable).Query(t.Context(), storage.Query{
		Partition: string(it.ID), RowFrom: "supersedes|", RowTo: "supersedes}",
	}) {
		must(t, err)
		for column := range e.Props {
			if strings.Contains(column, "kind") || strings.Contains(column, "words") {
				t.Errorf("the edge has %s", column)
			}
		}
	}
}

// TestH8NothingIsEmbeddedAgain checks that a return to earlier content requests nothing from the model.
func TestH8NothingIsEmbeddedAgain(t *testing.T) {
	r := newModelRig(t)
	for _, p := range []page{prose("a", 0, 100), prose("a", 50, 100)} {
		r.site.put("/p", p)
		if r.jobs(); len(r.changes("/p")) == 0 {
			r.first("/p")
		} else {
			r.next("/p")
		}
	}
	texts := r.model.Texts()
	for range 3 {
		r.site.put("/p", prose("a", 0, 100))
		r.next("/p")
		r.site.put("/p", prose("a", 50, 100))
		if it := r.next("/p"); last(it) != "indexed" {
			t.Errorf("%+v", it.History)
		}
	}
	if n := r.model.Texts(); n != texts || texts == 0 {
		t.Errorf("%d texts were embedded, then %d", texts, n)
	}
}

// TestH7RowsOfBefore checks that where nothing is remembered of a page, its content is either different or equal, and
// nothing waits.
func TestH7RowsOfBefore(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", prose("T", 0, 100))
	it := r.first("/p")
	forget(r, "/p")
	r.site.put("/p", page{body: prose("T", 0, 100).body + "<!-- 1 -->"})
	if it = r.next("/p"); last(it) != "unchanged" || len(it.States) != 8 {
		t.Errorf("%s, %d bytes are remembered", last(it), len(it.States))
	}
	forget(r, "/p")
	r.site.put("/p", broken(1))
	if it = r.next("/p"); it.Collapse.Waits() || r.index.holds(it) != "Oops" || r.changes("/p")[0].Measured {
		t.Errorf("%+v, %+v", it.Collapse, r.changes("/p")[0])
	}
	r.site.put("/p", prose("T", 0, 100))
	if it = r.next("/p"); r.changes("/p")[0].Kind != change.Content || !r.changes("/p")[0].Measured {
		t.Errorf("%+v", r.changes("/p")[0])
	}
}

// forget makes the remembered data of a page look as an earlier release left it.
func forget(r *rig, path string) {
	it := r.item(path)
	merge := func(table string, key storage.Key, props storage.Properties) {
		_, err := r.store.Table(table).Transact(r.t.Context(), storage.Op{Kind: storage.Merge, Entity: storage.Entity{
			Key: key, ETag: storage.AnyETag, Props: props,
		}})
		must(r.t, err)
	}
	merge("IngestItems", storage.Key{Partition: it.Partition(), Row: it.Hash()}, storage.Properties{"states": []byte{}})
	merge(snapshot.CapturesTable, storage.Key{Partition: string(it.ID), Row: "tip"},
		storage.Properties{"words0": []byte{}, "contentType": ""})
}

// TestH7Costs checks that the remembered data of a page costs no extra request for a page with news, because all of
// it is read anyway, once. A page that collapses costs fewer requests. Finding the differences takes one request,
// keeping them takes one if they are more than the passages of the change. The memory of the page's lines takes one,
// and the feed takes one, or eight where its segment is a day old.
func TestH7Costs(t *testing.T) {
	var l ledger
	r := newRig(t, l.watch)
	cost := func(p page) int {
		r.site.put("/p", p)
		r.due("/p")
		job := r.jobs()[0]
		l.took()
		must(t, r.Process(t.Context(), job))
		all, _ := l.took()
		return all
	}
	r.site.put("/p", prose("T", 0, 100))
	r.first("/p")
	same := cost(prose("T", 0, 100))
	news := cost(prose("T", 10, 100))
	collapse := cost(broken(1))
	failure := cost(page{body: "<title>Just a moment...</title><script src=/cdn-cgi/challenge-platform/h/b></script>"})
	if same != 6 || news != 27 || collapse != 8 || failure != 7 {
		t.Errorf("%d operations for an unchanged page, %d for one with news, %d for one that collapses, %d for an error",
			same, news, collapse, failure)
	}
}
