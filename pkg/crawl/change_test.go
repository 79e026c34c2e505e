package crawl

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/registry"
)

// look is one check of /p, with everything that is visible from outside.
type look struct {
	serve  map[string]page // changes to the site before the check
	force  bool
	asked  string // requests, separated by semicolons
	index  string // writes to the index, separated by semicolons
	status registry.Status
	what   string // the decision
}

func (r *rig) follow(looks []look) {
	r.t.Helper()
	for i, l := range looks {
		for path, p := range l.serve {
			r.site.put(path, p)
		}
		var it registry.Item
		switch {
		case i == 0:
			it = r.first("/p")
		case l.force:
			it = r.force("/p")
		default:
			it = r.next("/p")
		}
		have := look{
			serve: l.serve, force: l.force, asked: strings.Join(r.site.asked(), "; "),
			index: strings.Join(r.index.writes(), "; "), status: it.Status, what: last(it),
		}
		if diff := cmp.Diff(l, have, cmp.AllowUnexported(look{}, page{})); diff != "" {
			r.t.Errorf("check %d (-want +have):\n%s\n%s", i+1, diff, it.ErrorMessage)
		}
	}
}

func serve(path string, p page) map[string]page { return map[string]page{path: p} }

const (
	indexed    = registry.Indexed
	outOfScope = registry.OutOfScope
)

var (
	changeV1, changeV2 = text("v1"), text("v2")
	changeDated        = changeV1.set("Last-Modified", "Sun, 01 Mar 2026 10:00:00 GMT")
	changeNoisy        = page{body: strings.Replace(changeV1.body, "<main>", "<!-- rendered in 12 ms --><main>", 1)}
	changeDeaf         = changeV1.etag("1").with(func(p *page) { p.ignores = true })
	changeDeaf2        = changeV2.etag("2").with(func(p *page) { p.ignores = true })
	changeFresh        = look{serve("/p", changeV1), false, "GET /p", "put v1", indexed, "indexed"}
)

