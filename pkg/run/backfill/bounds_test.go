package backfill_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// TestE7RowOfTheWorstRun checks E7: a run's row has room for the worst case: the most sources, each with the longest
// addresses and error texts that are kept, in the characters that need the most room.
func TestE7RowOfTheWorstRun(t *testing.T) {
	r := inMemory(t)
	var all site.List
	var slugs []string
	for i := range backfill.MaxSources {
		slug := fmt.Sprintf("%064d", i)
		host := fmt.Sprintf("h%d.example", i)
		long := fmt.Sprintf("https://%s/%s", host, strings.Repeat("&<>", 300))
		maps := []string{long + "0.xml", long + "1.xml", long + "2.xml"}
		r.web.Pages[maps[0]] = runtest.URLSet(strings.ReplaceAll(long, "&<>", "&amp;&lt;") + "page")
		r.web.Pages[maps[1]] = 404
		r.web.Pages[maps[2]] = runtest.MapIndex(strings.Repeat("https://other.example/&lt;&amp;", 60))
		all = append(all, &site.Site{Slug: slug, Domain: host, Sitemaps: maps})
		slugs = append(slugs, slug)
	}
	r.restart(func(o *backfill.Options) { o.Sites, o.MaxConcurrency = all, 16 })
	run := r.end(r.start(backfill.Request{Sources: slugs}).ID)
	if run.Status != backfill.Completed || run.Documents != 2*len(slugs) || len(run.ErrorLog) != backfill.MaxErrors {
		t.Errorf("%s, %d documents, %d errors told of %d: %s", run.Status, run.Documents, len(run.ErrorLog), run.Errors,
			run.Note)
	}
	r.whole(run)
}

// TestE7BadSitemaps checks E7: whatever a site serves instead of a sitemap, the run ends and states the reason.
func TestE7BadSitemaps(t *testing.T) {
	for name, tt := range map[string]struct {
		page   any
		status backfill.Status
		why    string
		asked  int
	}{
		"404":                {404, backfill.Failed, "HTTP 404", 1},
		"500 is tried again": {500, backfill.Failed, "HTTP 500", 3},
		"a web page":         {links("https://a.example/x"), backfill.Failed, "a web page, neither a sitemap nor a feed", 1},
		"garbage":            {"\x00\x01PK\x03", backfill.Failed, "neither a sitemap, a feed nor a list of addresses", 1},
		"nothing":            {"", backfill.Failed, "the document is empty", 1},
		"no pages":           {"<urlset></urlset>", backfill.Completed, "", 1},
		"itself":             {runtest.MapIndex("https://a.example/sitemap.xml"), backfill.Completed, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := inMemory(t)
			r.web.Pages["https://a.example/sitemap.xml"] = tt.page
			run := r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID)
			if run.Status != tt.status || !strings.Contains(run.Note, tt.why) || len(r.web.Asked) != tt.asked {
				t.Errorf("%s: %q, asked %d times; want %s: %q, %d times", run.Status, run.Note, len(r.web.Asked), tt.status, tt.why,
					tt.asked)
			}
			r.whole(run)
		})
	}
}

// TestX11RunSaysWhatItCouldNotRead checks that a run says which entries of a sitemap it could not read, and how many
// (X11).
func TestX11RunSaysWhatItCouldNotRead(t *testing.T) {
	r := inMemory(t)
	r.web.Pages["https://a.example/sitemap.xml"] = "<urlset><url><loc>https://a.example/1</loc></url><url></url></urlset>"
	run := r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID)
	if run.Queued != 1 || run.Errors != 1 ||
		!strings.Contains(fmt.Sprint(run.ErrorLog), "1 of 2 entries could not be read") {
		t.Errorf("%+v", run)
	}
}

// TestE7SiteThatIsNeverReady checks E7: a site that asks for one pause after another does not keep a run going for
// ever. The time for which a run was paused by request does not count as waiting.
func TestE7SiteThatIsNeverReady(t *testing.T) {
	r := inMemory(t)
	r.web.Pages["https://a.example/sitemap.xml"] = fault.After(time.Hour, "HTTP 503: a.example is left alone")
	begun := r.Clock.Now()
	id := r.start(backfill.Request{Sources: []string{"a"}}).ID
	step := func() {
		for _, body := range r.Messages(backfill.Queue) {
			r.Must(r.Step(t.Context(), body))
		}
	}
	step()
	_, err := r.Pause(t.Context(), id)
	r.Must(err)
	const away = 100 * time.Hour
	r.Clock.Pass(away)
	_, err = r.Resume(t.Context(), id)
	r.Must(err)
	for range 40 {
		step()
		r.Clock.Pass(time.Hour)
	}
	run := r.run(id)
	if took := run.FinishedAt.Sub(begun) - away; run.Status != backfill.Failed || !strings.Contains(run.Note,
		"HTTP 503") || took < 24*time.Hour || took > 27*time.Hour {
		t.Errorf("%s after %v: %q", run.Status, took, run.Note)
	}
	if len(r.web.Asked) > 30 {
		t.Errorf("the site was asked %d times", len(r.web.Asked))
	}
	r.whole(run)
}
