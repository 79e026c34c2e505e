package runtest

import (
	"context"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Crawl fetches pages as a crawl would fetch them, and stores their bodies.
type Crawl struct {
	Snaps   *snapshot.Store
	Body    func(address string) string // the body that the site serves at an address
	Held    func(it registry.Item) bool // whether a page is not fetched now
	Checked func(it *registry.Item)     // changes the finding of a check
	due     func(func(registry.Item) registry.Finding)
	rig     *Rig
}

// Crawl returns a crawl of the pages of a web.
func (r *Rig) Crawl(reg *registry.Registry, web *Web) *Crawl {
	r.Helper()
	c := &Crawl{Snaps: snapshot.New(r.Store).By(r.Clock.Now), rig: r,
		Body:    func(address string) string { body, _ := web.Pages[address].(string); return body },
		Held:    func(registry.Item) bool { return false },
		Checked: func(*registry.Item) {},
		due:     func(check func(registry.Item) registry.Finding) { r.CrawlDue(reg, check) },
	}
	r.Must(c.Snaps.Create(r.Context()))
	return c
}

// FetchDue stores the bodies of the pages that are due, and checks each again in an hour.
func (c *Crawl) FetchDue() {
	c.rig.Helper()
	c.due(func(it registry.Item) registry.Finding {
		f, now := registry.Finding{Item: it}, c.rig.Clock.Now()
		if c.Held(it) {
			f.Item.CheckAt(now.Add(time.Minute))
			return f
		}
		body := []byte(c.Body(it.NormalizedSource))
		hash := snapshot.Hash(body)
		_, err := c.Snaps.Save(c.rig.Context(), snapshot.Capture{ItemID: it.ID, RawHash: hash, MimeType: "text/html",
			StatusCode: http.StatusOK, CapturedAt: now, FetchURL: it.NormalizedSource}, body, snapshot.Had{})
		c.rig.Must(err)
		f.Changed, f.Item.RawHash = hash != it.RawHash, hash
		f.Item.HTTPFinalURL, f.Item.LastChecked = it.NormalizedSource, now
		f.Item.CheckAt(now.Add(time.Hour))
		f.Item.Status = registry.Indexed
		f.Item.ContentHash, f.Item.IndexedHash = hash, hash
		c.Checked(&f.Item)
		return f
	})
}

// CrawlDue checks the due pages.
func (r *Rig) CrawlDue(reg *registry.Registry, check func(registry.Item) registry.Finding) {
	r.Helper()
	_, err := reg.Jobs.Sweep(r.Context())
	r.Must(err)
	q := r.Store.Queue(registry.JobQueue)
	for {
		got, err := q.Receive(r.Context(), 1, time.Minute)
		r.Must(err)
		if len(got) == 0 {
			return
		}
		job, err := registry.ParseJob(got[0].Body)
		r.Must(err)
		r.Must(q.Delete(r.Context(), got[0]))
		batch, err := reg.Jobs.Begin(r.Context(), job)
		r.Must(err)
		if batch == nil {
			continue
		}
		var found []registry.Finding
		for _, it := range batch.Items {
			found = append(found, check(*it))
		}
		r.Must(reg.Jobs.Commit(r.Context(), batch, found, registry.HostFinding{}, true))
		_, err = reg.Jobs.Refill(r.Context(), batch.Partition)
		r.Must(err)
	}
}

// Hosts are asked as the app asks them, on loopback.
func (r *Rig) Hosts(reg *registry.Registry) *politeness.Hosts {
	r.Helper()
	web, err := fetch.New(fetch.Config{UserAgent: "Tidemark/1", AllowHosts: []string{"127.0.0.1"}, Now: r.Clock.Now,
		Timeout: 5 * time.Second})
	r.Must(err)
	r.Cleanup(web.Close)
	return politeness.New(reg.Hosts, web, politeness.Options{
		Agent: "Tidemark", Strategy: source.ByHost, Clock: r.Clock.Now,
		Sleep: func(ctx context.Context, d time.Duration) error { r.Clock.Pass(d); return ctx.Err() },
	})
}
