package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/backfill"
	sitefile "github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// backfillPages are on the sitemap that is measured.
const backfillPages = 2_000

// backfill measures runs over one sitemap of [backfillPages] pages, whose protection of queue and crawl
// (E13) is out of the way: none of them known, then all of them, then counted only.
func (b *bench) backfill() error {
	sitemap, base, err := b.sitemap()
	if err != nil {
		return err
	}
	defer sitemap.Close()
	az, err := b.azurite()
	if err != nil {
		return err
	}
	defer az.Stop()
	onAzurite, err := b.open(az.ConnectionString(), "backfill-azurite")
	if err != nil {
		return err
	}
	dir := b.temp("backfill-store")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	store, err := sqlitestore.Open(dir, sqlitestore.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	embedded, err := b.assemble(store, "backfill-embedded")
	if err != nil {
		return err
	}
	section(fmt.Sprintf("Backfill of one sitemap of %d pages", backfillPages),
		"run", "embedded, pages/s", "Azurite, pages/s", "table requests per page", "queue requests per page", "rows read per page", "rows written per page")
	for _, r := range []struct {
		name string
		dry  bool
	}{{"dry run, none is known", true}, {"none is known", false}, {"all are known", false}} {
		rate, err := embedded.backfillOnce(base, r.dry)
		if err != nil {
			return err
		}
		before := onAzurite.counter.Snapshot()
		there, err := onAzurite.backfillOnce(base, r.dry)
		if err != nil {
			return err
		}
		d := onAzurite.counter.Snapshot().Sub(before)
		per := func(n int64) float64 { return float64(n) / backfillPages }
		row(r.name, perSecondText(rate), perSecondText(there), per(int64(d.Table)), per(int64(d.Queue)), per(int64(d.RowsRead)), per(int64(d.RowsWritten)))
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("\nAt most %d MB of heap were held from the system by all of these.\n", m.HeapSys>>20)
	return nil
}

// sitemap serves one of [backfillPages] pages.
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
		fmt.Fprintf(&text, "<url><loc>%s/section-%d/a-page-with-a-name-%d</loc><lastmod>2026-01-01</lastmod></url>", base, i%50, i)
	}
	body = text.String() + "</urlset>"
	return server, base, err
}

// backfillOnce does a run in this process, a step as soon as its message is there, and tells its rate.
func (c *counted) backfillOnce(base string, dry bool) (rate float64, err error) {
	ctx := c.ctx
	host := strings.TrimPrefix(base, "http://")
	sites, err := sitefile.Parse("sites", fmt.Appendf(nil, "sites: [{slug: port, domain: %q, sitemaps: [%q]}]", host, base+"/sitemap.xml"))
	if err != nil {
		return 0, err
	}
	s := backfill.New(c.Store, c.Registry, c.Worker, c.Files, backfill.Options{
		Enabled: true, Sites: sites, Rules: c.Rules, MaxURLs: backfillPages, MaxPerSource: backfillPages, PerMinute: 100_000_000, MaxBacklog: 1_000_000,
	})
	began := time.Now()
	run, err := s.Start(ctx, backfill.Request{Sources: []string{"port"}, DryRun: dry})
	if err != nil {
		return 0, err
	}
	if err := steps(ctx, s, c.Store.Queue(backfill.Queue), run.ID); err != nil {
		return 0, err
	}
	if run, err = s.Get(ctx, run.ID); err == nil && (string(run.Status) != api.BackfillCompleted || run.Discovered != backfillPages) {
		err = fmt.Errorf("the run is %s with %d pages: %s %v", run.Status, run.Discovered, run.Note, run.ErrorLog)
	}
	return perSecond(backfillPages, began), err
}

// steps does what the Functions host does with the queue until the run's last step is done.
func steps(ctx context.Context, s *backfill.Service, q storage.Queue, id string) error {
	for {
		messages, err := q.Receive(ctx, 1, 10*time.Minute)
		if err != nil {
			return err
		}
		if len(messages) == 0 {
			run, err := s.Get(ctx, id)
			if err != nil || !run.FinishedAt.IsZero() {
				return err
			}
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if err := s.Step(ctx, messages[0].Body); err != nil {
			return err
		}
		if err := q.Delete(ctx, messages[0]); err != nil {
			return err
		}
	}
}
