package backfill_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

const tree = "https://tree.example/"

// layTree serves pages that link to each other: three on each level, and what is not to be followed. Two of them are
// known.
func layTree(r *rig) backfill.Request {
	r.web.Pages[tree] = runtest.Links("/a", "/b", "/a#x", "https://else.example/", "/print/x",
		"/cal?sid=0123456789abcdef01")
	r.web.Pages[tree+"a"] = runtest.Links("/", "/a/1", "/a/2", "/b")
	r.web.Pages[tree+"b"] = runtest.Links("/b/1", "/a/1")
	r.web.Pages[tree+"a/1"] = runtest.Links("/a/1/deep")
	r.web.Pages[tree+"a/2"] = `<meta name=robots content=nofollow>` + runtest.Links("/hidden")
	r.web.Pages[tree+"b/1"], r.web.Pages[tree+"print/x"] = "no links", "no links"
	r.web.Pages[tree+"a/1/deep"] = runtest.Links("/too/deep")
	r.crawl = r.Crawl(r.reg, r.web)
	r.restart(func(o *backfill.Options) {
		o.Sites, o.Snapshots = site.List{{Slug: "tree", Domain: "tree.example", Start: []string{tree}}}, r.crawl.Snaps
	})
	r.register(tree+"b", tree+"print/x")
	return backfill.Request{Sources: []string{"tree"}, Mode: backfill.Links}
}

// treeTally are the counts of a run over [layTree]: /too/deep is beyond the depth, and not examined.
var treeTally = tally{Discovered: 8, Queued: 6, Skipped: 2, Excluded: 1, Trapped: 1, Documents: 8}

// TestE18LinksOfASite checks that a run of mode LINKS registers what links lead to, marked as its own, with no request
// to the site; that known pages stay as they are; and that the run says what is left out, and why (E18).
func TestE18LinksOfASite(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		run := r.end(r.start(layTree(r)).ID)
		if diff := cmp.Diff(treeTally, tallyOf(run.Counts)); diff != "" || run.Status != backfill.Completed {
			t.Errorf("%s %v (-want +have)\n%s", run.Status, run.ErrorLog, diff)
		}
		if asked := r.web.Requests(); len(asked) > 0 {
			t.Errorf("%v were asked for", asked)
		}
		if note := run.Progress[0].Note; !strings.Contains(note, "3 links from the first page") {
			t.Errorf("the limit of depth is not told: %q", note)
		}
		for _, why := range []string{"other host: else.example",
			"the links of a page that forbids following them (nofollow)"} {
			if run.Reasons[why] != 1 {
				t.Errorf("no reason %q in %v", why, run.Reasons)
			}
		}
		it := r.items()[tree+"b"]
		if other := r.items()[tree+"a"]; it.DiscoveryRun != "" || other.DiscoveryMethod != backfill.Method ||
			other.DiscoveryRun != run.ID {
			t.Errorf("%q; %q of %q", it.DiscoveryRun, other.DiscoveryMethod, other.DiscoveryRun)
		}
		r.whole(run)
	})
}

// TestE18Caps checks that the caps of a run of mode LINKS hold exactly, and that the run says which has ended it and
// what is left (E18).
func TestE18Caps(t *testing.T) {
	for most := 1; most <= 9; most++ {
		r := inMemory(t)
		req := layTree(r)
		req.MaxURLs = most
		run := r.end(r.start(req).ID)
		if run.Discovered != min(most, 8) {
			t.Errorf("%d discovered, %d are allowed", run.Discovered, most)
		}
		if note := run.Progress[0].Note; strings.Contains(note, "found and not registered") != (most < 8) ||
			strings.Contains(note, "the cap of") != (most < 8) {
			t.Errorf("at most %d: %q", most, note)
		}
		r.whole(run)
	}
}

// TestE18CapOfTheRun checks that two sources of mode LINKS do not exceed the cap that they share (E18).
func TestE18CapOfTheRun(t *testing.T) {
	r := inMemory(t)
	req := layTree(r)
	r.restart(func(o *backfill.Options) {
		o.Sites = append(o.Sites, &site.Site{Slug: "more", Domain: "more.example"})
	})
	r.web.Pages["https://more.example/"] = runtest.Links(runtest.Pages("/", 30)...)
	for i, address := range runtest.Pages("https://more.example/", 30) {
		r.web.Pages[address] = runtest.UniqueText(i)
	}
	req.Sources, req.MaxURLs = []string{"tree", "more"}, 25
	run := r.end(r.start(req).ID)
	if run.Discovered != 25 || run.Status != backfill.Completed {
		t.Errorf("%+v", run)
	}
	r.whole(run)
}

