package backfill_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/run/backfill"
)

// TestE8DatesLimitARun checks E8 (INV-8): a run registers only pages within its dates, as far as the site states
// dates. The others are counted with the reason.
func TestE8DatesLimitARun(t *testing.T) {
	r := inMemory(t)
	const end = "</loc></sitemap><sitemap><loc>"
	r.web.Pages["https://a.example/sitemap.xml"] = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://a.example/june.xml` +
		end + `https://a.example/may.xml</loc><lastmod>2024-05</lastmod></sitemap></sitemapindex>`
	r.web.Pages["https://a.example/june.xml"] = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
		`<url><loc>https://a.example/before</loc><lastmod>2024-05-31</lastmod></url><url><loc>https://a.example/within</loc><lastmod>2024-06-30</lastmod></url>` +
		`<url><loc>https://a.example/after</loc><lastmod>2024-07-01</lastmod></url><url><loc>https://a.example/unknown</loc></url></urlset>`
	dates, err := discover.ParseDates("2024-06-01", "2024-06-30")
	r.Must(err)
	run := r.end(r.start(backfill.Request{Sources: []string{"a"}, Dates: dates}).ID)
	have := map[string]bool{}
	for address := range r.items() {
		have[address] = true
	}
	if diff := cmp.Diff(map[string]bool{"https://a.example/within": true, "https://a.example/unknown": true},
		have); diff != "" {
		t.Errorf("(-want +have)\n%s", diff)
	}
	if run.Status != backfill.Completed || run.Excluded != 3 || run.Reasons["outside the dates"] != 2 ||
		run.Reasons["sitemaps from before the dates"] != 1 {
		t.Errorf("%s, %d excluded: %v", run.Status, run.Excluded, run.Reasons)
	}
}

// TestE13PausesOfADocument checks E13 (ARC-3): a document is tried three times, with pauses of 30 seconds and a
// minute.
func TestE13PausesOfADocument(t *testing.T) {
	r := inMemory(t)
	r.web.Pages["https://a.example/sitemap.xml"] = 500
	run := r.start(backfill.Request{Sources: []string{"a"}})
	begun := r.Clock.Now()
	var have []time.Duration
	for range 300 {
		for _, body := range r.Messages(backfill.Queue) {
			r.Must(r.Step(t.Context(), body))
		}
		for len(have) < len(r.web.Asked) {
			have = append(have, r.Clock.Now().Sub(begun))
		}
		r.Clock.Pass(time.Second)
	}
	if len(have) != 3 {
		t.Fatalf("asked after %v, want three times", have)
	}
	for i, want := range []time.Duration{30 * time.Second, time.Minute} {
		if pause := have[i+1] - have[i]; pause < want || pause > want+2*time.Second {
			t.Errorf("pause %d is %v, want %v", i+1, pause, want)
		}
	}
	if run = r.run(run.ID); run.Status != backfill.Failed {
		t.Errorf("%s in the end", run.Status)
	}
}
