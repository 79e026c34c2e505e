package sitepoll_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// TestX5OtherName checks X5: a site that is added by its bare domain is found at www, and the other way round, whatever
// is at the name that was given. A site that has its documents there is not asked for under the other name.
func TestX5OtherName(t *testing.T) {
	const pages = "https://www.apex.example/sitemap.xml"
	for name, tt := range map[string]struct {
		domain string
		at     map[string]any
		new    int
		asks   []string // of the other name
	}{
		"nothing at the bare domain": {"apex.example", map[string]any{pages: runtest.URLSet("https://www.apex.example/1")},
			1, []string{"GET https://www.apex.example/robots.txt", "GET " + pages}},
		"robots.txt alone at the bare domain": {"apex.example", map[string]any{
			"https://apex.example/robots.txt": "User-agent: *\n", pages: runtest.URLSet("https://www.apex.example/1")},
			1, []string{"GET https://www.apex.example/robots.txt", "GET " + pages}},
		"a sitemap that the other robots.txt names": {"apex.example", map[string]any{
			"https://www.apex.example/robots.txt": "Sitemap: https://www.apex.example/all.xml\n",
			"https://www.apex.example/all.xml":    runtest.URLSet("https://www.apex.example/1", "https://apex.example/2")},
			2, []string{"GET https://www.apex.example/robots.txt", "GET https://www.apex.example/all.xml"}},
		"nothing at www": {"www.apex.example", map[string]any{
			"https://apex.example/sitemap.xml": runtest.URLSet("https://apex.example/1")},
			1, []string{"GET https://apex.example/robots.txt", "GET https://apex.example/sitemap.xml"}},
		"a bare domain that does not answer": {"apex.example", map[string]any{
			"https://apex.example/robots.txt": &politeness.SiteError{Err: fault.New(fault.Unavailable, "no such host")},
			pages:                             runtest.URLSet("https://www.apex.example/1")},
			1, []string{"GET https://www.apex.example/robots.txt", "GET " + pages}},
		"all at the bare domain": {"apex.example", map[string]any{
			"https://apex.example/sitemap.xml": runtest.URLSet("https://apex.example/1")}, 1, nil},
		"nothing anywhere": {"apex.example", nil, 0, []string{"GET https://www.apex.example/robots.txt", "GET " + pages}},
	} {
		t.Run(name, func(t *testing.T) {
			r := inMemory(t)
			r.restart(func(o *sitepoll.Options) { o.Sites = site.List{{Slug: "s", Domain: tt.domain, WWW: true}} })
			for address, answer := range tt.at {
				r.web.Pages[address] = answer
			}
			other := "www.apex.example"
			if tt.domain == other {
				other = "apex.example"
			}
			if poll := r.tick("s"); poll.New != tt.new {
				t.Errorf("%d pages are new, want %d: %+v", poll.New, tt.new, poll.Problems)
			}
			same(t, tt.asks, of(other, r.web.Requests()))
		})
	}
}

// TestX5PollWaitsForSeveralDocuments checks that a poll whose documents are all of hosts that cannot be asked passes
// each over once, and then waits, or ends if the pages are listed elsewhere (X5).
func TestX5PollWaitsForSeveralDocuments(t *testing.T) {
	for _, listed := range []bool{false, true} {
		r := inMemory(t)
		r.restart(func(o *sitepoll.Options) { o.Sites = site.List{{Slug: "s", Domain: "apex.example", WWW: true}} })
		robots := "Sitemap: https://cdn.example/a.xml\nSitemap: https://cdn.example/b.xml\n"
		if listed {
			robots = "Sitemap: https://apex.example/ok.xml\n" + robots
			r.web.Pages["https://apex.example/ok.xml"] = runtest.URLSet("https://apex.example/1")
		}
		r.web.Pages["https://apex.example/robots.txt"] = robots
		down := fault.After(30*time.Minute, "%w", &host.UnreachedError{Host: "cdn.example", Of: "dns", Why: "status 503"})
		r.web.Pages["https://cdn.example/a.xml"], r.web.Pages["https://cdn.example/b.xml"] = down, down
		_, err := r.Tick(r.Context())
		r.Must(err)
		steps := 0
		for steps < 100 && r.polling() { // only steps that are due at once
			messages := r.Messages(sitepoll.Queue)
			if len(messages) == 0 {
				break
			}
			for _, m := range messages {
				r.Must(r.Step(r.Context(), m))
				steps++
			}
		}
		if steps > 15 || r.polling() == listed {
			t.Errorf("listed %v: %d steps at once, still polling %v", listed, steps, r.polling())
		}
		if now := r.site("s").Now; !listed && (now == nil || !strings.Contains(now.Note, "waits for the site")) {
			t.Errorf("the poll says %+v", now)
		}
	}
}
