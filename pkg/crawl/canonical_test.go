package crawl

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
)

// naming is a page that names another as its canonical.
func naming(canonical, version string) page {
	return page{body: "<link rel=canonical href='" + canonical + "'>" + text(version).body}
}

// namingOther is a page of 60 words that names another as its canonical.
func namingOther(canonical string, from int) page {
	p := prose("other", from, 60)
	p.body = "<link rel=canonical href='" + canonical + "'>" + p.body
	return p
}

// turn is one check of one page, with the expected results.
type turn struct {
	serve map[string]page // changes to the site before the check
	look  string          // the page to check; pages are registered in the order of their first check
	shown string          // the paths in the index, in order
	alias string          // the path of the item that stands for the page
	says  string          // part of its error message, or of its note if there is no error
}

func (r *rig) takeTurns(turns []turn) {
	r.t.Helper()
	for i, want := range turns {
		for path, p := range want.serve {
			r.site.put(path, p)
		}
		it := r.look(want.look)
		have := turn{serve: want.serve, look: want.look, shown: r.shown(), alias: r.aliasOf(it), says: want.says}
		if diff := cmp.Diff(want, have, cmp.AllowUnexported(turn{}, page{})); diff != "" {
			r.t.Errorf("turn %d (-want +have):\n%s", i+1, diff)
		}
		if said := it.ErrorMessage + it.CanonicalNote; !strings.Contains(said, want.says) ||
			want.says == "" && said != "" {
			r.t.Errorf("turn %d: it says %q, want %q", i+1, said, want.says)
		}
		if wantStatus := indexed; want.alias != "" && it.Status != outOfScope ||
			want.alias == "" && it.Status != wantStatus {
			r.t.Errorf("turn %d: status %s", i+1, it.Status)
		}
	}
}

