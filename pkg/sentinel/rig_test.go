package sentinel_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/sentinel"
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
	*sentinel.Service
	clock *clock
	store storage.Store
	reg   *registry.Registry // sees the store as it is
	web   *web
	o     sentinel.Options
	hook  storagetest.Hooks
	token int
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

func (r *rig) Before(ctx context.Context, c storagetest.Call) error { return r.hook.Before(ctx, c) }

func (r *rig) After(ctx context.Context, c storagetest.Call, err error) error {
	return r.hook.After(ctx, c, err)
}

// web answers visits: a text is a page with a validator, a number a status, an error itself.
type web struct {
	mu    sync.Mutex
	pages map[string]any
	asked []string // "GET address", or "304 address" for what had not changed
}

func (w *web) Visit(_ context.Context, v crawl.Visit) (crawl.Visited, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch page := w.pages[v.URL].(type) {
	case string:
		etag := fmt.Sprintf(`"%x"`, []byte(page))
		if v.ETag == etag {
			w.asked = append(w.asked, "304 "+v.URL)
			return crawl.Visited{Status: http.StatusNotModified, NotModified: true, ETag: etag, FinalURL: v.URL, Requests: 1}, nil
		}
		w.asked = append(w.asked, "GET "+v.URL)
		return crawl.Visited{Status: http.StatusOK, Body: []byte(page), ETag: etag, FinalURL: v.URL, Requests: 1}, nil
	case int:
		w.asked = append(w.asked, "GET "+v.URL)
		return crawl.Visited{Status: page, FinalURL: v.URL, Requests: 1}, nil
	case error:
		return crawl.Visited{Requests: 1}, page
	}
	w.asked = append(w.asked, "GET "+v.URL)
	return crawl.Visited{Status: http.StatusNotFound, FinalURL: v.URL, Requests: 1}, nil
}

// requests gives what was asked since the last call.
func (w *web) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
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

// onStores runs a test in memory and on the embedded store.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	for name, open := range openers {
		t.Run(name, func(t *testing.T) { test(t, newRig(t, open)) })
	}
}

const (
	aMap  = "https://a.example/sitemap.xml"
	bFeed = "https://b.example/feed.xml"
)

func newRig(t *testing.T, open opener) *rig {
	t.Helper()
	r := &rig{T: t, clock: &clock{now: time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)}, web: &web{pages: map[string]any{}}}
	r.store = open(t, r.clock.Now)
	r.o = sentinel.Options{
		Rules: source.DefaultRules(), Clock: r.clock.Now, PerDay: 500,
		Token: func() string { r.token++; return fmt.Sprint(r.token) },
		Sites: sites{
			{Slug: "a", Domain: "a.example", Sitemaps: []string{aMap}, Exclude: []*regexp.Regexp{regexp.MustCompile("/print/")}},
			{Slug: "b", Domain: "b.example", Feeds: []string{bFeed}},
			{Slug: "limits", Domain: "limits.example", Limits: &site.Limits{MaxConcurrent: 1}},
		},
	}
	r.reg = registry.New(r.store, r.regOptions())
	must(t, r.reg.Create(t.Context()))
	r.restart(func(*sentinel.Options) {})
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
func (r *rig) restart(change func(o *sentinel.Options)) {
	change(&r.o)
	seen := storagetest.Hooked(r.store, r)
	r.Service = sentinel.New(seen, registry.New(seen, r.regOptions()), r.web, r.o)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// entry is an address of a sitemap and its lastmod, "" for none.
type entry struct{ loc, mod string }

func urlset(entries ...entry) string {
	var b strings.Builder
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, e := range entries {
		fmt.Fprintf(&b, "<url><loc>%s</loc>", e.loc)
		if e.mod != "" {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", e.mod)
		}
		b.WriteString("</url>")
	}
	return b.String() + "</urlset>"
}

func plain(base string, n int) (out []entry) {
	for i := range n {
		out = append(out, entry{loc: fmt.Sprintf("%s%d", base, i)})
	}
	return out
}

func mapIndex(urls ...string) string {
	return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` +
		strings.Join(urls, "</loc></sitemap><sitemap><loc>") + `</loc></sitemap></sitemapindex>`
}

// messages takes the messages of steps that are visible.
func (r *rig) messages() (bodies [][]byte) {
	r.Helper()
	q := r.store.Queue(sentinel.Queue)
	got, err := q.Receive(r.Context(), 32, time.Minute)
	must(r.T, err)
	for _, m := range got {
		bodies = append(bodies, m.Body)
		must(r.T, q.Delete(r.Context(), m))
	}
	return bodies
}

// settle goes on until no look does. A step that fails is given again.
func (r *rig) settle() {
	r.Helper()
	for range 400 {
		for _, body := range r.messages() {
			if r.Step(r.Context(), body) != nil {
				_ = r.Step(r.Context(), body)
			}
		}
		if !r.looking() {
			return
		}
		r.clock.pass(20 * time.Second)
		_, _ = r.Wake(r.Context())
	}
	r.Fatalf("the look does not end: %+v", r.site("a").Now)
}

func (r *rig) looking() bool {
	r.Helper()
	all, err := sentinel.New(r.store, r.reg, r.web, r.o).All(r.Context())
	must(r.T, err)
	for _, one := range all {
		if one.Now != nil {
			return true
		}
	}
	return false
}

// day has the timer come on the next day at six, and gives the look at a site that followed.
func (r *rig) day(slug string) sentinel.Look {
	r.Helper()
	now := r.clock.Now()
	next := time.Date(now.Year(), now.Month(), now.Day(), 6, 0, 0, 0, time.UTC).AddDate(0, 0, 1)
	r.clock.pass(next.Sub(now))
	return r.tick(slug)
}

// tick has the timer come now.
func (r *rig) tick(slug string) sentinel.Look {
	r.Helper()
	_, err := r.Tick(r.Context())
	must(r.T, err)
	r.settle()
	return *r.site(slug).Last
}

func (r *rig) site(slug string) sentinel.Site {
	r.Helper()
	one, err := r.Get(r.Context(), slug)
	must(r.T, err)
	return one
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

// register adds sources as somebody else would.
func (r *rig) register(urls ...string) {
	r.Helper()
	for _, u := range urls {
		s, err := source.DefaultRules().ParseURL(u)
		must(r.T, err)
		must(r.T, r.reg.Register(r.Context(), []source.Source{s}, registry.RegisterOptions{})[0].Err)
	}
}

// whole checks what holds whenever no look goes on.
func (r *rig) whole() {
	r.Helper()
	rows, err := storagetest.Dump(r.Context(), r.store, sentinel.Table)
	must(r.T, err)
	for row := range rows {
		if strings.Contains(row, "/active|") {
			r.Errorf("%s is left over", row)
		}
	}
	found, err := r.reg.Check(r.Context())
	must(r.T, err)
	for _, v := range found {
		r.Error(v)
	}
}
