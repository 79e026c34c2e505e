package main

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	sitefile "github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/run/backfill"
)

// backfillPages is the number of pages in the measured sitemap.
const backfillPages = 2_000

// backfill measures runs over one sitemap of [backfillPages] pages: a run when no page is known, a run when all pages
// are known, and a run that only counts them. The limits that protect the queue and the crawl (E13) are off.
func (b *bench) backfill() error {
	sitemap, base, err := b.sitemap()
	if err != nil {
		return err
	}
	defer sitemap.Close()
	there, err := b.onAzurite("backfill-azurite")
	if err != nil {
		return err
	}
	defer there.stop()
	here, err := b.onDisk("backfill-embedded")
	if err != nil {
		return err
	}
	defer here.Store.Close()
	section(fmt.Sprintf("Backfill of one sitemap of %d pages", backfillPages),
		"run", "embedded, pages/s", "a second of processor", "Azurite, pages/s", "table requests per page",
		"queue requests per page", "rows read per page", "rows written per page")
	for _, r := range []struct {
		name string
		dry  bool
	}{{"dry run, none is known", true}, {"none is known", false}, {"all are known", false}} {
		embedded, err := here.backfillOnce(base, r.dry)
		if err != nil {
			return err
		}
		d, err := there.backfillOnce(base, r.dry)
		if err != nil {
			return err
		}
		const n = backfillPages
		row(r.name, perSecondText(embedded.rate(n)), perSecondText(n/embedded.cpu.Seconds()), perSecondText(d.rate(n)),
			per(d.Table, n), per(d.Queue, n), per(d.RowsRead, n), per(d.RowsWritten, n))
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("\nAt most %d MB of heap were held from the system by all of these.\n", m.HeapSys>>20)
	return nil
}

// sitemap serves a sitemap of [backfillPages] pages.
func (b *bench) sitemap() (server *http.Server, base string, err error) {
	var body string
	server, port, err := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sitemap.xml" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprint(w, body)
	}))
	base = fmt.Sprintf("http://127.0.0.1:%d", port)
	var text strings.Builder
	text.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for i := range backfillPages {
		fmt.Fprintf(&text, "<url><loc>%s/section-%d/a-page-with-a-name-%d</loc><lastmod>2026-01-01</lastmod></url>", base,
			i%50, i)
	}
	body = text.String() + "</urlset>"
	return server, base, err
}

// backfillOnce does one run in this process. Each step begins as soon as its message is sent.
func (c *counted) backfillOnce(base string, dry bool) (spent, error) {
	ctx := c.ctx
	host := strings.TrimPrefix(base, "http://")
	sites, err := sitefile.Parse("sites",
		fmt.Appendf(nil, "sites: [{slug: port, domain: %q, sitemaps: [%q]}]", host, base+"/sitemap.xml"))
	if err != nil {
		return spent{}, err
	}
	s := backfill.New(c.Store, c.Registry, c.Worker.Hosts(), c.Files, backfill.Options{
		Enabled: true, Sites: sites.All(), Rules: c.Rules, MaxURLs: backfillPages, MaxPerSource: backfillPages,
		PerMinute: 100_000_000, JobsPerMinute: 100_000_000, MaxBacklog: 1_000_000,
	})
	return measure(c.counter, func() error {
		run, err := s.Start(ctx, backfill.Request{Sources: []string{"port"}, DryRun: dry})
		if err != nil {
			return err
		}
		err = c.drain(backfill.Queue, 1, func(step []byte) error { return s.Step(ctx, step) }, func() (bool, error) {
			now, err := s.Get(ctx, run.ID)
			time.Sleep(20 * time.Millisecond)
			return now.FinishedAt.IsZero(), err
		})
		if err != nil {
			return err
		}
		run, err = s.Get(ctx, run.ID)
		if err == nil && (string(run.Status) != api.BackfillCompleted || run.Discovered != backfillPages) {
			err = fmt.Errorf("the run is %s with %d pages: %s %v", run.Status, run.Discovered, run.Note, run.ErrorLog)
		}
		return err
	})
}