// shown lists the pages that a search could find.
func (r *rig) shown() string {
	r.index.mu.Lock()
	defer r.index.mu.Unlock()
	var paths []string
	for _, p := range r.index.pages {
		paths = append(paths, strings.TrimPrefix(p.URL, r.site.URL))
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}

func (r *rig) aliasOf(it registry.Item) string {
	r.t.Helper()
	if it.AliasOf == "" {
		return ""
	}
	of, err := r.reg.Items.Find(r.t.Context(), it.AliasOf)
	must(r.t, err)
	return strings.TrimPrefix(of.NormalizedSource, r.site.URL)
}

var (
	canonicalV1   = text("v1")
	canonicalBoth = map[string]page{"/a": naming("/b", "v1").etag("a"), "/b": canonicalV1.etag("b")}
	canonicalRing = map[string]page{"/a": naming("/b", "v1"), "/b": naming("/c", "v1"), "/c": naming("/a", "v1")}
)

var canonicalCases = []struct {
	name  string
	turns []turn
}{
	{"a canonical that is indexed", []turn{
		{canonicalBoth, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "/b: rel=canonical"},
		{nil, "/a", "/b", "/b", "/b: rel=canonical"},
	}},
	{"a canonical of its own says nothing", []turn{
		{serve("/a", naming("/a/?utm_source=x#top", "v1")), "/a", "/a", "", ""},
	}},
	{"a canonical that nobody registered", []turn{
		{serve("/a", naming("/b", "v1")), "/a", "/a", "", "is not registered"},
		{serve("/b", canonicalV1), "/b", "/a /b", "", ""},
		{nil, "/a", "/b", "/b", "rel=canonical"},
	}},
	{"the page names it no longer", []turn{
		{canonicalBoth, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "rel=canonical"},
		{serve("/a", canonicalV1), "/a", "/b", "/b", "until the next check, too, says otherwise"},
		{nil, "/a", "/a /b", "", ""},
	}},
	{"the page names it no longer, for one check", []turn{
		{canonicalBoth, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "rel=canonical"},
		{serve("/a", canonicalV1), "/a", "/b", "/b", "until the next check, too, says otherwise"},
		{serve("/a", naming("/b", "v1")), "/a", "/b", "/b", "rel=canonical"},
		{serve("/a", canonicalV1), "/a", "/b", "/b", "until the next check, too, says otherwise"},
	}},
	{"another canonical", []turn{
		{canonicalBoth, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "/b: rel=canonical"},
		{serve("/c", text("c")), "/c", "/b /c", "", ""},
		{serve("/a", naming("/c", "v1")), "/a", "/b /c", "/c", "/c: rel=canonical"},
	}},
	{"a permanent redirect", []turn{
		{map[string]page{"/a": to(301, "/x"), "/x": to(308, "/b"), "/b": canonicalV1.etag("b")}, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "/b: permanent redirect"},
		{nil, "/a", "/b", "/b", "permanent redirect"},
		{serve("/x", to(302, "/b")), "/a", "/b", "/b", "same content as"},
	}},
	{"a redirect of which one step is for now", []turn{
		{map[string]page{"/a": to(302, "/x"), "/x": to(301, "/b"), "/b": canonicalV1}, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "same content as"},
	}},
	{"a permanent redirect to what nobody registered, with a canonical", []turn{
		{map[string]page{"/a": to(301, "/x"), "/x": naming("/b", "v1"), "/b": canonicalV1}, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "/b: rel=canonical"},
	}},
	{"a chain of canonicals", []turn{
		{map[string]page{"/a": naming("/b", "v1"), "/b": naming("/c", "v1"), "/c": canonicalV1}, "/c", "/c", "", ""},
		{nil, "/b", "/c", "/c", "/c: rel=canonical"},
		{nil, "/a", "/c", "/c", "/c: rel=canonical"},
	}},
	{"a canonical that later has one itself", []turn{
		{canonicalBoth, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "/b: rel=canonical"},
		{serve("/c", canonicalV1), "/c", "/b /c", "", ""},
		{serve("/b", naming("/c", "v1")), "/b", "/b /c", "", "is believed when the next check says the same"},
		{nil, "/b", "/c", "/c", "/c: rel=canonical"},
		{nil, "/a", "/c", "/c", "/c: rel=canonical"},
	}},
	{"a loop of two", []turn{
		{map[string]page{"/a": naming("/b", "v1"), "/b": naming("/a", "v1")}, "/a", "/a", "", "is not registered"},
		{nil, "/b", "/a /b", "", "leads back here"},
		{nil, "/a", "/a /b", "", "leads back here"},
		{nil, "/b", "/a /b", "", "leads back here"},
	}},
	{"a loop of two that closes later", []turn{
		{canonicalBoth, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "rel=canonical"},
		{serve("/b", naming("/a", "v1")), "/b", "/b", "", "leads back here"},
		{nil, "/a", "/a /b", "", "leads back here"},
	}},
	{"a loop of a canonical and a redirect", []turn{
		{map[string]page{"/a": naming("/b", "v1"), "/b": to(301, "/a")}, "/a", "/a", "", "is not registered"},
		{nil, "/b", "/a /b", "", "leads back here"},
		{nil, "/a", "/a /b", "", "leads back here"},
	}},
	{"a loop of three", []turn{
		{canonicalRing, "/a", "/a", "", "is not registered"},
		{nil, "/b", "/a /b", "", "is not registered"},
		{nil, "/c", "/a /b /c", "", "leads back here"},
		{nil, "/b", "/a /b /c", "", "leads back here"},
		{nil, "/a", "/a /b /c", "", "leads back here"},
		{nil, "/c", "/a /b /c", "", "leads back here"},
	}},
	{"a loop that does not lead back here", []turn{
		{map[string]page{"/a": naming("/b", "v1"), "/b": naming("/a", "v1")}, "/a", "/a", "", "is not registered"},
		{nil, "/b", "/a /b", "", "leads back here"},
		{serve("/z", naming("/a", "v1")), "/z", "/a /b", "/a", "rel=canonical"},
	}},
	{"two pages change roles, the alias first", []turn{
		{canonicalBoth, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "rel=canonical"},
		{map[string]page{"/a": canonicalV1, "/b": naming("/a", "v1")}, "/a", "/b", "/b", "says otherwise"},
		{nil, "/b", "/b", "", "leads back here"},
		{nil, "/a", "/a /b", "", ""},
		{nil, "/b", "/a", "/a", "/a: rel=canonical"},
	}},
	{"two pages change roles, the canonical first", []turn{
		{canonicalBoth, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "rel=canonical"},
		{map[string]page{"/a": canonicalV1, "/b": naming("/a", "v1")}, "/b", "/b", "", "leads back here"},
		{nil, "/a", "/a /b", "", ""},
		{nil, "/b", "/a", "/a", "/a: rel=canonical"},
	}},
	{"a canonical with other content", []turn{
		{map[string]page{"/": prose("home", 0, 60), "/a": namingOther("/", 100)}, "/", "/", "", ""},
		{nil, "/a", "/ /a", "", "has other content: 0 % of the shorter text is in the other"},
		{nil, "/a", "/ /a", "", "has other content"},
	}},
	{"a template that breaks", []turn{
		{map[string]page{"/": prose("home", 0, 60), "/a": prose("a", 100, 60)}, "/", "/", "", ""},
		{nil, "/a", "/ /a", "", ""},
		{serve("/a", namingOther("/", 100)), "/a", "/ /a", "", "has other content"},
		{nil, "/a", "/ /a", "", "has other content"},
	}},
	{"a page of which most is in the canonical", []turn{
		{map[string]page{"/all": prose("all", 0, 500), "/1": namingOther("/all", 10)}, "/all", "/all", "", ""},
		{nil, "/1", "/all", "/all", "/all: rel=canonical"},
	}},
	{"an alias whose content becomes another", []turn{
		{map[string]page{"/all": prose("all", 0, 500), "/1": namingOther("/all", 440)}, "/all", "/all", "", ""},
		{nil, "/1", "/all", "/all", "/all: rel=canonical"},
		{serve("/1", namingOther("/all", 470)), "/1", "/all", "/all", "says otherwise"},
		{nil, "/1", "/1 /all", "", "has other content"},
	}},
	{"a canonical whose content becomes another", []turn{
		{map[string]page{"/b": prose("b", 0, 60), "/a": namingOther("/b", 0)}, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "/b: rel=canonical"},
		{serve("/b", prose("b", 20, 60)), "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "/b: rel=canonical"},
		{serve("/b", prose("b", 50, 60)), "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "says otherwise"},
		{nil, "/a", "/a /b", "", "has other content"},
	}},
	{"a header names the canonical", []turn{
		{map[string]page{"/b": canonicalV1, "/a": canonicalV1.set("Link",
			`</c>; rel=next, </b>; title="a, b"; rel="x Canonical"`)}, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "/b: rel=canonical"},
		{serve("/a", canonicalV1), "/a", "/b", "/b", "says otherwise"},
		{nil, "/a", "/a /b", "", ""},
		{serve("/a", canonicalV1.set("Link", `</b>; rel=canonical`)), "/a", "/a /b", "", "is believed when the next"},
		{nil, "/a", "/b", "/b", "/b: rel=canonical"},
	}},
	{"the page takes precedence over the header", []turn{
		{map[string]page{"/b": canonicalV1, "/c": canonicalV1, "/a": naming("/b", "v1").set("Link", `</c>; rel=canonical`)},
			"/b", "/b", "", ""},
		{nil, "/c", "/b /c", "", ""},
		{nil, "/a", "/b /c", "/b", "/b: rel=canonical"},
		{nil, "/a", "/b /c", "/b", "/b: rel=canonical"},
	}},
	{"an alias whose content changes", []turn{
		{canonicalBoth, "/b", "/b", "", ""},
		{nil, "/a", "/b", "/b", "rel=canonical"},
		{serve("/a", naming("/b", "v2")), "/a", "/b", "/b", "rel=canonical"},
	}},
}

// TestA16Canonical checks A16: the item that stands for a page is in the index, and the page is not.
func TestA16Canonical(t *testing.T) {
	for _, tt := range canonicalCases {
		t.Run(tt.name, func(t *testing.T) { newRig(t).takeTurns(tt.turns) })
	}
}

// TestA16CanonicalThatFails checks A16: a canonical page must itself be searchable. Before it is, and when it ceases
// to be, the page stands for itself and is indexed from its snapshot.
func TestA16CanonicalThatFails(t *testing.T) {
	v1 := text("v1").etag("b")
	for _, tt := range []struct {
		name  string
		spoil func(*rig)
		says  string
	}{
		{"missing for good", func(r *rig) {
			r.site.put("/b", status(410))
			for range 3 {
				r.look("/b")
			}
		}, "has the status Gone"},
		{"an error", func(r *rig) { r.site.put("/b", status(500)); r.look("/b") }, "has the status Error"},
		{"noindex", func(r *rig) { r.site.put("/b", v1.set("X-Robots-Tag", "noindex")); r.force("/b") },
			"has the status OutOfScope"},
		{"robots.txt", func(r *rig) {
			r.site.put("/robots.txt", robotsTxt("User-agent: *", "Disallow: /b"))
			r.forget()
			r.clock.pass(25 * time.Hour)
			r.next("/b") // also checks /a, which is unchanged
		}, "has the status OutOfScope"},
		{"a type nobody reads", func(r *rig) {
			r.site.put("/b", page{body: "\x00\x01"}.set("Content-Type", "application/octet-stream"))
			r.look("/b")
		}, "has the status Crawled"},
		{"about to be removed", func(r *rig) {
			_, err := r.reg.Items.Remove(r.t.Context(), r.item("/b").ID)
			must(r.t, err)
			r.jobs() // the jobs are lost
		}, "is to be removed"},
		{"removed", func(r *rig) {
			_, err := r.reg.Items.Remove(r.t.Context(), r.item("/b").ID)
			must(r.t, err)
			r.mustWork()
		}, "is not registered"},
		{"registered again and not fetched yet", func(r *rig) {
			r.site.put("/b", status(500))
			r.look("/b")
			r.register(false, "/b")
			r.jobs()
		}, "has not been fetched yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				r := newRig(t, on(open))
				r.site.put("/a", naming("/b", "v1").etag("a"))
				r.site.put("/b", v1)
				r.first("/b")
				r.first("/a")
				tt.spoil(r)
				r.site.asked()
				it := r.look("/a")
				if it.Status != indexed || it.AliasOf != "" || r.index.holds(it) != "v1" ||
					!strings.Contains(it.CanonicalNote, tt.says) {
					t.Errorf("the page does not stand for itself: %s, alias of %q, index %q, note %q", it.Status,
						it.AliasOf, r.index.holds(it), it.CanonicalNote)
				}
				if asked := r.site.asked(); !slices.Equal(asked, []string{"GET /a if a"}) {
					t.Errorf("asked %q", asked)
				}
				r.site.put("/robots.txt", status(404))
				r.forget()
				r.clock.pass(25 * time.Hour)
				r.site.put("/b", v1)
				r.force("/b")
				if it = r.look("/a"); it.AliasOf != r.item("/b").ID || r.shown() != "/b" {
					t.Errorf("the canonical is back: alias of %q, shown %s", it.AliasOf, r.shown())
				}
			})
		})
	}
}

