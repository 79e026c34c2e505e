package crawl

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// The rig is one worker, its registry (in memory unless the test asks for another store), and a real site on
// loopback. Only the test and the worker's own pauses move its clock. The simulation shows that nothing is lost
// whatever happens; the tests on the rig show that the right thing is done.
type rig struct {
	t     *testing.T
	site  *site
	clock *fakeClock
	store storage.Store
	reg   *registry.Registry
	feed  *feed.Feed
	snaps *snapshot.Store
	index *bookIndex
	web   *fetch.Client
	seen  *replaceable // the web of the worker, instead of web
	sleep func(context.Context, time.Duration) error
	// worked is the registry as the worker sees it, engine the index that the worker writes to, and vectors its
	// embedder.
	worked  *registry.Registry
	engine  *replaceableIndex
	vectors Embedder
	crawl   Options
	*Worker
}

// fakeClock may also be read by the site's goroutines.
type fakeClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *fakeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *fakeClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// sleep moves the clock and takes no real time.
func (c *fakeClock) sleep(ctx context.Context, d time.Duration) error {
	c.pass(d)
	return ctx.Err()
}

// knobs adjust a rig before it runs.
type knobs struct {
	open   opener
	store  func(storage.Store) storage.Store // the worker's view of the store
	fetch  fetch.Config
	crawl  Options
	polite policy.Politeness
	// vectors is the embedder, or nil.
	vectors Embedder
}

// on makes the rig run on a store.
func on(open opener) func(*knobs) { return func(k *knobs) { k.open = open } }

func newRig(t *testing.T, adjust ...func(*knobs)) *rig {
	t.Helper()
	clock := &fakeClock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	r := &rig{t: t, clock: clock, site: newSite(t), index: newBookIndex()}
	k := knobs{
		open:   openMem,
		store:  func(s storage.Store) storage.Store { return s },
		polite: policy.Politeness{MaxConcurrent: 1},
		fetch: fetch.Config{
			UserAgent:  "Tidemark/1",
			AllowHosts: []string{"127.0.0.1", "localhost"},
			Now:        clock.now,
			Timeout:    time.Minute,
		},
		crawl: Options{
			Behind:   1,
			Schedule: schedule.Defaults(), Agent: "Tidemark", Rules: source.DefaultRules(),
			Clock: clock.now, Jitter: func() float64 { return 0 }, RunID: "run",
			ReindexOnCanonical: true,
		},
	}
	for _, a := range adjust {
		a(&k)
	}
	r.store = k.open(t, clock.now)
	r.reg = r.registry(r.store, k.polite)
	r.feed = feed.Open(r.store, clock.now)
	r.snaps = snapshot.New(r.store).By(clock.now)
	must(t, r.reg.Create(t.Context()))
	must(t, r.snaps.Create(t.Context()))
	must(t, index.NewManifests(r.store).Create(t.Context()))
	web, err := fetch.New(k.fetch)
	must(t, err)
	t.Cleanup(web.Close)
	r.web, r.seen, r.sleep, r.crawl = web, &replaceable{web}, clock.sleep, k.crawl
	seen := k.store(r.store)
	r.worked, r.engine, r.vectors = r.registry(seen, k.polite), &replaceableIndex{r.index}, k.vectors
	r.Worker = r.newWorker(r.worked, snapshot.New(seen).By(clock.now), index.NewManifests(seen), r.engine)
	t.Cleanup(r.checkInvariants)
	return r
}

func (r *rig) registry(s storage.Store, p policy.Politeness) *registry.Registry {
	return registry.New(s, registry.Options{
		Clock: r.clock.now, Sleep: r.clock.sleep, Jitter: func() float64 { return 0 }, Parallel: 1,
		Politeness: func(string) policy.Politeness { return p },
	})
}

func (r *rig) checkInvariants() {
	found, err := r.reg.Check(context.Background())
	must(r.t, err)
	for _, v := range found {
		r.t.Error(v)
	}
}

// source returns the source of a path of the site, or of a whole URL.
func (r *rig) source(path string) source.Source {
	r.t.Helper()
	if !strings.Contains(path, "://") {
		path = r.site.URL + path
	}
	s, err := source.DefaultRules().ParseURL(path)
	must(r.t, err)
	return s
}

// register registers pages, whose jobs are then in the queue.
func (r *rig) register(force bool, paths ...string) {
	r.t.Helper()
	var sources []source.Source
	for _, p := range paths {
		sources = append(sources, r.source(p))
	}
	for _, got := range r.reg.Items.Register(r.t.Context(), sources, registry.RegisterOptions{Force: force}) {
		must(r.t, got.Err)
	}
}

// item reads an item as it is stored.
func (r *rig) item(path string) registry.Item {
	r.t.Helper()
	it, err := r.reg.Items.Find(r.t.Context(), r.source(path).ID())
	must(r.t, err)
	return it
}

// jobs removes all visible messages from the queue and returns their jobs.
func (r *rig) jobs() []registry.Job {
	r.t.Helper()
	q := r.store.Queue(registry.JobQueue)
	var out []registry.Job
	for {
		got, err := q.Receive(r.t.Context(), 32, time.Minute)
		must(r.t, err)
		if len(got) == 0 {
			return out
		}
		for _, m := range got {
			job, err := registry.ParseJob(m.Body)
			must(r.t, err)
			out = append(out, job)
			must(r.t, q.Delete(r.t.Context(), m))
		}
	}
}

// work does jobs until the queue is empty. It returns the last error, and does not repeat its job.
func (r *rig) work() error {
	r.t.Helper()
	var last error
	for range 20 {
		jobs := r.jobs()
		if len(jobs) == 0 {
			return last
		}
		for _, job := range jobs {
			if err := r.Process(r.t.Context(), job); err != nil {
				last = err
			}
		}
	}
	r.t.Fatal("the queue does not run empty")
	return nil
}

