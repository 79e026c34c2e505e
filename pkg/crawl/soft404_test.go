package crawl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
)

// sorry is the page that many sites show, with status 200, for pages that do not exist.
var sorry = page{
	body: "<title>Harbour</title><main><h1>Nothing here</h1><p>Sorry, this page does not exist. It may have been moved " +
		"or deleted " +
		"by us. Try the search, or begin at the front page of the harbour.</p></main>",
}

// softly turns on the requests for pages that do not exist.
func softly(k *knobs) { k.crawl.Soft404 = true }

// probes counts the requests for pages that cannot exist, and returns the other requests.
func (r *rig) probes() (n int, others []string) {
	for _, line := range r.site.asked() {
		if strings.Contains(line, "GET /tidemark-looks-for-a-page-that-does-not-exist-") {
			n++
		} else {
			others = append(others, line)
		}
	}
	return n, others
}

func (r *rig) wantProbes(want int, when string) {
	r.t.Helper()
	if n, others := r.probes(); n != want {
		r.t.Errorf("%s: %d requests for pages that cannot exist, want %d (others: %q)", when, n, want, others)
	}
}

// TestA14Soft404 checks A14: a page that turns into the host's page for pages that do not exist is missing, and in
// the end Gone. It comes back like any other page.
func TestA14Soft404(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open), softly)
		r.site.lost = sorry
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.wantProbes(1, "the first page")
		r.site.put("/q", text("q"))
		r.first("/q")
		r.wantProbes(0, "the second page")
		r.site.put("/p", sorry)
		for i, want := range []registry.Status{indexed, indexed, registry.Gone} {
			it := r.next("/p")
			if it.Status != want || !strings.Contains(it.ErrorMessage, verdict.WhySoft404) || len(r.captures("/p")) != 1 {
				t.Fatalf("check %d: %s, %s, %d captures", i+1, it.Status, it.ErrorMessage, len(r.captures("/p")))
			}
		}
		if it := r.item("/p"); r.index.holds(it) != "" {
			t.Error("still in the index")
		}
		r.site.put("/p", text("v1"))
		if it := r.next("/p"); it.Status != indexed || r.index.holds(it) != "v1" || it.MissingChecks != 0 {
			t.Errorf("back: %s, missing %d times", it.Status, it.MissingChecks)
		}
	})
}

// TestA14Soft404Tells checks A14: some pages count as the host's page for pages that do not exist, and some never do.
func TestA14Soft404Tells(t *testing.T) {
	chrome := "<nav>" + strings.Repeat(
		"<a href=/x>Tides and winds of all the harbours along the northern coast</a> ",
		20,
	) + "</nav>"
	with := func(main string) page {
		return page{body: "<title>Harbour</title>" + chrome + "<main><p>" + main + "</p></main>"}
	}
	notFound := page{body: "<title>Oops</title><main><p>Page not found</p></main>"}
	for _, tt := range []struct {
		name       string
		lost, page page
		path       string
		missing    bool
	}{
		{"the same", sorry, sorry, "/p", true},
		{"with its own address", with("We have looked for /p everywhere in the harbour and in all of its many pages, but " +
			"alas there is nothing there that we could show to you."),
			with("We have looked for /p everywhere in the harbour and in all of its many pages, but alas there is nothing " +
				"there that we could show to you."), "/p", true},
		{"another title", sorry, page{body: strings.Replace(sorry.body, "<title>Harbour", "<title>p - Harbour", 1)},
			"/p", true},
		{"a short text, the same", notFound, notFound, "/p", true},
		{"a short text, nearly", notFound, page{body: strings.Replace(notFound.body, "not found", "of tides", 1)},
			"/p", false},
		{"no text at all", page{body: "<title></title>"}, page{body: "<title></title>"}, "/p", false},
		{"much chrome in common", with("There is nothing here."), with("High water at noon today."), "/p", false},
		{"another text", sorry, text("v1"), "/p", false},
		{"the root", sorry, sorry, "/", false},
		{"the root with a query", sorry, sorry, "/?page=7", true},
		{"an honest host", page{}, sorry, "/p", false},
		{"a host that fails", status(500), sorry, "/p", false},
		{"a file", page{body: "%!x\x00\x01"}.set("Content-Type", "application/x-strange"),
			page{body: "%!x\x00\x01"}.set("Content-Type", "application/x-strange"), "/p", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, softly)
			r.site.lost = tt.lost
			path, _, _ := strings.Cut(tt.path, "?")
			r.site.put(path, tt.page)
			it := r.first(tt.path)
			if missing := it.MissingChecks > 0; missing != tt.missing {
				t.Errorf("missing is %v: %s (%s)", missing, it.Status, it.ErrorMessage)
			}
		})
	}
}

