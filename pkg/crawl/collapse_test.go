package crawl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
)

// prose is a page with a title and a number of words. Pages made with other ranges share no word with it.
func prose(title string, from, n int) page {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", from+i)
	}
	return page{body: "<html lang=en><title>" + title + "</title><main><p>" + b.String() + "</p></main>"}
}

// broken is an error page that a site shows instead of a page.
func broken(n int) page { return prose("Oops", 1000*n, 10) }

// kinds returns the kinds of a page's changes, the oldest first.
func (r *rig) kinds(path string) (out []string) {
	r.t.Helper()
	for _, c := range r.changes(path) {
		out = append([]string{string(c.Kind)}, out...)
	}
	return out
}

// collapsed makes a page wait with a collapse that so many checks have seen. The next check sees it, too.
func (r *rig) collapsed(checks int) {
	r.t.Helper()
	r.site.put("/p", prose("full", 0, 100).etag("1"))
	r.first("/p")
	r.site.put("/p", broken(1).etag("2"))
	for range checks {
		r.next("/p")
	}
}

// waits is a check, with the traces that a collapse leaves.
type waits struct {
	serve  page
	asked  string
	index  string // its contents
	checks int    // checks that have seen the collapse
	what   string // the decisions
}

// TestH9Collapses checks that the index keeps its content while two more checks follow soon, and that the answer that
// ends the wait is decided as if there had been no collapse.
func TestH9Collapses(t *testing.T) {
	full := prose("full", 0, 100).etag("1")
	first := waits{full, "GET /p", "full", 0, "registered changed indexed"}
	for _, tt := range []struct {
		name   string
		checks []waits
		kinds  []string
	}{
		{"accepted, whatever the checks say", []waits{first,
			{broken(1).etag("2"), "GET /p if 1", "full", 1, "collapsed"},
			{broken(2).etag("2"), "GET /p", "full", 2, "collapsed"},
			{broken(3).etag("2"), "GET /p", "Oops", 0, "changed indexed"},
			{broken(3).etag("2"), "GET /p if 2", "Oops", 0, "unchanged"},
		}, []string{"new", "content"}},
		{"back with the same bytes", []waits{first,
			{broken(1).etag("2"), "GET /p if 1", "full", 1, "collapsed"},
			{full, "GET /p", "full", 0, "back unchanged"},
			{full, "GET /p if 1", "full", 0, "unchanged"},
			{broken(2).etag("2"), "GET /p if 1", "full", 1, "collapsed"},
		}, []string{"new"}},
		{"back with other bytes", []waits{first,
			{broken(1), "GET /p if 1", "full", 1, "collapsed"},
			{page{body: full.body + "<!-- 12 ms -->"}, "GET /p", "full", 0, "back unchanged"},
		}, []string{"new"}},
		{"back with an edit", []waits{first,
			{broken(1), "GET /p if 1", "full", 1, "collapsed"},
			{prose("edit", 0, 90), "GET /p", "edit", 0, "changed back indexed"},
		}, []string{"new", "content"}},
		{"errors in between", []waits{first,
			{broken(1), "GET /p if 1", "full", 1, "collapsed"},
			{status(500), "GET /p", "full", 1, "error"},
			{status(404), "GET /p", "full", 1, "missing"},
			{broken(1), "GET /p", "full", 2, "collapsed"},
			{broken(1), "GET /p", "Oops", 0, "changed indexed"},
		}, []string{"new", "content"}},
		{"a page that wishes to leave", []waits{first,
			{broken(1).set("X-Robots-Tag", "noindex"), "GET /p if 1", "", 0, "changed unindexed notIndexed"},
		}, []string{"new", "content"}},
		{"H8 a state that was accepted before", []waits{first,
			{broken(1), "GET /p if 1", "full", 1, "collapsed"},
			{broken(1), "GET /p", "full", 2, "collapsed"},
			{broken(1), "GET /p", "Oops", 0, "changed indexed"},
			{full, "GET /p", "full", 0, "reverted indexed"},
			{broken(1), "GET /p if 1", "Oops", 0, "reverted indexed"},
		}, []string{"new", "content", "reverted", "reverted"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			for i, want := range tt.checks {
				r.site.put("/p", want.serve)
				since, check := r.clock.now().Add(time.Second), r.next
				if i == 0 {
					since, check = r.clock.now(), r.first
				}
				it := check("/p")
				have := waits{want.serve, strings.Join(r.site.asked(), "; "), r.index.holds(it), it.Collapse.Checks,
					strings.Join(decided(it, since), " ")}
				if diff := cmp.Diff(want, have, cmp.AllowUnexported(waits{}, page{})); diff != "" {
					t.Errorf("check %d (-want +have):\n%s", i+1, diff)
				}
				if wait := it.NextCrawlAt.Sub(it.LastChecked); it.Collapse.Waits() && it.CrawlAttempts == 0 &&
					wait != 6*time.Hour {
					t.Errorf("check %d: the next one comes in %s", i+1, wait)
				}
				if status := it.Status; it.Collapse.Waits() && it.ErrorMessage == "" && status != registry.Indexed {
					t.Errorf("check %d: %s", i+1, status)
				}
			}
			if diff := cmp.Diff(tt.kinds, r.kinds("/p")); diff != "" {
				t.Errorf("kinds (-want +have):\n%s", diff)
			}
			r.checkInvariants()
		})
	}
}

