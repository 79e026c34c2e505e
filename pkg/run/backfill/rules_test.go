package backfill_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func template(t *testing.T, text string) discover.Template {
	t.Helper()
	out, err := discover.ParseTemplate(text)
	runtest.Must(t, err)
	return out
}

func links(urls ...string) string {
	return `<html><body><a href="` + strings.Join(urls, `">x</a><a href="`) + `">x</a></body></html>`
}

// layModes serves a site with documents for every mode except sitemaps.
func layModes(r *rig) {
	r.restart(func(o *backfill.Options) {
		o.Sites = site.List{{
			Slug: "a", Domain: "a.example", Exclude: []*regexp.Regexp{regexp.MustCompile("/print/")},
			Archives:   []discover.Template{template(r.T, "https://a.example/{yyyy}/{mm}/")},
			Listings:   []site.Listing{{URL: template(r.T, "https://a.example/news?page={n}"), Links: "a"}},
			Containers: []string{"https://acct.blob.core.windows.net/docs"},
		}}
	})
	r.web.Pages["https://a.example/2026/01/"] = links(append(runtest.Pages("https://a.example/jan/", 3),
		"https://a.example/print/1")...)
	r.web.Pages["https://a.example/2026/03/"] = links(append(runtest.Pages("https://a.example/mar/", 2),
		"https://a.example/jan/1")...)
	r.web.Pages["https://a.example/news?page=1"] = links(runtest.Pages("https://a.example/n/", 3)...)
	r.web.Pages["https://a.example/news?page=2"] = links(runtest.Pages("https://a.example/n/", 4)...)
	r.web.Pages["https://a.example/news?page=3"] = links(runtest.Pages("https://a.example/n/", 4)...)
	r.web.Pages["https://a.example/news?page=4"] = links("https://a.example/never")
	r.web.Pages["https://acct.blob.core.windows.net/docs"] = "a.pdf b.pdf print/c.pdf"
}

// modeTallies are the expected counts of the runs over [layModes].
var modeTallies = map[backfill.Mode]tally{
	backfill.Archive:    {Discovered: 5, Queued: 5, Excluded: 1, Duplicates: 1, Documents: 2},
	backfill.Pagination: {Discovered: 4, Queued: 4, Duplicates: 7, Documents: 3},
	backfill.Container:  {Discovered: 2, Queued: 2, Excluded: 1, Documents: 1},
}

func modeRequest(r *rig, mode backfill.Mode) backfill.Request {
	req := backfill.Request{Sources: []string{"a"}, Mode: mode}
	if mode == backfill.Archive {
		var err error
		req.Dates, err = discover.ParseDates("2026-01-01", "2026-03-31")
		r.Must(err)
	}
	return req
}

// TestE8Modes checks E8: each mode finds the pages that its kind of document lists, and a day without a page is no
// error.
func TestE8Modes(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		layModes(r)
		for mode, want := range modeTallies {
			run := r.end(r.start(modeRequest(r, mode)).ID)
			if diff := cmp.Diff(want, tallyOf(run.Counts)); diff != "" || run.Status != backfill.Completed {
				t.Errorf("%s: %s %v (-want +have)\n%s", mode, run.Status, run.ErrorLog, diff)
			}
			r.whole(run)
		}
	})
}

// TestE8SitemapsOfRobots checks E8: for a site without sitemaps in the site file, the run reads those that robots.txt
// names.
func TestE8SitemapsOfRobots(t *testing.T) {
	r := inMemory(t)
	r.restart(func(o *backfill.Options) { o.Sites = site.List{{Slug: "a", Domain: "a.example"}} })
	r.web.Pages["https://a.example/robots.txt"] = "User-agent: *\nSitemap: https://a.example/s.xml\n"
	r.web.Pages["https://a.example/s.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 3)...)
	if run := r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID); run.Queued != 3 {
		t.Errorf("%+v", run)
	}
}