// TestE18Pace checks that pages found by links are registered no faster than the settings allow, and wait while their
// host has enough to do (E18).
func TestE18Pace(t *testing.T) {
	r := inMemory(t)
	req := layTree(r)
	r.restart(func(o *backfill.Options) { o.PerMinute, o.JobsPerMinute, o.MaxBacklog = 60, 2, 70 })
	r.web.Pages[tree] = runtest.Links(runtest.Pages("/many/", 200)...)
	for i, address := range runtest.Pages(tree+"many/", 200) {
		r.web.Pages[address] = runtest.UniqueText(i)
	}
	run := r.end(r.start(req).ID)
	if run.Queued != 201 {
		t.Errorf("%+v", run)
	}
	r.withinAMinute(60, 2)
	r.whole(run)

	req = layTree(r)
	r.crawl.Held = func(it registry.Item) bool { return it.NormalizedSource != "https://slow.example/" }
	r.restart(func(o *backfill.Options) {
		o.Sites = append(o.Sites, &site.Site{Slug: "slow", Domain: "slow.example"})
		o.PerMinute, o.JobsPerMinute, o.MaxBacklog = 600, 100, 3
	})
	r.web.Pages["https://slow.example/"] = runtest.Links("/1", "/2", "/3", "/4", "/5")
	r.register("https://slow.example/old/1", "https://slow.example/old/2", "https://slow.example/old/3")
	req.Sources = []string{"slow"}
	run = r.start(req)
	r.some(30)
	if note := r.run(run.ID).Progress[0].Note; !strings.HasPrefix(note, "waits: 3 items of slow.example") {
		t.Errorf("%q", note)
	}
}

// some performs steps for a while.
func (r *rig) some(times int) {
	r.Helper()
	for range times {
		for _, body := range r.Messages(backfill.Queue) {
			r.Must(r.Step(r.Context(), body))
		}
		r.crawl.FetchDue()
		r.Clock.Pass(10 * time.Second)
	}
}

// TestE18Switch checks that a run of mode LINKS pauses at its next step while backfill is disabled, goes on by itself
// afterwards, and that a cancelled one does nothing any more and leaves no rows (E18).
func TestE18Switch(t *testing.T) {
	r := inMemory(t)
	run := r.start(layTree(r))
	r.crawl.Held = func(it registry.Item) bool { return it.NormalizedSource == tree+"a" }
	r.restart(stepwise)
	r.some(30)
	r.restart(func(o *backfill.Options) { o.Enabled = false })
	r.some(5)
	before := len(r.items())
	if run = r.run(run.ID); run.Status != backfill.Paused || before >= 8 {
		t.Errorf("%s with %d items", run.Status, before)
	}
	r.Clock.Pass(72 * time.Hour) // longer than the crawl may take for a page
	r.restart(func(o *backfill.Options) { o.Enabled = true })
	_, err := r.RequeueStalled(t.Context())
	r.Must(err)
	r.some(5)
	r.crawl.Held = func(registry.Item) bool { return false }
	run = r.end(run.ID)
	if diff := cmp.Diff(treeTally, tallyOf(run.Counts)); diff != "" {
		t.Errorf("(-want +have)\n%s", diff)
	}
	r.whole(run)

	run = r.start(backfill.Request{Sources: []string{"tree"}, Mode: backfill.Links})
	r.some(2)
	r.Must(second(r.Cancel(t.Context(), run.ID)))
	r.some(2)
	r.whole(r.run(run.ID))
}

// TestE18DryRun checks that a dry run of mode LINKS fetches pages, changes nothing but its record, and counts what a
// run would register; and that it keeps the pause between two pages (E18).
func TestE18DryRun(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		req := layTree(r)
		tables := []string{"IngestItems", "IngestIndex", "DueHints"}
		before, err := storagetest.Dump(t.Context(), r.Store, tables...)
		r.Must(err)
		r.crawl = nil
		req.DryRun, req.Delay = true, time.Minute
		began := r.Clock.Now()
		run := r.end(r.start(req).ID)
		if diff := cmp.Diff(treeTally, tallyOf(run.Counts)); diff != "" || run.Status != backfill.Completed {
			t.Errorf("%s (-want +have)\n%s", run.Status, diff)
		}
		after, err := storagetest.Dump(t.Context(), r.Store, tables...)
		r.Must(err)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
		if asked, took := len(r.web.Requests()), r.Clock.Now().Sub(began); asked != 8 || run.Requests != 8 ||
			took < 7*time.Minute {
			t.Errorf("%d pages asked for, %d counted, in %s", asked, run.Requests, took)
		}
		r.whole(run)
	})
}