// TestX3WhoAcceptsACollapse checks that a forced check accepts what it finds at once, and so does a check by which a
// person accepts the page. Registering the page again, or requesting a check, counts as one of the further checks.
func TestX3WhoAcceptsACollapse(t *testing.T) {
	accept := func(r *rig) registry.Item {
		r.clock.pass(time.Second)
		_, err := r.reg.Items.Accept(r.t.Context(), r.source("/p").ID())
		must(r.t, err)
		r.mustWork()
		return r.item("/p")
	}
	requested := func(r *rig) registry.Item {
		r.clock.pass(time.Second)
		_, err := r.reg.Items.Reindex(r.t.Context(), r.item("/p"), false)
		must(r.t, err)
		r.mustWork()
		return r.item("/p")
	}
	for _, tt := range []struct {
		name   string
		checks []func(r *rig) registry.Item
		want   int // checks that have seen the collapse; 0 if it is accepted
	}{
		{"forced", []func(*rig) registry.Item{func(r *rig) registry.Item { return r.force("/p") }}, 0},
		{"registered again", []func(*rig) registry.Item{func(r *rig) registry.Item { return r.look("/p") }}, 1},
		{"registered again twice", []func(*rig) registry.Item{
			func(r *rig) registry.Item { return r.look("/p") }, func(r *rig) registry.Item { return r.look("/p") }}, 2},
		{"registered again three times", []func(*rig) registry.Item{func(r *rig) registry.Item { return r.look("/p") },
			func(r *rig) registry.Item { return r.look("/p") }, func(r *rig) registry.Item { return r.look("/p") }}, 0},
		{"a check is requested", []func(*rig) registry.Item{requested}, 1},
		{"accepted", []func(*rig) registry.Item{func(r *rig) registry.Item { return r.next("/p") }, accept}, 0},
		{"accepted before it has collapsed", []func(*rig) registry.Item{accept,
			func(r *rig) registry.Item { return r.next("/p") }}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", prose("full", 0, 100))
			r.first("/p")
			r.site.put("/p", broken(1))
			var it registry.Item
			for _, check := range tt.checks {
				it = check(r)
			}
			if accepted := r.index.holds(it) == "Oops"; accepted != (tt.want == 0) || it.Collapse.Checks != tt.want {
				t.Errorf("the index holds %q, %+v", r.index.holds(it), it.Collapse)
			}
			r.site.put("/p", prose("full", 0, 100))
			r.next("/p")
			r.site.put("/p", broken(2))
			if it := r.next("/p"); !it.Collapse.Waits() {
				t.Error("what was accepted once counts for ever")
			}
		})
	}
}

// TestH9AnAnswerWithoutABodySaysNothing checks that an answer during a collapse leaves no validators by which a later
// answer could count as unchanged, and that a redirect is not followed up yet.
func TestH9AnAnswerWithoutABodySaysNothing(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", prose("full", 0, 100).etag("1"))
	before := r.first("/p")
	r.site.put("/", broken(1).etag("2"))
	r.site.put("/p", to(301, "/"))
	it := r.next("/p")
	if !it.Collapse.Waits() || it.HTTPEtag != before.HTTPEtag || it.HTTPFinalURL != before.HTTPFinalURL ||
		len(it.HTTPRedirectChain) > 0 || it.HTTPCanonicalURL != "" || it.RawHash != before.RawHash {
		t.Errorf("kept of the collapse: %+v", it)
	}
	if !it.LastVerified.Equal(before.LastVerified) || len(r.captures("/p")) != 1 {
		t.Errorf("verified %s, %d captures", it.LastVerified, len(r.captures("/p")))
	}
	r.site.asked()
	r.next("/p")
	if it = r.next("/p"); it.Collapse.Waits() || !strings.HasSuffix(it.HTTPFinalURL, "/") || it.HTTPEtag != `"2"` {
		t.Errorf("accepted: %+v", it)
	}
	if asked := strings.Join(r.site.asked(), "; "); strings.Contains(asked, " if ") {
		t.Errorf("asked %s", asked)
	}
}