// TestE6Switch checks E6: a run pauses at its next step while backfill is disabled, and continues by itself
// afterwards.
func TestE6Switch(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		nested(r)
		run := r.start(backfill.Request{Sources: []string{"a"}})
		r.restart(func(o *backfill.Options) { o.Enabled = false })
		for _, body := range r.Messages(backfill.Queue) {
			r.Must(r.Step(t.Context(), body))
		}
		if run = r.run(run.ID); run.Status != backfill.Paused || len(r.web.Asked) != 0 ||
			len(r.Messages(backfill.Queue)) != 0 {
			t.Errorf("%s, asked %v", run.Status, r.web.Asked)
		}
		r.Clock.Pass(time.Hour)
		if sent, err := r.RequeueStalled(t.Context()); sent != 0 || err != nil {
			t.Errorf("%d sent while disabled (%v)", sent, err)
		}
		for _, err := range []error{second(r.Start(t.Context(), backfill.Request{Sources: []string{"a"}})),
			second(r.Resume(t.Context(), run.ID))} {
			if !fault.Is(err, fault.Blocked) || !strings.Contains(err.Error(), "BACKFILL_ENABLED=true") {
				t.Errorf("%v", err)
			}
		}
		r.restart(func(o *backfill.Options) { o.Enabled = true })
		if sent, err := r.RequeueStalled(t.Context()); sent != 1 || err != nil || len(r.Messages(backfill.Queue)) != 1 {
			t.Errorf("%d sent once it is enabled (%v)", sent, err)
		}
		if again := r.run(run.ID); again.Status != backfill.Running || again.Note != "" || again.Progress[0].Note != "" {
			t.Errorf("it goes on, and says %q, %q", again.Note, again.Progress[0].Note)
		}
		if run = r.end(run.ID); run.Status != backfill.Completed || run.Queued != 20 {
			t.Errorf("%+v", run)
		}
		r.whole(run)
	})
}

func second[T any](_ T, err error) error { return err }

// TestE10DryRunChangesNothing checks E10: a dry run changes nothing but its own record.
func TestE10DryRunChangesNothing(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		nested(r)
		r.register(runtest.Pages("https://a.example/one/", 5)...)
		tables := []string{"IngestItems", "IngestIndex", "DueHints"}
		before, err := storagetest.Dump(t.Context(), r.Store, tables...)
		r.Must(err)
		queued, err := r.Store.Queue("crawl-jobs").Length(t.Context())
		r.Must(err)
		run := r.end(r.start(backfill.Request{Sources: []string{"a"}, DryRun: true}).ID)
		after, err := storagetest.Dump(t.Context(), r.Store, tables...)
		r.Must(err)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
		if n, err := r.Store.Queue("crawl-jobs").Length(t.Context()); err != nil || n != queued {
			t.Errorf("%d jobs, %d before (%v)", n, queued, err)
		}
		report := strings.Join(r.Report(run), "\n")
		for _, line := range []string{
			"[backfill] DRY RUN - no jobs will be queued", "[backfill] Discovered 20 URLs from a",
			"[backfill] Would queue 15 new items (5 already exist)",
		} {
			if !strings.Contains(report, line) {
				t.Errorf("no line %q in\n%s", line, report)
			}
		}
		r.whole(run)
	})
}

// TestS13DryRunTellsOfItsCap checks S13: a dry run reports the cap that it reached and how to raise it, and omits an
// estimate of time that would be useless.
func TestS13DryRunTellsOfItsCap(t *testing.T) {
	for name, tt := range map[string]struct {
		caps  backfill.Request
		said  string // the note about source a, whose sitemaps have 20 pages; "" for none
		bears bool   // whether there is a pace
		time  string
	}{
		"the source's": {backfill.Request{MaxPerSrc: 7}, "a: the cap of 7 addresses for each source is reached " +
			"(maxUrlsPerSource, at most BACKFILL_MAX_URLS_PER_SOURCE), and there is more", true, "would take about 11s"},
		"the run's": {backfill.Request{MaxURLs: 9}, "a: the cap of 9 addresses for the run is reached (maxUrls, at most " +
			"BACKFILL_MAX_URLS_PER_RUN), and there is more", true, "would take about 14s"},
		"none":        {backfill.Request{}, "", true, "would take about 30s"},
		"just enough": {backfill.Request{MaxPerSrc: 20}, "", true, "would take about 30s"},
		"no pauses": {backfill.Request{}, "", false, "would take as long as the sites need to answer, as there are no " +
			"pauses between requests"},
	} {
		t.Run(name, func(t *testing.T) {
			r := inMemory(t)
			nested(r)
			if !tt.bears {
				r.restart(func(o *backfill.Options) { o.Pace = func(string) policy.Politeness { return policy.Politeness{} } })
			}
			tt.caps.Sources, tt.caps.DryRun = []string{"a"}, true
			run := r.end(r.start(tt.caps).ID)
			report := strings.Join(r.Report(run), "\n")
			if strings.Contains(report, "the cap of") != (tt.said != "") || !strings.Contains(report, tt.said) ||
				!strings.Contains(report, tt.time) {
				t.Errorf("want %q and %q in\n%s", tt.said, tt.time, report)
			}
		})
	}
}