// TestE18Unread checks that a source fails when none of its pages can be read, that a resumed run reads them and counts
// each once, and that a run does not wait for ever for pages that nobody fetches (E18).
func TestE18Unread(t *testing.T) {
	r := inMemory(t)
	req := layTree(r)
	was := r.web.Pages[tree]
	r.web.Pages[tree] = error(&politeness.SiteError{Err: context.DeadlineExceeded})
	req.DryRun = true
	run := r.end(r.start(req).ID)
	if run.Status != backfill.Failed || !strings.Contains(run.Note, "none of its pages could be read") {
		t.Fatalf("%s, %q", run.Status, run.Note)
	}
	r.web.Pages[tree] = was
	r.Must(second(r.Resume(t.Context(), run.ID)))
	if run = r.end(run.ID); run.Status != backfill.Completed || run.Discovered != 8 {
		t.Errorf("%s %+v", run.Status, run.Counts)
	}

	r.crawl.Held = func(it registry.Item) bool { return it.NormalizedSource == tree+"a" }
	req.DryRun = false
	run = r.start(req)
	for began := r.Clock.Now(); !over(run) && r.Clock.Now().Sub(began) < 48*time.Hour; run = r.run(run.ID) {
		r.some(1)
		r.Clock.Pass(10 * time.Minute)
	}
	if run.Status != backfill.Failed || !strings.Contains(run.Note, "the crawl has not fetched 1 page for 24 hours") {
		t.Fatalf("%s, %q", run.Status, run.Note)
	}
	r.crawl.Held = func(registry.Item) bool { return false }
	r.Must(second(r.Resume(t.Context(), run.ID)))
	if run = r.end(run.ID); run.Status != backfill.Completed || run.Discovered != 8 {
		t.Errorf("%s %+v", run.Status, run.Counts)
	}
	r.whole(run)
}

// TestE18Trap checks over HTTP that a run of mode LINKS ends on a site with endless spaces, within its caps, and that
// it registers nearly all of the real pages and little else (E18).
func TestE18Trap(t *testing.T) {
	r := inMemory(t)
	pages := map[string]any{}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		text, ok := pages["http://"+req.Host+req.URL.RequestURI()].(string)
		if w.Header().Set("Content-Type", "text/html"); !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(host.Close)
	root := host.URL + "/"
	real := runtest.TrapSite(pages, root, 300)
	hosts := r.Hosts(r.reg)
	r.crawl = r.Crawl(r.reg, r.web)
	r.crawl.Body = func(address string) string {
		got, err := hosts.FetchResource(t.Context(), politeness.ResourceRequest{URL: address})
		r.Must(err)
		return string(got.Body)
	}
	r.o.Sites = site.List{{Slug: "trap", Domain: strings.TrimPrefix(host.URL, "http://"), Start: []string{root},
		Follow: &api.SiteFollow{Depth: 8, Pages: 5000, Addresses: 100_000}}}
	r.o.Snapshots, r.o.MaxPerSource = r.crawl.Snaps, 1000
	aside(func(*rig) backfill.Request { return backfill.Request{} })(r)
	r.Service = backfill.New(r.Store, r.reg, hosts, r.web, r.o)
	for _, dry := range []bool{true, false} {
		run := r.end(r.start(backfill.Request{Sources: []string{"trap"}, Mode: backfill.Links, DryRun: dry}).ID)
		if run.Status != backfill.Completed || run.Trapped == 0 || 10*len(real) < 9*run.Discovered {
			t.Errorf("%s, dry: %v, %d real pages: %+v", run.Status, dry, len(real), run.Counts)
		}
		t.Logf("dry: %v, %d real pages; %+v; %v", dry, len(real), run.Counts, run.Reasons)
	}
	found := 0
	for address := range r.items() {
		if real[address] {
			found++
		}
	}
	if n := len(r.items()); 10*found < 9*n || 10*found < 9*len(real) {
		t.Errorf("%d items, %d of %d real pages", n, found, len(real))
	}
}

// TestE18Modes checks that each site can be searched by its links (E18).
func TestE18Modes(t *testing.T) {
	if got := backfill.ModesOf(&site.Site{Domain: "a.example"}); !slices.Contains(got, backfill.Links) {
		t.Errorf("%v", got)
	}
}
