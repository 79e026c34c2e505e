package sitepoll_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// tally is the result of a poll, without ids, times and requests.
type tally struct {
	Documents, Unmodified, Found, New, Known, Excluded, Later, Errors int
}

func tallyOf(l sitepoll.Poll) tally {
	return tally{l.Documents, l.Unmodified, l.Found, l.New, l.Known, l.Excluded, l.Later, l.Errors}
}

func same(t *testing.T, want, have any) {
	t.Helper()
	if d := cmp.Diff(want, have, cmpopts.IgnoreUnexported(registry.Item{})); d != "" {
		t.Errorf("(-want +have)\n%s", d)
	}
}

// TestE14DailyPoll checks that a daily poll registers new pages, once, leaves known items as they are and reports
// what it found. An unchanged document costs one conditional request (E14).
func TestE14DailyPoll(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.register("https://a.example/0", "https://a.example/1")
		before := r.items()["https://a.example/0"]
		r.web.Pages[aMap] = runtest.MapIndex("https://a.example/one.xml", "https://a.example/two.xml",
			"https://stranger.example/s.xml")
		r.web.Pages["https://a.example/one.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 5)...)
		r.web.Pages["https://a.example/two.xml"] = runtest.URLSet(append(runtest.Pages("https://a.example/print/", 2),
			"https://a.example/4", "https://other.example/")...)
		r.web.Pages[bFeed] = 404

		same(t, tally{Documents: 3, Found: 9, New: 3, Known: 3, Excluded: 3, Errors: 1}, tallyOf(r.tick("a")))
		same(t, before, r.items()["https://a.example/0"])
		if it := r.items()["https://a.example/3"]; it.DiscoveryMethod != "SENTINEL" ||
			it.DiscoveryRun != r.site("a").Last.ID {
			t.Errorf("discovered by %q in %q", it.DiscoveryMethod, it.DiscoveryRun)
		}
		if _, there := r.items()["https://a.example/print/0"]; there {
			t.Error("what the site file excludes was registered")
		}

		r.web.Requests()
		same(t, tally{Documents: 3, Unmodified: 3, Errors: 1}, tallyOf(r.day("a")))
		same(t, []string{"304 " + aMap, "304 https://a.example/one.xml", "304 https://a.example/two.xml"},
			of("a.example", r.web.Requests()))

		r.web.Pages["https://a.example/one.xml"] = runtest.URLSet(append(runtest.Pages("https://a.example/", 5),
			"https://a.example/fresh")...)
		same(t, tally{Documents: 3, Unmodified: 2, Found: 1, New: 1, Errors: 1}, tallyOf(r.day("a")))
		if _, there := r.items()["https://a.example/fresh"]; !there {
			t.Error("what is new was not registered")
		}
		r.whole()
	})
}

func of(host string, requests []string) (out []string) {
	for _, one := range requests {
		if strings.Contains(one, "//"+host+"/") {
			out = append(out, one)
		}
	}
	return out
}

// TestE14Cap checks that the day's cap holds whatever a site lists, and that the remaining pages are registered on
// the next days, the oldest last (E14).
func TestE14Cap(t *testing.T) {
	r := inMemory(t)
	r.restart(func(o *sitepoll.Options) { o.PerDay = 3 })
	var entries []string
	for i := range 8 {
		entries = append(entries, fmt.Sprintf("https://a.example/%d 2026-02-%02d", i, i+1))
	}
	r.web.Pages[aMap] = runtest.URLSet(entries...)
	same(t, tally{Documents: 1, Found: 8, New: 3, Later: 5}, tallyOf(r.tick("a")))
	for _, newest := range []string{"7", "6", "5"} {
		if _, there := r.items()["https://a.example/"+newest]; !there {
			t.Errorf("%s, among the newest, was left for later", newest)
		}
	}
	_, err := r.PollNow(t.Context(), "a")
	r.Must(err)
	r.settle()
	same(t, tally{Documents: 1, Found: 5, Later: 5}, tallyOf(*r.site("a").Last))
	same(t, tally{Documents: 1, Found: 5, New: 3, Later: 2}, tallyOf(r.day("a")))
	same(t, tally{Documents: 1, Found: 2, New: 2}, tallyOf(r.day("a")))
	same(t, tally{Documents: 1, Unmodified: 1}, tallyOf(r.day("a")))
}