var changeCases = []struct {
	name  string
	looks []look
}{
	{"304 to the ETag", []look{
		{serve("/p", changeV1.etag("1")), false, "GET /p", "put v1", indexed, "indexed"},
		{nil, false, "GET /p if 1", "", indexed, "unchanged"},
		{serve("/p", changeV2.etag("2")), false, "GET /p if 1", "put v2", indexed, "indexed"},
		{nil, false, "GET /p if 2", "", indexed, "unchanged"},
	}},
	{"304 to the date", []look{
		{serve("/p", changeDated), false, "GET /p", "put v1", indexed, "indexed"},
		{nil, false, "GET /p if since", "", indexed, "unchanged"},
	}},
	{"the same bytes", []look{changeFresh,
		{nil, false, "GET /p", "", indexed, "unchanged"},
	}},
	{"other bytes, the same content", []look{changeFresh,
		{serve("/p", changeNoisy), false, "GET /p", "", indexed, "unchanged"},
		{nil, false, "GET /p", "", indexed, "unchanged"},
		{serve("/p", changeV2), false, "GET /p", "put v2", indexed, "indexed"},
	}},
	{"validators of noise are kept", []look{
		{serve("/p", changeV1.etag("1")), false, "GET /p", "put v1", indexed, "indexed"},
		{serve("/p", changeNoisy.etag("2")), false, "GET /p if 1", "", indexed, "unchanged"},
		{nil, false, "GET /p if 2", "", indexed, "unchanged"},
	}},
	{"HEAD for a server that ignores conditions", []look{
		{serve("/p", changeDeaf), false, "GET /p", "put v1", indexed, "indexed"},
		{nil, false, "GET /p if 1", "", indexed, "unchanged"},
		{nil, false, "GET /p if 1", "", indexed, "unchanged"},
		{serve("/p", changeDeaf2), false, "GET /p if 1", "put v2", indexed, "indexed"},
		{nil, false, "GET /p if 2", "", indexed, "unchanged"},
		{nil, false, "HEAD /p if 2", "", indexed, "unchanged"},
		{serve("/p", changeDeaf), false, "HEAD /p if 2; GET /p if 2", "put v1", indexed, "indexed"},
	}},
	{"a HEAD that ends elsewhere proves nothing", []look{
		{serve("/p", changeDeaf2), false, "GET /p", "put v2", indexed, "indexed"},
		{serve("/p", changeDeaf), false, "GET /p if 2", "put v1", indexed, "indexed"},
		{nil, false, "GET /p if 1", "", indexed, "unchanged"},
		{
			map[string]page{"/p": to(302, "/q"), "/q": changeDeaf2.etag("1")},
			false,
			"HEAD /p if 1; HEAD /q; GET /p if 1; GET /q",
			"put v2",
			indexed,
			"indexed",
		},
	}},
	{"a redirect is followed each time, with its target's validators", []look{
		{
			map[string]page{"/p": to(302, "/q"), "/q": changeV1.etag("1")},
			false,
			"GET /p; GET /q",
			"put v1",
			indexed,
			"indexed",
		},
		{nil, false, "GET /p; GET /q if 1", "", indexed, "unchanged"},
		{
			map[string]page{"/p": to(302, "/z"), "/z": changeV2.etag("1")},
			false,
			"GET /p; GET /z",
			"put v2",
			indexed,
			"indexed",
		},
	}},
	{"a redirect of spelling is taken once", []look{
		{
			map[string]page{"/p": to(301, "/p/"), "/p/": changeV1.etag("1")},
			false,
			"GET /p; GET /p/",
			"put v1",
			indexed,
			"indexed",
		},
		{nil, false, "GET /p/ if 1", "", indexed, "unchanged"},
		{
			map[string]page{"/p/": to(301, "/p"), "/p": changeV1.etag("1")},
			false,
			"GET /p/ if 1; GET /p",
			"",
			indexed,
			"unchanged",
		},
		{nil, false, "GET /p if 1", "", indexed, "unchanged"},
	}},
	{"a spelling that is gone is given up", []look{
		{
			map[string]page{"/p": to(301, "/p/"), "/p/": changeV1},
			false,
			"GET /p; GET /p/",
			"put v1",
			indexed,
			"indexed",
		},
		{map[string]page{"/p": changeV2, "/p/": status(404)}, false, "GET /p/; GET /p", "put v2", indexed, "indexed"},
		{nil, false, "GET /p", "", indexed, "unchanged"},
	}},
	{"A15 force asks without conditions and indexes again", []look{
		{serve("/p", changeV1.etag("1")), false, "GET /p", "put v1", indexed, "indexed"},
		{nil, true, "GET /p", "put v1", indexed, "indexed"},
		{nil, false, "GET /p if 1", "", indexed, "unchanged"},
	}},
	{"A11 noindex by meta, and back", []look{changeFresh,
		{
			serve("/p", page{body: `<meta name=robots content=noindex>` + changeV1.body}),
			false,
			"GET /p",
			"remove",
			outOfScope,
			"notIndexed",
		},
		{nil, false, "GET /p", "", outOfScope, "unchanged"},
		{serve("/p", changeV1), false, "GET /p", "put v1", indexed, "indexed"},
	}},
	{"A11 noindex by header, and back, in the same bytes", []look{changeFresh,
		{serve("/p", changeV1.set("X-Robots-Tag", "noindex")), false, "GET /p", "remove", outOfScope, "notIndexed"},
		{nil, false, "GET /p", "", outOfScope, "unchanged"},
		{serve("/p", changeV1), false, "GET /p", "put v1", indexed, "indexed"},
	}},
	{"A11 noindex by the header of a 304, and back", []look{
		{serve("/p", changeV1.etag("1")), false, "GET /p", "put v1", indexed, "indexed"},
		{
			serve("/p", changeV1.etag("1").set("X-Robots-Tag", "tidemark: noindex")),
			false,
			"GET /p if 1",
			"remove",
			outOfScope,
			"notIndexed",
		},
		{nil, false, "GET /p", "", outOfScope, "unchanged"},
		{serve("/p", changeV1.etag("1")), false, "GET /p", "put v1", indexed, "indexed"},
	}},
	{"A11 noindex for others", []look{
		{serve("/p", changeV1.set("X-Robots-Tag", "otherbot: noindex")), false, "GET /p", "put v1", indexed, "indexed"},
	}},
	{"A11 noindex of the first sight", []look{
		{serve("/p", changeV1.etag("1").set("X-Robots-Tag", "none")), false, "GET /p", "", outOfScope, "notIndexed"},
		{serve("/p", changeV1.etag("1")), false, "GET /p", "put v1", indexed, "indexed"},
	}},
	{"A14 missing, gone and back", []look{changeFresh,
		{serve("/p", status(404)), false, "GET /p", "", indexed, "missing"},
		{serve("/p", status(410)), false, "GET /p", "", indexed, "missing"},
		{nil, false, "GET /p", "remove", registry.Gone, "gone"},
		{nil, false, "GET /p", "", registry.Gone, "gone"},
		{serve("/p", changeV1), false, "GET /p", "put v1", indexed, "indexed"},
	}},
	{"A14 back before it is believed", []look{changeFresh,
		{serve("/p", status(404)), false, "GET /p", "", indexed, "missing"},
		{serve("/p", status(404)), false, "GET /p", "", indexed, "missing"},
		{serve("/p", changeV1), false, "GET /p", "", indexed, "unchanged"},
		{serve("/p", status(404)), false, "GET /p", "", indexed, "missing"},
		{serve("/p", status(404)), false, "GET /p", "", indexed, "missing"},
	}},
	{"A14 never seen", []look{
		{nil, false, "GET /p", "", registry.Error, "missing"},
		{nil, false, "GET /p", "", registry.Error, "missing"},
		{nil, false, "GET /p", "", registry.Gone, "gone"},
	}},
	{"A17 a type nobody reads is kept, not indexed", []look{
		{
			serve("/p", page{body: "\x89PNG\r\n\x1a\n"}.set("Content-Type", "image/png")),
			false,
			"GET /p",
			"",
			registry.Crawled,
			"notIndexed",
		},
		{nil, false, "GET /p", "", registry.Crawled, "unchanged"},
		{serve("/p", changeV1), false, "GET /p", "put v1", indexed, "indexed"},
	}},
}