// TestA16AliasThatLeaves checks A16: an alias that must not, or cannot, be searchable is no longer an alias.
func TestA16AliasThatLeaves(t *testing.T) {
	for name, leave := range map[string]func(*rig){
		"noindex": func(r *rig) { r.site.put("/a", naming("/b", "v1").set("X-Robots-Tag", "noindex")) },
		"robots.txt": func(r *rig) {
			r.site.put("/robots.txt", robotsTxt("User-agent: *", "Disallow: /a"))
			r.forget()
			r.clock.pass(25 * time.Hour)
		},
		"gone": func(r *rig) { r.site.put("/a", status(410)) },
	} {
		r := newRig(t)
		r.site.put("/a", naming("/b", "v1"))
		r.site.put("/b", text("v1"))
		r.first("/b")
		if it := r.first("/a"); it.AliasOf == "" {
			t.Fatalf("status %s (%s)", it.Status, it.CanonicalNote)
		}
		leave(r)
		for range 3 {
			r.next("/a")
		}
		if it := r.item("/a"); it.AliasOf != "" || strings.Contains(it.ErrorMessage, "duplicate") || r.shown() != "/b" {
			t.Errorf("%s: %s, alias of %q (%s), shown %q", name, it.Status, it.AliasOf, it.ErrorMessage, r.shown())
		}
	}
}

