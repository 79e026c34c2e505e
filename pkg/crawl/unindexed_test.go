package crawl

import (
	"net/http"
	"slices"
	"testing"

	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/search"
)

// configured makes the worker write to another index, or to none, from now on.
func (r *rig) configured(engine Indexer) {
	r.Worker = r.newWorker(r.reg, r.snaps, index.NewManifests(r.store), engine)
}

// rested counts the history entries that mention the missing index.
func rested(it registry.Item) (n int) {
	for _, d := range it.History {
		if d.Why == "no search index is configured" {
			n++
		}
	}
	return n
}

// TestA19WithoutIndexPagesStayUnindexed checks A8, A19: without an index, pages are crawled and stored as usual: they
// are checked with conditions on their schedule, no page is pending, and the history mentions once why nothing is
// indexed.
func TestA19WithoutIndexPagesStayUnindexed(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.configured(search.None{})
		r.site.put("/p", text("v1").etag("1"))
		began := r.clock.now()
		it := r.first("/p")
		if it.Status != registry.Crawled || it.IndexPending || it.ErrorMessage != "" || it.IndexedHash != "" ||
			it.Manifest != "" ||
			rested(it) != 1 {
			t.Fatalf("status %s, pending %v, message %q, indexed %q, history %v", it.Status, it.IndexPending,
				it.ErrorMessage, it.IndexedHash, it.History)
		}
		if want := began.Add(schedule.Defaults().Base); !it.NextCrawlAt.Equal(want) {
			t.Errorf("next check at %s, want %s", it.NextCrawlAt, want)
		}
		r.site.asked()
		for range 2 {
			it = r.next("/p")
		}
		if it.Status != registry.Crawled || last(it) != "unchanged" || it.UnchangedChecks != 2 || rested(it) != 1 {
			t.Errorf("status %s, history %v", it.Status, it.History)
		}
		r.site.put("/p", text("v2").etag("2"))
		if it = r.next("/p"); it.Title != "v2" || it.Status != registry.Crawled || len(r.captures("/p")) != 2 ||
			rested(it) != 1 {
			t.Errorf("title %q, status %s, history %v", it.Title, it.Status, it.History)
		}
		if len(r.manifests("/p")) != 0 {
			t.Errorf("manifests of what no index holds: %v", r.manifests("/p"))
		}
	})
}

// TestA14WithoutIndexPagesLeave checks A14, A20: without an index, pages leave the registry as usual, too.
func TestA14WithoutIndexPagesLeave(t *testing.T) {
	r := newRig(t)
	r.configured(search.None{})
	r.site.put("/gone", text("v1"))
	r.site.put("/out", text("v1"))
	r.first("/gone")
	r.first("/out")
	r.site.put("/gone", status(http.StatusGone))
	r.site.put("/out", text("v2").set("X-Robots-Tag", "noindex"))
	for range 3 {
		r.force("/gone")
	}
	if it := r.item("/gone"); it.Status != registry.Gone {
		t.Errorf("gone: %s", it.Status)
	}
	if it := r.force("/out"); it.Status != outOfScope {
		t.Errorf("out: %s", it.Status)
	}
}

// TestA19WhatRestedIsIndexed checks A19: once there is an index, all unindexed pages are indexed from their
// snapshots, and no site is asked.
func TestA19WhatRestedIsIndexed(t *testing.T) {
	r := newRig(t)
	r.configured(search.None{})
	r.site.put("/p", text("v1"))
	r.site.put("/q", text("w1"))
	r.first("/p")
	r.first("/q")
	r.site.asked()
	r.configured(r.index)
	r.rebuild(rebuild.Scope{})
	r.mustWork()
	for path, want := range map[string]string{"/p": "v1", "/q": "w1"} {
		if it := r.item(path); it.Status != indexed || r.index.holds(it) != want || it.IndexedHash != it.ContentHash {
			t.Errorf("%s: status %s, index %q", path, it.Status, r.index.holds(it))
		}
	}
	if asked := r.site.asked(); len(asked) > 0 {
		t.Errorf("the site was asked: %q", asked)
	}
}

// TestA19IndexComesBack checks A19: when an index is configured again after a time without one, it gets the changes
// of that time, as the difference from its old contents. Pages that were pending before are no longer pending
// meanwhile.
func TestA19IndexComesBack(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	r.site.put("/pending", text("d1"))
	r.first("/p")
	r.index.down = errIndexDown
	r.first("/pending")
	r.index.down = nil
	r.configured(search.None{})
	if it := r.next("/pending"); it.Status != registry.Crawled || it.IndexPending || it.ErrorMessage != "" {
		t.Errorf("a pending page: status %s, pending %v, message %q", it.Status, it.IndexPending, it.ErrorMessage)
	}
	if it := r.next("/p"); it.Status != registry.Crawled || rested(it) != 1 {
		t.Errorf("unchanged: status %s, history %v", it.Status, it.History)
	}
	r.site.put("/p", text("v2").etag("2"))
	r.next("/p")
	if r.index.pages[string(r.item("/p").ID)].Title != "v1" {
		t.Fatal("written all the same")
	}
	r.configured(r.index)
	for _, path := range []string{"/p", "/pending"} {
		if it := r.next(path); it.Status != indexed || r.index.holds(it) == "v1" || r.index.holds(it) == "" {
			t.Errorf("%s: status %s, index %q", path, it.Status, r.index.holds(it))
		}
	}
	if r.put("/p").Known == nil {
		t.Error("what the index still holds is forgotten")
	}
}

// TestA19RebuildWithoutIndex checks A19: a rebuild without an index completes, and changes nothing.
func TestA19RebuildWithoutIndex(t *testing.T) {
	r := newRig(t)
	r.configured(search.None{})
	r.site.put("/p", text("v1"))
	before := r.first("/p")
	r.rebuild(rebuild.Scope{})
	it := r.item("/p")
	if it.Status != registry.Crawled || it.IndexPending || it.RebuildPending ||
		!it.NextCrawlAt.Equal(before.NextCrawlAt) {
		t.Errorf("status %s, pending %v and %v, due %s, before %s", it.Status, it.IndexPending, it.RebuildPending,
			it.NextCrawlAt, before.NextCrawlAt)
	}
	if !slices.ContainsFunc(it.History, func(d registry.Decision) bool { return d.What == "rebuild" }) {
		t.Error("the rebuild did not ask it")
	}
}
