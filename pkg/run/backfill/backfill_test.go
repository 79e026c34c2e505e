package backfill_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// tally is the part of a run's counts that tests compare.
type tally struct{ Discovered, Queued, Skipped, Excluded, Trapped, Duplicates, Errors, Documents int }

func tallyOf(c backfill.Counts) tally {
	return tally{c.Discovered, c.Queued, c.Skipped, c.Excluded, c.Trapped, c.Duplicates, c.Errors, c.Documents}
}

// nested serves a site whose sitemap index names two sitemaps that share some pages.
func nested(r *rig) {
	r.web.Pages["https://a.example/sitemap.xml"] = runtest.MapIndex("https://a.example/s1.xml", "https://a.example/s2.xml",
		"https://a.example/sitemap.xml")
	r.web.Pages["https://a.example/s1.xml"] = runtest.URLSet(runtest.Pages("https://a.example/one/", 12)...)
	r.web.Pages["https://a.example/s2.xml"] = runtest.URLSet(append(runtest.Pages("https://a.example/one/", 3),
		runtest.Pages("https://a.example/two/", 8)...)...)
}

// TestE1Run checks E1, E2, E8: a run registers each page of nested sitemaps once, with its method, run and job, and
// does not change items that existed before.
func TestE1Run(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		nested(r)
		r.register(runtest.Pages("https://a.example/one/", 2)...)
		before := r.items()
		run := r.start(backfill.Request{Sources: []string{"a"}, RunBy: "ops"})
		if run.Status != backfill.Pending || run.Mode != backfill.Sitemap || run.MaxURLs != 1000 || run.MaxPerSrc != 500 ||
			run.Concurrency != 2 {
			t.Errorf("begun: %+v", run)
		}
		run = r.end(run.ID)
		want := tally{Discovered: 20, Queued: 18, Skipped: 2, Duplicates: 3, Documents: 3}
		if diff := cmp.Diff(want, tallyOf(run.Counts)); diff != "" || run.Status != backfill.Completed {
			t.Errorf("%+v\n(-want +have)\n%s", run, diff)
		}
		if diff := cmp.Diff(tallyOf(run.Counts), tallyOf(run.Progress[0].Counts)); diff != "" {
			t.Error(diff)
		}
		r.whole(run)
		for address, it := range r.items() {
			if was, old := before[address]; old {
				if was.DiscoveryMethod != it.DiscoveryMethod || !was.NextCrawlAt.Equal(it.NextCrawlAt) {
					t.Errorf("%s was touched", address)
				}
				continue
			}
			if it.DiscoveryMethod != backfill.Method || it.DiscoveryJob != discover.JobID("a", address) ||
				it.Status != registry.Pending {
				t.Errorf("%s: %+v", address, it)
			}
		}
	})
}

// TestE7Requests checks E7: a run counts every request that it makes for its documents. Redirects count, too; a
// document that robots.txt forbids costs no request.
func TestE7Requests(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		blocked := &politeness.SiteError{Err: fault.New(fault.Blocked, "robots.txt disallows it")}
		ok := politeness.Resource{Status: http.StatusOK, FinalURL: "https://cdn.example/s.xml",
			Body: []byte(runtest.URLSet("https://a.example/1")), Requests: 3}
		for _, tt := range []struct {
			name string
			page runtest.Reply
			want int
		}{
			{"redirects", runtest.Reply{Resource: ok}, 3},
			{"robots.txt", runtest.Reply{Err: blocked}, 0},
			{"robots.txt behind a redirect", runtest.Reply{Resource: politeness.Resource{Requests: 1}, Err: blocked}, 1},
		} {
			r.web.Pages["https://a.example/sitemap.xml"] = tt.page
			if run := r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID); run.Requests != tt.want {
				t.Errorf("%s: %d requests, want %d", tt.name, run.Requests, tt.want)
			}
		}
	})
}

// TestE5Caps checks E5: the caps are exact to one address, and excluded addresses do not count.
func TestE5Caps(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		for _, host := range []string{"a", "b"} {
			r.web.Pages["https://"+host+".example/sitemap.xml"] = runtest.URLSet(append(runtest.Pages("https://other.example/",
				30), runtest.Pages("https://"+host+".example/p/", 200)...)...)
		}
		for _, tt := range []struct {
			name            string
			req             backfill.Request
			discovered, one int
		}{
			{"of the run", backfill.Request{Sources: []string{"a", "b"}, MaxURLs: 77}, 77, 77},
			{"of each source", backfill.Request{Sources: []string{"a", "b"}, MaxPerSrc: 61}, 122, 61},
			{"both", backfill.Request{Sources: []string{"a", "b"}, MaxURLs: 111, MaxPerSrc: 100}, 111, 100},
			{"one by one", backfill.Request{Sources: []string{"a", "b"}, MaxURLs: 111, MaxPerSrc: 100, Concurrency: 1}, 111,
				100},
			{"a cap of one", backfill.Request{Sources: []string{"a"}, MaxURLs: 1}, 1, 1},
			{"enough for all", backfill.Request{Sources: []string{"a", "b"}}, 400, 200},
		} {
			run := r.end(r.start(tt.req).ID)
			if run.Discovered != tt.discovered || run.Status != backfill.Completed {
				t.Errorf("%s: %d discovered, want %d (%s)", tt.name, run.Discovered, tt.discovered, run.Status)
			}
			if most := max(run.Progress[0].Discovered, run.Progress[len(run.Progress)-1].Discovered); most > tt.one {
				t.Errorf("%s: %d of one source, want at most %d", tt.name, most, tt.one)
			}
			r.whole(run)
		}
	})
}
