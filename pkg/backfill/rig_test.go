package backfill_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/backfill"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/mem"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// rig is the service over what a hook leaves of the store, and a web of which the test knows all.
type rig struct {
	*testing.T
	*backfill.Service
	clock *clock
	store storage.Store
	seen  storage.Store // as the service sees it
	reg   *registry.Registry
	web   *web
	o     backfill.Options
	hook  storagetest.Hooks
}

// clock may be read by several steps at once.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// OnBefore and OnAfter of a rig's hook may be set at any time.
func (r *rig) Before(ctx context.Context, c storagetest.Call) error { return r.hook.Before(ctx, c) }

func (r *rig) After(ctx context.Context, c storagetest.Call, err error) error {
	return r.hook.After(ctx, c, err)
}

// visit is all that a visit gives.
type visit struct {
	crawl.Visited
	err error
}

// web answers visits: a text is a page, a number a status, an error and a visit itself.
type web struct {
	mu    sync.Mutex
	pages map[string]any
	asked []string
}

func (w *web) Visit(_ context.Context, v crawl.Visit) (crawl.Visited, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, v.URL)
	switch page := w.pages[v.URL].(type) {
	case string:
		kind := "text/html"
		if strings.Contains(page, "<urlset") {
			kind = "application/xml"
		}
		return crawl.Visited{Status: http.StatusOK, Body: []byte(page), ContentType: kind, FinalURL: v.URL, Requests: 1}, nil
	case int:
		return crawl.Visited{Status: page, FinalURL: v.URL, Requests: 1}, nil
	case error:
		return crawl.Visited{Requests: 1}, page
	case visit:
		return page.Visited, page.err
	}
	return crawl.Visited{Status: http.StatusNotFound, FinalURL: v.URL, Requests: 1}, nil
}

// List gives the blobs that the web has under a container's address, each on a line.
func (w *web) List(_ context.Context, folder file.Place, _ string) iter.Seq2[file.Entry, error] {
	return func(yield func(file.Entry, error) bool) {
		text, ok := w.pages[folder.String()].(string)
		if !ok {
			yield(file.Entry{}, fault.New(fault.NotFound, "the container is not there"))
			return
		}
		for name := range strings.FieldsSeq(text) {
			place, err := file.Parse(folder.String() + "/" + name)
			if !yield(file.Entry{Place: place, Refused: err}, nil) {
				return
			}
		}
	}
}

// sites stands for a site file.
type sites []*site.Site

func (s sites) All() []*site.Site { return s }

func (s sites) Find(slug string) *site.Site {
	for _, one := range s {
		if one.Slug == slug {
			return one
		}
	}
	return nil
}

// onStores runs a test in memory and on the embedded store.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	for name, open := range openers {
		t.Run(name, func(t *testing.T) { test(t, newRig(t, open)) })
	}
}

type opener func(t *testing.T, now func() time.Time) storage.Store

var openers = map[string]opener{
	"mem": func(_ *testing.T, now func() time.Time) storage.Store { return mem.New(now) },
	"embedded": func(t *testing.T, now func() time.Time) storage.Store {
		s, err := sqlitestore.Open(t.TempDir(), sqlitestore.Options{Now: now})
		must(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	},
}

func newRig(t *testing.T, open opener) *rig {
	t.Helper()
	r := &rig{T: t, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, web: &web{pages: map[string]any{}}}
	r.store = open(t, r.clock.Now)
	r.seen = storagetest.Hooked(r.store, r)
	r.o = backfill.Options{
		Enabled: true, Rules: source.DefaultRules(), Clock: r.clock.Now,
		Sites: sites{
			{Slug: "a", Domain: "a.example", Sitemaps: []string{"https://a.example/sitemap.xml"}},
			{Slug: "b", Domain: "b.example", Sitemaps: []string{"https://b.example/sitemap.xml"}},
			{Slug: "a-b", Domain: "ab.example", Sitemaps: []string{"https://ab.example/sitemap.xml"}},
		},
	}
	r.reg = registry.New(r.store, r.regOptions())
	must(t, r.reg.Create(t.Context()))
	r.restart(func(*backfill.Options) {})
	must(t, r.Create(t.Context()))
	return r
}

func (r *rig) regOptions() registry.Options {
	return registry.Options{
		Clock: r.clock.Now, Parallel: 1, Sleep: func(context.Context, time.Duration) error { return nil },
		Politeness: func(string) registry.Politeness { return registry.Politeness{MaxConcurrent: 4} },
	}
}

// restart begins the service anew with other options.
func (r *rig) restart(change func(o *backfill.Options)) {
	change(&r.o)
	r.Service = backfill.New(r.seen, registry.New(r.seen, r.regOptions()), r.web, r.web, r.o)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// urlset is a sitemap of pages, index one of sitemaps.
func urlset(urls ...string) string {
	return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>` +
		strings.Join(urls, "</loc></url><url><loc>") + `</loc></url></urlset>`
}

func index(urls ...string) string {
	return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` +
		strings.Join(urls, "</loc></sitemap><sitemap><loc>") + `</loc></sitemap></sitemapindex>`
}

func pages(base string, n int) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("%s%d", base, i))
	}
	return urls
}