// TestE11Resume checks E11: a run that failed continues where it stopped. A run in the wrong status cannot be
// changed.
func TestE11Resume(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.web.Pages["https://a.example/sitemap.xml"] = 500
		run := r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID)
		if run.Status != backfill.Failed || run.Errors != 1 || len(r.web.Asked) != 3 || run.Note == "" {
			t.Fatalf("asked %d times: %+v", len(r.web.Asked), run)
		}
		if err := second(r.Cancel(t.Context(), run.ID)); !fault.Is(err, fault.Conflict) {
			t.Errorf("cancelled though it failed: %v", err)
		}
		nested(r)
		r.Must(second(r.Resume(t.Context(), run.ID)))
		if err := second(r.Resume(t.Context(), run.ID)); !fault.Is(err, fault.Conflict) {
			t.Errorf("resumed while it runs: %v", err)
		}
		run = r.end(run.ID)
		if run.Status != backfill.Completed || run.Queued != 20 || !run.FinishedAt.After(run.StartedAt) {
			t.Errorf("%+v", run)
		}
		r.whole(run)
		for _, do := range []func() (backfill.Run, error){
			func() (backfill.Run, error) { return r.Resume(t.Context(), run.ID) },
			func() (backfill.Run, error) { return r.Pause(t.Context(), run.ID) },
			func() (backfill.Run, error) { return r.Cancel(t.Context(), run.ID) },
		} {
			if _, err := do(); !fault.Is(err, fault.Conflict) {
				t.Errorf("of a run that is done: %v", err)
			}
		}
	})
}

// TestE7Cancel checks E7: a cancelled run does no further step.
func TestE7Cancel(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		defer backfill.Smaller(5, 3)()
		nested(r)
		run := r.start(backfill.Request{Sources: []string{"a"}})
		for range 3 {
			for _, body := range r.Messages(backfill.Queue) {
				r.Must(r.Step(t.Context(), body))
			}
			r.Clock.Pass(time.Second)
		}
		r.Must(second(r.Cancel(t.Context(), run.ID)))
		asked, was := len(r.web.Asked), r.run(run.ID).Counts
		if run = r.end(run.ID); run.Status != backfill.Cancelled || len(r.web.Asked) != asked || run.Counts != was {
			t.Errorf("%+v", run)
		}
		r.whole(run)
	})
}

// TestE13Protection checks E13: items are registered no faster than the settings allow, and wait while their host has
// enough to do.
func TestE13Protection(t *testing.T) {
	r := inMemory(t)
	r.restart(func(o *backfill.Options) { o.PerMinute, o.MaxBacklog = 60, 120 })
	r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 200)...)
	run := r.start(backfill.Request{Sources: []string{"a"}})
	begun := r.Clock.Now()
	for range 100 {
		for _, body := range r.Messages(backfill.Queue) {
			r.Must(r.Step(t.Context(), body))
		}
		run = r.run(run.ID)
		if most := 30 * (1 + int(r.Clock.Now().Sub(begun)/(30*time.Second))); run.Queued > most {
			t.Fatalf("%d items after %v", run.Queued, r.Clock.Now().Sub(begun))
		}
		r.Clock.Pass(5 * time.Second)
	}
	if run.Queued != 120 || !strings.HasPrefix(run.Progress[0].Note, "waits: 120 items") {
		t.Errorf("%d registered beside a full host: %q", run.Queued, run.Progress[0].Note)
	}
}

// TestE2Messages checks E2, A20: a malformed message is refused, and an old message does nothing.
func TestE2Messages(t *testing.T) {
	r := inMemory(t)
	nested(r)
	run := r.start(backfill.Request{Sources: []string{"a"}})
	first := r.Messages(backfill.Queue)[0]
	r.Must(r.Step(t.Context(), first))
	asked := len(r.web.Asked)
	r.Must(r.Step(t.Context(), first))
	if len(r.web.Asked) != asked {
		t.Error("a doubled message asked the site again")
	}
	for _, junk := range []string{``, `{}`, `[]`, `{"run":"a/b"}`, `{"run":"` + run.ID + `","source":"nobody"}`,
		`{"run":"backfill-20260101t000000z-x","source":"a"}`} {
		if err := r.Step(t.Context(), []byte(junk)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v, want Invalid", junk, err)
		}
	}
}
