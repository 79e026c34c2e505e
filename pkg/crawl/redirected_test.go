package crawl

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
)

// TestA8PermanentRedirectIsCanonical checks A8: a page that redirects permanently has the target as its canonical
// URL, unless the page there names another (spec 003 §5). Its captures have it, too. The canonical URL follows the
// redirects at each check, even when the content stays.
func TestA8PermanentRedirectIsCanonical(t *testing.T) {
	tagged := func(p page) page { return p.etag("1") }
	for _, tt := range []struct {
		name  string
		turns []map[string]page // the site's answers before each check
		want  []string          // the canonical path after each check; empty when there is none
	}{
		{"moved", []map[string]page{{"/old": to(301, "/new"), "/new": text("v1")}}, []string{"/new"}},
		{"moved by 308, over two hops",
			[]map[string]page{{"/old": to(308, "/mid"), "/mid": to(301, "/new"), "/new": text("v1")}},
			[]string{"/new"}},
		{"for now", []map[string]page{{"/old": to(302, "/new"), "/new": text("v1")}}, []string{""}},
		{"for now in one hop",
			[]map[string]page{{"/old": to(301, "/mid"), "/mid": to(302, "/new"), "/new": text("v1")}}, []string{""}},
		{"the page knows better", []map[string]page{{"/old": to(301, "/new"), "/new": naming("/known", "v1")}},
			[]string{"/known"}},
		{"only spelled otherwise", []map[string]page{{"/old": to(301, "/old/"), "/old/": text("v1")}}, []string{""}},
		{"moves later", []map[string]page{{"/old": text("v1")}, {"/old": to(301, "/new"), "/new": text("v1")}},
			[]string{"", "/new"}},
		{"moves on",
			[]map[string]page{{"/old": to(301, "/new"), "/new": text("v1")}, {"/old": to(301, "/newer"), "/newer": text("v1")}},
			[]string{"/new", "/newer"}},
		{"moves back", []map[string]page{{"/old": to(301, "/new"), "/new": text("v1")}, {"/old": text("v1")}},
			[]string{"/new", ""}},
		{"for good after all, 304",
			[]map[string]page{{"/old": to(302, "/new"), "/new": tagged(text("v1"))}, {"/old": to(301, "/new")}},
			[]string{"", "/new"}},
		{"for now after all, 304",
			[]map[string]page{{"/old": to(301, "/new"), "/new": tagged(text("v1"))}, {"/old": to(302, "/new")}},
			[]string{"/new", ""}},
		{"for now after all, but named, 304",
			[]map[string]page{{"/old": to(301, "/new"), "/new": tagged(naming("/new", "v1"))}, {"/old": to(302, "/new")}},
			[]string{"/new", "/new"}},
		{"for now after all, the same bytes",
			[]map[string]page{{"/old": to(301, "/new"), "/new": text("v1")}, {"/old": to(302, "/new")}},
			[]string{"/new", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			for i, serve := range tt.turns {
				for path, p := range serve {
					r.site.put(path, p)
				}
				check := r.next
				if i == 0 {
					check = r.first
				}
				it := check("/old")
				if have := strings.TrimPrefix(it.HTTPCanonicalURL, r.site.URL); have != tt.want[i] {
					t.Errorf("check %d: canonical %q, want %q (chain %v)", i, have, tt.want[i], it.HTTPRedirectChain)
				}
			}
			captured := r.captures("/old")[0].CanonicalURI
			first := tt.want[0]
			if first == "" {
				first = "/old"
			}
			if captured != r.site.URL+first {
				t.Errorf("captured as %s, want %s", captured, first)
			}
		})
	}
}

// TestA8CapturesFollowTheMove checks A8: captures from before a page moved keep their canonical URI; later captures
// have the new one.
func TestA8CapturesFollowTheMove(t *testing.T) {
	r := newRig(t)
	r.site.put("/old", text("v1"))
	r.first("/old")
	r.site.put("/old", to(301, "/new"))
	r.site.put("/new", text("v2"))
	r.next("/old")
	var have []string
	for _, c := range r.captures("/old") {
		have = append(have, strings.TrimPrefix(c.CanonicalURI, r.site.URL))
	}
	slices.Sort(have)
	if want := []string{"/new", "/old"}; !slices.Equal(have, want) {
		t.Errorf("captured as %v, want %v", have, want)
	}
}

// TestA13RedirectToUnreachedHost checks that a page which redirects to a host that cannot be reached waits for an hour
// without a failed attempt, and fails after that, whether robots.txt of that host is known or not (A13).
func TestA13RedirectToUnreachedHost(t *testing.T) {
	for _, known := range []bool{false, true} {
		r := newRig(t)
		other, base := r.elsewhere()
		other.put("/there", text("v1"))
		r.site.put("/away", page{status: http.StatusFound, header: http.Header{"Location": {base + "/there"}}})
		if known {
			r.first("/away")
		}
		other.CloseClientConnections()
		other.Close()
		r.register(true, "/away")
		r.mustWork()
		began := r.clock.now()
		for range 40 {
			it := r.item("/away")
			waited := r.clock.now().Sub(began) < time.Hour
			if waited != (it.CrawlAttempts == 0) || waited == (it.Status == registry.Error) {
				t.Fatalf("known %t, after %v: %s after %d attempts (%s)", known, r.clock.now().Sub(began), it.Status,
					it.CrawlAttempts, it.ErrorMessage)
			}
			r.due("/away")
			r.mustWork()
		}
		if it := r.item("/away"); it.CrawlAttempts < 3 || !strings.Contains(r.told(), "failing") {
			t.Errorf("known %t: in the end %d attempts; told %s", known, it.CrawlAttempts, r.told())
		}
	}
}