// register adds sources as somebody else would.
func (r *rig) register(urls ...string) {
	r.Helper()
	var all []source.Source
	for _, u := range urls {
		s, err := source.DefaultRules().ParseURL(u)
		must(r.T, err)
		all = append(all, s)
	}
	for _, got := range r.reg.Register(r.Context(), all, registry.RegisterOptions{}) {
		must(r.T, got.Err)
	}
}

func (r *rig) start(req backfill.Request) backfill.Run {
	r.Helper()
	run, err := r.Start(r.Context(), req)
	must(r.T, err)
	return run
}

// messages takes the messages of steps that are visible.
func (r *rig) messages() (bodies [][]byte) {
	r.Helper()
	q := r.store.Queue(backfill.Queue)
	got, err := q.Receive(r.Context(), 32, time.Minute)
	must(r.T, err)
	for _, m := range got {
		bodies = append(bodies, m.Body)
		must(r.T, q.Delete(r.Context(), m))
	}
	return bodies
}

func (r *rig) run(id string) backfill.Run {
	r.Helper()
	run, err := r.Get(r.Context(), id)
	must(r.T, err)
	return run
}

func over(run backfill.Run) bool {
	return run.Status == backfill.Completed || run.Status == backfill.Failed || run.Status == backfill.Cancelled
}

// end goes on until a run is over. A step that fails is given again.
func (r *rig) end(id string) backfill.Run {
	r.Helper()
	for range 400 {
		for _, body := range r.messages() {
			if r.Step(r.Context(), body) != nil {
				_ = r.Step(r.Context(), body)
			}
		}
		if run, err := r.Get(r.Context(), id); err == nil && over(run) {
			return run
		}
		r.clock.pass(20 * time.Second)
		_, _ = r.Wake(r.Context())
	}
	r.Fatalf("the run does not end: %+v", r.run(id))
	return backfill.Run{}
}

// items are all items, by address.
func (r *rig) items() map[string]registry.Item {
	r.Helper()
	all, err := r.reg.List(r.Context(), registry.ListQuery{Top: 10_000})
	must(r.T, err)
	out := map[string]registry.Item{}
	for _, it := range all {
		out[it.NormalizedSource] = it
	}
	return out
}

// found counts the items that a run has registered.
func (r *rig) found(id string) (n int) {
	for _, it := range r.items() {
		if it.DiscoveryRun == id {
			n++
		}
	}
	return n
}

// whole checks what holds of every run at its end: it counts what is there, within its caps, and
// leaves nothing but its record.
func (r *rig) whole(run backfill.Run) {
	r.Helper()
	if n := r.found(run.ID); !run.DryRun && n != run.Queued {
		r.Errorf("%d items registered, %d counted", n, run.Queued)
	}
	if run.Discovered != run.Queued+run.Skipped+run.Refused || run.Discovered > run.MaxURLs {
		r.Errorf("counts do not add up, or are above %d: %+v", run.MaxURLs, run.Counts)
	}
	for _, p := range run.Progress {
		if p.Discovered > run.MaxPerSrc {
			r.Errorf("%d addresses of %s, at most %d are allowed", p.Discovered, p.Source, run.MaxPerSrc)
		}
	}
	rows, err := storagetest.Dump(r.Context(), r.store, backfill.Table)
	must(r.T, err)
	for row := range rows {
		if strings.Contains(row, "/links|") || strings.Contains(row, "/active|") {
			r.Errorf("%s is left over", row)
		}
	}
	found, err := r.reg.Check(r.Context())
	must(r.T, err)
	for _, v := range found {
		r.Error(v)
	}
}