func (r *rig) mustWork() {
	r.t.Helper()
	must(r.t, r.work())
}

// due lets time pass until a page is due and its host may be asked, and runs the sweep that finds it.
func (r *rig) due(path string) {
	r.t.Helper()
	if wait := r.item(path).NextCrawlAt.Sub(r.clock.now()); wait > 0 {
		r.clock.pass(wait)
	}
	if wait := r.held(path).Sub(r.clock.now()); wait > 0 {
		r.clock.pass(wait)
	}
	r.clock.pass(time.Minute)
	_, err := r.reg.Jobs.Sweep(r.t.Context())
	must(r.t, err)
}

// held returns the time until which the host of a page is left alone; zero if it is not.
func (r *rig) held(path string) time.Time {
	r.t.Helper()
	all, err := r.reg.Hosts.Stats(r.t.Context(), r.source(path).Host)
	must(r.t, err)
	if len(all) == 0 {
		return time.Time{}
	}
	return all[0].PausedUntil
}

// first registers a page and checks it; next checks it when it is due. Both return the item.
func (r *rig) first(path string) registry.Item {
	r.t.Helper()
	r.register(false, path)
	r.mustWork()
	return r.item(path)
}

func (r *rig) next(path string) registry.Item {
	r.t.Helper()
	r.due(path)
	r.mustWork()
	return r.item(path)
}

// look checks only this page, now and with conditions.
func (r *rig) look(path string) registry.Item {
	r.t.Helper()
	r.clock.pass(time.Second)
	return r.first(path)
}

// force checks a page now, without conditions.
func (r *rig) force(path string) registry.Item {
	r.t.Helper()
	r.clock.pass(time.Second)
	r.register(true, path)
	r.mustWork()
	return r.item(path)
}

// last returns an item's last decision about its content.
func last(it registry.Item) string {
	for _, d := range slices.Backward(it.History) {
		if d.What != "scheduled" {
			return d.What
		}
	}
	return ""
}

// bookIndex stores pages by title and records all writes.
type bookIndex struct {
	mu      sync.Mutex
	pages   map[string]search.Page
	log     []string
	down    error
	removed *search.Contents // the known contents of the page that was removed last
	// removing is called before a page is removed.
	removing func()
}

func newBookIndex() *bookIndex { return &bookIndex{pages: map[string]search.Page{}} }

var errIndexDown = fault.New(fault.Unavailable, "the index is down")

func (x *bookIndex) Put(_ context.Context, pages ...search.Page) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.down != nil {
		return x.down
	}
	for _, p := range pages {
		if err := knows(p, x.pages[p.ID]); err != nil {
			return err
		}
		x.pages[p.ID] = p
		x.log = append(x.log, "put "+p.Title)
	}
	return nil
}

// knows returns an error for a page whose Known differs from the contents of the index (C5).
func knows(p, held search.Page) error {
	if diff := cmp.Diff(held.Contents(), p.Known); p.Known != nil && diff != "" {
		return fmt.Errorf("page %s is said to be held otherwise than it is: -held +said\n%s", p.ID, diff)
	}
	return nil
}

func (x *bookIndex) Remove(_ context.Context, id string, held *search.Contents) error {
	if x.removing != nil {
		x.removing()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.down != nil {
		return x.down
	}
	if p, ok := x.pages[id]; ok {
		if err := knows(search.Page{ID: id, Known: held}, p); err != nil {
			return err
		}
		x.log = append(x.log, "remove")
	}
	x.removed = held
	delete(x.pages, id)
	return nil
}

// writes returns the writes since the last call.
func (x *bookIndex) writes() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := x.log
	x.log = nil
	return out
}

func (x *bookIndex) holds(it registry.Item) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.pages[string(it.ID)].Title
}

// captures lists the captures of an item.
func (r *rig) captures(path string) []snapshot.Capture {
	r.t.Helper()
	out, err := r.snaps.List(r.t.Context(), r.source(path).ID())
	must(r.t, err)
	return out
}

// edges lists the edges of a page's captures.
func (r *rig) edges(path string) []lineage.Edge {
	r.t.Helper()
	out, err := r.snaps.Edges(r.t.Context(), r.source(path).ID(), 100)
	must(r.t, err)
	return out
}

// blobs lists the stored bodies.
func (r *rig) blobs() (names []string) {
	r.t.Helper()
	for name, err := range r.store.Container(snapshot.Container).List(r.t.Context(), "") {
		must(r.t, err)
		names = append(names, name)
	}
	return names
}

// refs counts the rows that record which item needs which body.
func (r *rig) refs() (n int) {
	r.t.Helper()
	for _, err := range r.store.Table(snapshot.RefsTable).Query(r.t.Context(), storage.Query{}) {
		must(r.t, err)
		n++
	}
	return n
}

// text is a small page whose title is its version.
func text(version string) page {
	return page{
		body: fmt.Sprintf(
			"<html lang=en><title>%s</title><main><p>The tide table of %s stands here.</p></main>",
			version,
			version,
		),
	}
}

func (p page) with(change func(*page)) page {
	p.header = p.header.Clone()
	if p.header == nil {
		p.header = http.Header{}
	}
	change(&p)
	return p
}

func (p page) etag(tag string) page {
	return p.with(func(p *page) { p.header.Set("ETag", `"`+tag+`"`) })
}

func (p page) set(name, value string) page {
	return p.with(func(p *page) { p.header.Set(name, value) })
}

func status(code int) page { return page{status: code, body: "<title>sorry</title>"} }

func to(code int, location string) page { return status(code).set("Location", location) }

func long(n int) string { return strings.Repeat("x", n) }