// TestA8Changes checks A8: unchanged content is neither downloaded nor indexed.
func TestA8Changes(t *testing.T) {
	for _, tt := range changeCases {
		t.Run(tt.name, func(t *testing.T) { newRig(t).follow(tt.looks) })
	}
}

// TestA8RedirectIsRecorded checks A8: the chain and the canonical are on the item; the identity stays what was
// registered.
func TestA8RedirectIsRecorded(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", to(301, "/q"))
	r.site.put("/q", to(http.StatusFound, "/z"))
	r.site.put("/z", page{body: `<link rel=canonical href="/Z/?utm_source=x#top">` + text("v1").body})
	it := r.first("/p")
	want := []string{"301 " + r.site.URL + "/q", "302 " + r.site.URL + "/z"}
	if diff := cmp.Diff(want, it.HTTPRedirectChain); diff != "" {
		t.Error(diff)
	}
	if it.HTTPCanonicalURL != r.site.URL+"/Z" || it.NormalizedSource != r.site.URL+"/p" ||
		it.HTTPFinalURL != r.site.URL+"/z" {
		t.Errorf("canonical %s, source %s, final %s", it.HTTPCanonicalURL, it.NormalizedSource, it.HTTPFinalURL)
	}
	r.site.put("/p", text("v2"))
	if it = r.next("/p"); it.HTTPRedirectChain != nil || it.HTTPCanonicalURL != "" {
		t.Errorf("the next answer had no redirect and no canonical: %v, %s", it.HTTPRedirectChain, it.HTTPCanonicalURL)
	}
}

// TestA10Hashes checks A10: both hashes are stored, and they distinguish content from noise around it.
func TestA10Hashes(t *testing.T) {
	r := newRig(t)
	around := func(nav, main string) page {
		return page{body: "<title>T</title><nav><a href=/>" + nav + "</a></nav><main><p>" + main + "</p></main>"}
	}
	r.site.put("/p", around("Home", "High water at noon."))
	a := r.first("/p")
	r.site.put("/p", around("Start", "High water at noon."))
	b := r.next("/p")
	r.site.put("/p", around("Start", "High water at one."))
	c := r.next("/p")
	for _, hash := range []string{a.ContentHash, a.TextHash, a.RawHash} {
		if !strings.HasPrefix(hash, "sha256:") || len(hash) != len("sha256:")+64 {
			t.Errorf("hash %q is not sha256:<hex>", hash)
		}
	}
	if a.ContentHash != b.ContentHash || !b.LastChanged.Equal(a.LastChanged) {
		t.Error("navigation counts as content")
	}
	if c.ContentHash == b.ContentHash || !c.LastChanged.After(b.LastChanged) || c.TextHash == b.TextHash {
		t.Error("a change of the content is not seen")
	}
}

// TestA22Language checks A22: the language belongs to the content and stays until the content changes.
func TestA22Language(t *testing.T) {
	r := newRig(t)
	in := func(lang, version string) page {
		return page{body: strings.Replace(text(version).body, "lang=en", "lang="+lang, 1)}
	}
	for i, step := range []struct {
		page page
		want string
	}{{in("en", "v1"), "en"}, {in("de", "v1"), "en"}, {in("de", "v2"), "de"}} {
		r.site.put("/p", step.page)
		it := registry.Item{}
		if i == 0 {
			it = r.first("/p")
		} else {
			it = r.next("/p")
		}
		if it.Language != step.want || r.index.pages[string(it.ID)].Language != step.want {
			t.Errorf("check %d: language %s, index %s, want %s", i+1, it.Language,
				r.index.pages[string(it.ID)].Language, step.want)
		}
	}
	r.site.put("/p", in("fr", "v2"))
	if it := r.force("/p"); it.Language != "de" {
		t.Errorf("a force changed the language of the same content to %s", it.Language)
	}
}