// TestE14LargeDocument checks that a document with more unknown addresses than one step looks up needs several steps
// (E14).
func TestE14LargeDocument(t *testing.T) {
	defer sitepoll.FewerLookups(4)()
	r := inMemory(t)
	r.web.Pages[aMap] = runtest.URLSet(runtest.Pages("https://a.example/", 11)...)
	same(t, tally{Documents: 1, Found: 11, New: 11}, tallyOf(r.tick("a")))
	same(t, tally{Documents: 1, Unmodified: 1}, tallyOf(r.day("a")))
}

// TestE14WithoutSitemaps checks that a poll without listed sitemaps reads robots.txt, and then /sitemap.xml (E14).
func TestE14WithoutSitemaps(t *testing.T) {
	for _, row := range []struct {
		name   string
		robots any
		at     string
	}{
		{"robots.txt names one", "User-agent: *\nSitemap: https://c.example/deep/map.xml\n",
			"https://c.example/deep/map.xml"},
		{"robots.txt names none", "User-agent: *\n", "https://c.example/sitemap.xml"},
		{"no robots.txt", 404, "https://c.example/sitemap.xml"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := inMemory(t)
			r.restart(func(o *sitepoll.Options) { o.Sites = site.List{{Slug: "c", Domain: "c.example"}} })
			r.web.Pages["https://c.example/robots.txt"], r.web.Pages[row.at] = row.robots,
				runtest.URLSet(runtest.Pages("https://c.example/", 2)...)
			if poll := r.tick("c"); poll.New != 2 || poll.Errors != 0 {
				t.Errorf("%+v", poll)
			}
			if poll := r.day("c"); poll.New != 0 || poll.Unmodified == 0 {
				t.Errorf("the day after: %+v", poll)
			}
		})
	}
}

// TestE14WhoIsDue checks that feeds are read each hour, sitemaps only at six, and sites that only set limits never
// (E14).
func TestE14WhoIsDue(t *testing.T) {
	r := inMemory(t)
	r.web.Pages[aMap], r.web.Pages[bFeed] = runtest.URLSet(runtest.Pages("https://a.example/", 1)...),
		"<rss><channel><item><link>https://b.example/1</link></item></channel></rss>"
	r.web.Pages["https://b.example/robots.txt"], r.web.Pages["https://limits.example/robots.txt"] = "x", "x"
	r.tick("a")
	r.web.Requests()
	for hour := 7; hour < 12; hour++ {
		r.Clock.Pass(time.Hour)
		r.tick("b")
	}
	same(t, []string{"304 " + bFeed, "304 " + bFeed, "304 " + bFeed, "304 " + bFeed, "304 " + bFeed}, r.web.Requests())
	if b := r.site("b"); b.LastFeeds == nil || b.LastFeeds.Kind != sitepoll.Feeds || b.Last.Kind != sitepoll.Full {
		t.Errorf("%+v", b)
	}
	r.web.Pages[bFeed] = "<rss><channel><item><link>https://b.example/2</link></item></channel></rss>"
	r.Clock.Pass(time.Hour)
	r.tick("b")
	if _, there := r.items()["https://b.example/2"]; !there || r.site("b").LastFeeds.New != 1 {
		t.Error("what is new in a feed waits for the daily look")
	}
	if s := r.site("limits"); s.Watched || s.Last != nil {
		t.Errorf("a site that only sets limits was polled: %+v", s)
	}
	if s := r.site("a"); !s.NextPollAt.Equal(time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)) {
		t.Errorf("next poll of %s", s.NextPollAt)
	}
	r.Clock.Pass(30 * time.Hour) // the timer did not run at six
	if poll := r.tick("a"); poll.BeganAt.Day() != 2 {
		t.Errorf("a poll that was missed is not made up for: %s", poll.BeganAt)
	}
}

// TestX11PollSaysWhatItCouldNotRead checks that a poll says which entries it could not read, and how many, beside the
// pages that it found (X11).
func TestX11PollSaysWhatItCouldNotRead(t *testing.T) {
	r := inMemory(t)
	r.web.Pages[aMap] = "<urlset><url><loc>https://a.example/1</loc></url><url></url></urlset>"
	poll := r.tick("a")
	if poll.New != 1 || poll.Errors != 1 ||
		!strings.Contains(poll.Problems[0].Message, "1 of 2 entries could not be read") {
		t.Errorf("%+v", poll)
	}
}