// TestA14Soft404ByRedirect checks A14: a host that redirects pages that do not exist to its front page is recognized
// by that.
func TestA14Soft404ByRedirect(t *testing.T) {
	r := newRig(t, softly)
	r.site.lost = to(302, "/")
	r.site.put("/", text("front"))
	r.site.put("/p", text("v1"))
	r.site.put("/moved", to(301, "/p"))
	for _, p := range []string{"/", "/p", "/moved"} {
		if it := r.first(p); it.MissingChecks != 0 {
			t.Errorf("%s: %s", p, it.ErrorMessage)
		}
	}
	r.site.put("/p", to(301, "/"))
	if it := r.next("/p"); it.MissingChecks != 1 || !strings.Contains(it.ErrorMessage, verdict.WhyToRoot) {
		t.Errorf("missing %d times: %s", it.MissingChecks, it.ErrorMessage)
	}
	r.site.put("/", text("another front"))
	if it := r.next("/"); it.Status != indexed || it.MissingChecks != 0 {
		t.Errorf("the front page: %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA14Soft404Asks checks A14: a host gets such a request at most once a week, only for new content, and not
// against its rules.
func TestA14Soft404Asks(t *testing.T) {
	t.Run("once a week", func(t *testing.T) {
		r := newRig(t, softly)
		r.site.put("/p", text("v0").etag("0"))
		r.first("/p")
		r.wantProbes(1, "at first")
		began := r.clock.now()
		for i := range 20 {
			r.next("/p") // unchanged
			r.wantProbes(0, "unchanged")
			if i == 5 {
				break
			}
		}
		if r.clock.now().Sub(began) < 7*day {
			t.Fatal("the week is not over")
		}
		for i := range 9 { // one of them is a second check at a page that moves each day
			r.site.put("/p", text(fmt.Sprint(i+1)))
			r.next("/p")
		}
		r.wantProbes(2, "nine changes, a day apart")
	})
	t.Run("not again after a failure", func(t *testing.T) {
		r := newRig(t, softly)
		r.site.lost = status(500)
		r.manyPages(3)
		r.wantProbes(1, "three pages")
	})
	t.Run("in a new process", func(t *testing.T) {
		r := newRig(t, softly)
		r.site.lost = sorry
		r.manyPages(2)
		r.wantProbes(1, "two pages")
		r.forget()
		r.site.put("/p", sorry)
		if it := r.first("/p"); it.MissingChecks != 1 {
			t.Errorf("not known again: %s", it.Status)
		}
		r.wantProbes(0, "another process")
	})
	t.Run("not where robots.txt forbids it", func(t *testing.T) {
		r := newRig(t, softly)
		r.site.put("/robots.txt", page{body: "User-agent: *\nDisallow: /tidemark"}.set("Content-Type", "text/plain"))
		r.manyPages(2)
		r.wantProbes(0, "disallowed")
	})
	t.Run("not when it is off", func(t *testing.T) {
		r := newRig(t)
		r.manyPages(2)
		r.wantProbes(0, "off")
	})
	t.Run("and a pause it asks for is kept", func(t *testing.T) {
		r := newRig(t, softly)
		r.site.lost = status(429).set("Retry-After", "1800")
		r.manyPages(4)
		if _, others := r.probes(); len(others) != 1 {
			t.Errorf("asked %q after the pause began", others)
		}
	})
}

// TestA14Soft404AtOnce checks A14: pages of a new host that are fetched side by side wait for the answer to the first
// such request.
func TestA14Soft404AtOnce(t *testing.T) {
	r := newRig(t, softly, func(k *knobs) { k.polite = policy.Politeness{MaxConcurrent: 8} })
	r.site.lost = sorry
	paths := []string{"/nowhere"}
	for i := range 7 {
		paths = append(paths, fmt.Sprintf("/p%d", i))
		r.site.put(paths[i+1], text(paths[i+1]))
	}
	r.register(false, paths...)
	r.mustWork()
	r.wantProbes(1, "all pages")
	if it := r.item("/nowhere"); it.Status == indexed || !strings.Contains(it.ErrorMessage, verdict.WhySoft404) {
		t.Errorf("%s: %s", it.Status, it.ErrorMessage)
	}
	if it := r.item("/p3"); it.Status != indexed {
		t.Errorf("a page that exists: %s: %s", it.Status, it.ErrorMessage)
	}
}