// TestA16RelativeCanonical checks A16: the same bytes at another address may name another canonical.
func TestA16RelativeCanonical(t *testing.T) {
	r := newRig(t)
	for _, dir := range []string{"/x/", "/y/"} {
		r.site.put("/p", to(302, dir+"1"))
		r.site.put(dir+"1", naming("q", "v1"))
		if it := r.look("/p"); it.HTTPCanonicalURL != r.site.URL+dir+"q" {
			t.Errorf("canonical %s below %s", it.HTTPCanonicalURL, dir)
		}
	}
}

// TestReindexOnCanonicalChange checks that FORCE_REINDEX_ON_CANONICAL_CHANGE decides whether a page is stored and
// indexed again when only its canonical has changed. The item that stands for the page changes in both cases.
func TestReindexOnCanonicalChange(t *testing.T) {
	for _, reindex := range []bool{true, false} {
		r := newRig(t, func(k *knobs) { k.crawl.ReindexOnCanonical = reindex })
		r.site.put("/a", text("v1"))
		r.first("/a")
		r.index.writes()
		r.site.put("/a", naming("/a?page=1", "v1"))
		it := r.look("/a")
		var want []string
		if reindex {
			want = []string{"put v1"}
		}
		if got := r.index.writes(); !slices.Equal(got, want) || len(r.captures("/a")) != 2 {
			t.Errorf("reindex %v: wrote %q, %d captures", reindex, got, len(r.captures("/a")))
		}
		if it.HTTPCanonicalURL != r.site.URL+"/a?page=1" ||
			!slices.ContainsFunc(it.History, func(d registry.Decision) bool { return d.What == "canonical" }) {
			t.Errorf("reindex %v: canonical %q is not recorded", reindex, it.HTTPCanonicalURL)
		}
		if !it.LastChanged.Equal(it.FirstSeen) {
			t.Errorf("reindex %v: a canonical counts as a change of the content", reindex)
		}
		r.site.put("/b", text("v1"))
		r.first("/b")
		r.site.put("/a", naming("/b", "v1"))
		r.look("/a")
		r.look("/a")
		if r.shown() != "/b" {
			t.Errorf("reindex %v: shown %q", reindex, r.shown())
		}
		r.site.put("/a", text("v1"))
		r.look("/a")
		if it = r.look("/a"); r.shown() != "/a /b" || it.HTTPCanonicalURL != "" {
			t.Errorf("reindex %v: shown %q, canonical %q", reindex, r.shown(), it.HTTPCanonicalURL)
		}
	}
}

// TestA16UnchangedChecksReadNothing checks A16: a page for which no other item may stand costs nothing more.
func TestA16UnchangedChecksReadNothing(t *testing.T) {
	r := newRig(t)
	r.site.put("/a", naming("/a", "v1").etag("1"))
	it := r.first("/a")
	if c := (verdict.Basis{Rules: r.Worker.rules()}); c.Contested(&it) {
		t.Error("a page with a canonical of its own is contested")
	}
}