// TestH9ARebuildKeepsWhatIsKnown checks that a rebuild fills the index from the snapshot, and that the collapse keeps
// waiting.
func TestH9ARebuildKeepsWhatIsKnown(t *testing.T) {
	for _, raise := range []bool{false, true} {
		r := newRig(t)
		r.site.put("/p", prose("full", 0, 100))
		r.first("/p")
		r.site.put("/p", broken(1))
		r.next("/p")
		if raise {
			r.raise("/p")
		}
		r.loseIndex()
		s := r.rebuilds(r.store)
		_, err := s.Start(t.Context(), rebuild.Scope{})
		must(t, err)
		for range 3 {
			for _, body := range r.steps() {
				must(t, s.Step(t.Context(), body))
			}
			must(t, r.work())
		}
		if it := r.item("/p"); r.index.holds(it) != "full" || it.Collapse.Checks != 1 {
			t.Errorf("raised %v: the index holds %q, %+v", raise, r.index.holds(it), it.Collapse)
		}
		r.next("/p")
		if it := r.next("/p"); r.index.holds(it) != "Oops" {
			t.Errorf("raised %v: the index holds %q, %+v", raise, r.index.holds(it), it.Collapse)
		}
	}
}

// TestH9UnderARaisedVersion checks that the known content is read again before it is compared, and is placed even
// though the page collapsed in the same check.
func TestH9UnderARaisedVersion(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", prose("full", 0, 100))
	r.first("/p")
	r.raise("/p")
	r.site.put("/p", broken(1))
	for i := range 2 {
		it := r.next("/p")
		if it.Collapse.Checks != i+1 || r.index.holds(it) != "full" || it.IndexedHash != it.ContentHash ||
			it.NormalizationVersion != string(raised) {
			t.Errorf("check %d: %+v, indexed %s of %s", i, it.Collapse, it.IndexedHash, it.ContentHash)
		}
	}
	if it := r.next("/p"); r.index.holds(it) != "Oops" {
		t.Errorf("%+v", it.Collapse)
	}
}

// TestH9Aliases checks that an alias that collapses stays an alias, and that the page that stands for it stays in the
// index while it collapses itself.
func TestH9Aliases(t *testing.T) {
	canonical := prose("full", 0, 100)
	canonical.body = strings.Replace(canonical.body, "<title>", `<link rel=canonical href="/q"><title>`, 1)
	r := newRig(t)
	r.site.put("/q", canonical)
	q := r.first("/q")
	r.site.put("/p", canonical)
	if it := r.first("/p"); it.AliasOf != q.ID {
		t.Fatalf("alias of %q", it.AliasOf)
	}
	r.site.put("/p", broken(1))
	r.site.put("/q", broken(1))
	for range 2 {
		if it := r.next("/p"); it.AliasOf != q.ID || !it.Collapse.Waits() || r.index.holds(it) != "" {
			t.Errorf("the alias: %+v, alias of %q", it.Collapse, it.AliasOf)
		}
	}
	r.next("/p")
	r.next("/q")
	for range 3 {
		r.next("/q")
		r.next("/p")
	}
	p, now := r.item("/p"), r.item("/q")
	waits := p.Collapse.Waits() || now.Collapse.Waits()
	if waits || p.ContentHash != now.ContentHash || now.IndexedHash != now.ContentHash {
		t.Errorf("in the end: %+v and %+v", p.Collapse, now.Collapse)
	}
	r.checkInvariants()
}

// TestH9PurgedWhileItWaits checks that nothing of a purged item remains.
func TestH9PurgedWhileItWaits(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", prose("full", 0, 100))
	it := r.first("/p")
	r.site.put("/p", broken(1))
	r.next("/p")
	_, err := r.reg.Items.Remove(t.Context(), it.ID)
	must(t, err)
	r.clock.pass(time.Minute)
	_, err = r.reg.Jobs.Sweep(t.Context())
	must(t, err)
	r.mustWork()
	if rows := r.kinds("/p"); len(rows) > 0 || len(r.blobs()) > 0 || len(r.index.pages) > 0 {
		t.Errorf("left: %q, %q, %d pages", rows, r.blobs(), len(r.index.pages))
	}
}