// TestE14SiteFailures checks that error answers of sites are recorded, retried when that may help, and finally end
// the poll (E14).
func TestE14SiteFailures(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer any
		asked  int
		why    string
	}{
		{"missing", 404, 1, "HTTP 404"},
		{"broken", 500, 3, "HTTP 500"},
		{"no sitemap", "<html><body>hello", 1, "web page"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := inMemory(t)
			r.web.Pages[aMap] = row.answer
			poll := r.tick("a")
			if poll.Errors != 1 || !strings.Contains(poll.Problems[0].Message, row.why) ||
				len(of("a.example", r.web.Requests())) != row.asked {
				t.Errorf("%+v", poll)
			}
			r.web.Pages[aMap] = runtest.URLSet(runtest.Pages("https://a.example/", 2)...)
			if poll := r.day("a"); poll.New != 2 {
				t.Errorf("the day after: %+v", poll)
			}
		})
	}
	r := inMemory(t)
	r.web.Pages[aMap] = fault.After(3*time.Hour, "a.example is left alone")
	_, err := r.Tick(t.Context())
	r.Must(err)
	for range 30 {
		for _, body := range r.Messages(sitepoll.Queue) {
			r.Must(r.Step(t.Context(), body))
		}
		r.Clock.Pass(time.Hour)
		_, err := r.RequeueStalled(t.Context())
		r.Must(err)
	}
	if a := r.site("a"); a.Now != nil || !strings.Contains(a.Last.Note, "20 hours") {
		t.Errorf("a poll that the site holds up goes on: %+v", a.Now)
	}
}

// TestE14U3SettingsChange checks that no poll begins and active ones end when polls are switched off, and that
// documents are read again under new rules (E14). It also checks that each address found on a site is counted once,
// with the rule that excluded it, and again under new rules (U3).
func TestE14U3SettingsChange(t *testing.T) {
	r := inMemory(t)
	r.web.Pages[aMap] = runtest.URLSet(append(runtest.Pages("https://a.example/print/", 2),
		runtest.Pages("https://a.example/", 1)...)...)
	_, err := r.Tick(t.Context())
	r.Must(err)
	r.restart(func(o *sitepoll.Options) { o.PerDay = 0 })
	r.settle()
	if poll := r.site("a").Last; poll.New != 0 || !strings.Contains(poll.Note, "switched off") {
		t.Errorf("%+v", poll)
	}
	if n, err := r.Tick(t.Context()); n != 0 || err != nil {
		t.Errorf("%d polls begin, %v", n, err)
	}
	if _, err := r.PollNow(t.Context(), "a"); !fault.Is(err, fault.Blocked) {
		t.Errorf("a poll that is asked for: %v", err)
	}
	r.restart(func(o *sitepoll.Options) { o.PerDay = 10 })
	same(t, tally{Documents: 1, Found: 3, New: 1, Excluded: 2}, tallyOf(r.day("a")))
	r.day("a") // nothing new
	same(t, api.Coverage{Found: 3, New: 1, Excluded: 2, Reasons: map[string]int{"exclude: /print/": 2},
		Examples: map[string]string{"exclude: /print/": "https://a.example/print/0"}}, r.site("a").Coverage.Coverage)
	r.restart(func(o *sitepoll.Options) {
		o.Sites = site.List{{Slug: "a", Domain: "a.example", Sitemaps: []string{aMap}}}
	})
	same(t, tally{Documents: 1, Found: 3, New: 2, Known: 1}, tallyOf(r.day("a")))
	same(t, api.Coverage{Found: 3, New: 2, Known: 1}, r.site("a").Coverage.Coverage)
}

// TestE14PollNow checks that a site has at most one active poll, and that unknown sites have none (E14).
func TestE14PollNow(t *testing.T) {
	r := inMemory(t)
	if _, err := r.PollNow(t.Context(), "nobody"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	now, err := r.PollNow(t.Context(), "a")
	if err != nil || now.Now == nil {
		t.Fatal(now, err)
	}
	if _, err := r.PollNow(t.Context(), "a"); !fault.Is(err, fault.Conflict) {
		t.Error(err)
	}
	for _, body := range []string{"", "{}", `{"site":"a/b","step":1}`, `{"site":"gone","step":1}`} {
		if err := r.Step(t.Context(), []byte(body)); err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", body, err)
		}
	}
}
