package crawl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/azureaisearch"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// watchedIndex runs a search after every write.
type watchedIndex struct {
	search.Engine
	settle func()
	mu     sync.Mutex
	most   int // most results of one search
}

func (x *watchedIndex) Put(ctx context.Context, pages ...search.Page) error {
	return x.see(ctx, x.Engine.Put(ctx, pages...))
}

func (x *watchedIndex) Remove(ctx context.Context, id string, held *search.Contents) error {
	return x.see(ctx, x.Engine.Remove(ctx, id, held))
}

func (x *watchedIndex) see(ctx context.Context, err error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.settle()
	found, failed := x.found(ctx)
	if x.most = max(x.most, len(found)); err == nil {
		err = failed
	}
	return err
}

// found returns the addresses that a search finds.
func (x *watchedIndex) found(ctx context.Context) (urls []string, err error) {
	res, err := x.Search(ctx, search.Query{Text: "tide", Top: 10})
	for _, r := range res.Results {
		urls = append(urls, r.URL)
	}
	if err == nil && res.Count != len(urls) {
		err = fmt.Errorf("count %d, results %q", res.Count, urls)
	}
	return urls, err
}

func openSQLite(t *testing.T) *watchedIndex {
	ix, err := sqlitesearch.Open(folder(t)+"/index.db", sqlitesearch.Options{})
	must(t, err)
	t.Cleanup(func() { ix.Close() })
	return &watchedIndex{Engine: ix, settle: func() {}}
}

func openAzure(t *testing.T) *watchedIndex {
	server := aisearch.New(t)
	ix, err := azureaisearch.Open(azureaisearch.Options{Endpoint: server.URL, Index: "pages", Key: aisearch.Key})
	must(t, err)
	return &watchedIndex{Engine: ix, settle: server.Refresh}
}

// seek gives a rig an index that is searched after every write.
func (r *rig) seek(x *watchedIndex) {
	must(r.t, x.Create(r.t.Context()))
	r.engine.Indexer = x
}

// sharing lists pairs of addresses with the same content, and how the first names the second as the right one.
var sharing = []struct{ name, one, other, says string }{
	{"canonical", "https://h.example/p?s=1", apexS, "rel=canonical"},
	{"canonical on www", "https://www.h.example/x", apexS, "rel=canonical"},
	{"two that name the same", "https://h.example/p?s=1", "https://h.example/p?s=2", "both"},
	{"http", apex, apexS, ""},
	{"www", wwwS, apexS, ""},
	{"http and www", www, apexS, ""},
	{"redirect", "https://h.example/old", apexS, "301"},
	{"redirect to https", "http://h.example/old", apexS, "308"},
	{"redirect for now", "https://h.example/old", apexS, "302"},
	{"refresh", "https://h.example/old", apexS, "200"},
	{"index page", "https://h.example/p/index.html", apexS, ""},
	{"redirect to another site", "https://k.example/old", apexS, "301"},
}

// TestS14FoundOnce checks S14: two addresses of one page are one result from the first moment on, whichever comes
// first, in one batch or two. In the end the result is the better address.
func TestS14FoundOnce(t *testing.T) {
	for engine, open := range map[string]func(*testing.T) *watchedIndex{"sqlite": openSQLite, "azure": openAzure} {
		for _, tt := range sharing {
			for order, batches := range map[string][][]string{
				"at once": {{tt.one, tt.other}}, "one, then the other": {{tt.one},
					{tt.other}}, "the other way round": {{tt.other}, {tt.one}},
			} {
				t.Run(strings.Join([]string{engine, tt.name, order}, "/"), func(t *testing.T) {
					r, w := wide(t)
					x := open(t)
					r.seek(x)
					w.show(tt.one, tt.other, tt.says)
					for _, batch := range batches {
						r.register(false, batch...)
						r.oneJobAtATime(x)
					}
					for range 3 {
						r.sweepAfter(11 * time.Minute)
						r.expectFound(x, "", "later")
					}
					if tt.says != "both" {
						r.expectFound(x, tt.other, "in the end")
					}
					if x.most != 1 {
						t.Errorf("%d results at once", x.most)
					}
				})
			}
		}
	}
}

// show makes two addresses answer alike, and the first name the second, or apexS, as the right one.
func (w *wideWeb) show(one, other, says string) {
	w.pages[one], w.pages[other], w.pages[apexS] = "v1", "v1", "v1"
	switch says {
	case "":
	case "rel=canonical":
		w.naming = map[string]string{one: other}
	case "both":
		w.naming = map[string]string{one: apexS, other: apexS}
	default:
		code, _ := strconv.Atoi(says)
		w.moved = map[string]fetch.Redirect{one: {URL: one, Status: code, Location: other}}
	}
}

// oneJobAtATime does all jobs, and searches after each.
func (r *rig) oneJobAtATime(x *watchedIndex) {
	r.t.Helper()
	for jobs := r.jobs(); len(jobs) > 0; jobs = r.jobs() {
		for _, job := range jobs {
			must(r.t, r.Process(r.t.Context(), job))
			r.expectFound(x, "", "after a job")
		}
	}
}

// expectFound checks that a search finds one result, with this address unless it is empty.
func (r *rig) expectFound(x *watchedIndex, url, when string) {
	r.t.Helper()
	have, err := x.found(r.t.Context())
	must(r.t, err)
	if len(have) != 1 || url != "" && have[0] != url {
		r.t.Errorf("%s: found %q, want one: %s", when, have, url)
	}
}

// TestS14OtherContentIsFound checks S14: pages that differ do not hide each other before a check has decided that one
// is an alias.
func TestS14OtherContentIsFound(t *testing.T) {
	r, w := wide(t)
	x := openSQLite(t)
	r.seek(x)
	w.pages[apexS], w.pages[apex] = "v1", "v2"
	r.register(false, apexS, apex)
	r.mustWork()
	have, err := x.found(t.Context())
	must(t, err)
	if len(have) != 2 {
		t.Errorf("found %q", have)
	}
}

// TestS14RedirectRegistersItsTarget checks S14: the target of a permanent redirect within the site is registered, and
// the page is found at that address at once.
func TestS14RedirectRegistersItsTarget(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, code := range []int{301, 308} {
			r := newRig(t, on(open))
			x := openSQLite(t)
			r.seek(x)
			r.site.put("/old", text("v1").etag("1"))
			r.first("/old")
			r.expectFound(x, r.site.URL+"/old", "before")
			r.site.put("/old", to(code, "/x"))
			r.site.put("/x", to(301, "/new"))
			r.site.put("/new", text("v2").etag("2"))
			r.clock.pass(time.Second)
			r.register(false, "/old")
			must(t, r.Process(t.Context(), r.jobs()[0]))
			r.expectFound(x, r.site.URL+"/new", "after the check that met the redirect")
			if it := r.item("/new"); it.DiscoveryMethod != redirectMethod || it.Status != registry.Pending {
				t.Errorf("%s by %s", it.Status, it.DiscoveryMethod)
			}
			old := r.item("/old")
			if wait := old.NextCrawlAt.Sub(r.clock.now()); wait > schedule.Defaults().ErrorBase {
				t.Errorf("another look in %s", wait)
			}
			r.mustWork()
			r.expectFound(x, r.site.URL+"/new", "after the check of the target")
			r.sweepAfter(11 * time.Minute)
			if it := r.item("/old"); r.aliasOf(it) != "/new" || it.Status != outOfScope {
				t.Errorf("%s, alias of %q (%s)", it.Status, r.aliasOf(it), it.CanonicalNote)
			}
			if _, err := r.reg.Items.Find(t.Context(), r.source("/x").ID()); err == nil {
				t.Error("a step between is registered, too")
			}
		}
	})
}

// TestS14MovedUnchanged checks S14: when a page begins to redirect but its content stays, it is found under the new
// address.
func TestS14MovedUnchanged(t *testing.T) {
	r := newRig(t)
	x := openSQLite(t)
	r.seek(x)
	r.site.put("/old", text("v1"))
	r.first("/old")
	r.site.put("/old", to(302, "/new"))
	r.site.put("/new", text("v1").etag("1"))
	r.look("/old")
	r.expectFound(x, r.site.URL+"/old", "a redirect for now")
	r.site.put("/old", to(301, "/new"))
	r.clock.pass(time.Second)
	r.register(false, "/old")
	must(t, r.Process(t.Context(), r.jobs()[0]))
	r.expectFound(x, r.site.URL+"/new", "a permanent redirect")
	r.mustWork()
	r.sweepAfter(11 * time.Minute)
	r.expectFound(x, r.site.URL+"/new", "the alias")
	r.site.put("/new", status(404))
	r.site.put("/old", text("v1"))
	for range 3 {
		r.next("/new")
	}
	r.next("/old")
	r.expectFound(x, r.site.URL+"/old", "and back")
}

// TestS14RedirectsThatRegisterNothing checks S14: some redirects register nothing, and a note gives the reason.
func TestS14RedirectsThatRegisterNothing(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		adjust     func(*knobs)
		site       map[string]page
		first      string // status of /old
	}{
		{"another site", "redirects permanently to http://localhost:PORT/new, which is not registered", nil,
			map[string]page{"/old": to(301, "http://localhost:PORT/new"), "/new": text("v1")}, "Indexed"},
		{"for now", "", nil, map[string]page{"/old": to(302, "/new"), "/new": text("v1")}, "Indexed"},
		{"robots.txt", "robots.txt disallows where it redirects to", nil,
			map[string]page{"/robots.txt": robotsTxt("User-agent: *", "Disallow: /new"), "/old": to(301, "/new"),
				"/new": text("v1")}, "OutOfScope"},
		{"noindex", "", nil,
			map[string]page{"/old": to(301, "/new"), "/new": text("v1").set("X-Robots-Tag", "noindex")}, "OutOfScope"},
		{"missing", "HTTP 404", nil, map[string]page{"/old": to(301, "/new"), "/new": status(404)}, "Error"},
		{"loop", "redirect", nil, map[string]page{"/old": to(301, "/new"), "/new": to(301, "/old")}, "Error"},
		{"limit of the host", "which cannot be registered: host HOST has 1 items, the limit is 1",
			func(k *knobs) { k.polite.MaxItems = 1 }, map[string]page{"/old": to(301, "/new"), "/new": text("v1")},
			"Indexed"},
		{"the canonical is known", "rel=canonical", nil,
			map[string]page{"/old": to(301, "/new"), "/new": naming("/known", "v1"), "/known": text("v1")},
			"OutOfScope"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.adjust == nil {
				tt.adjust = func(*knobs) {}
			}
			r := newRig(t, tt.adjust)
			_, host, _ := strings.Cut(r.site.URL, "://")
			_, port, _ := strings.Cut(host, ":")
			for path, p := range tt.site {
				if p.header != nil {
					p = p.set("Location", strings.ReplaceAll(p.header.Get("Location"), "PORT", port))
				}
				r.site.put(path, p)
			}
			if tt.site["/known"].body != "" {
				r.first("/known")
			}
			it := r.first("/old")
			says := strings.NewReplacer("PORT", port, "HOST", host).Replace(tt.says)
			if said := it.ErrorMessage + it.CanonicalNote; string(it.Status) != tt.first ||
				!strings.Contains(said, says) {
				t.Errorf("%s: %q, want %s: %q", it.Status, said, tt.first, says)
			}
			for _, there := range []string{r.site.URL + "/new", "http://localhost:" + port + "/new"} {
				if _, err := r.reg.Items.Find(t.Context(), r.source(there).ID()); err == nil {
					t.Errorf("%s is registered", there)
				}
			}
		})
	}
}

// TestS14RedirectsAreBounded checks S14: a site cannot cause endless registrations by redirects that lead on and on,
// or elsewhere in each answer.
func TestS14RedirectsAreBounded(t *testing.T) {
	for name, serve := range map[string]func(r *rig, check int){
		"elsewhere at each answer": func(r *rig, check int) {
			r.site.put("/old", to(301, fmt.Sprintf("/s%d", check)))
			r.site.put(fmt.Sprintf("/s%d", check), text("v1"))
		},
		"further with each answer": func(r *rig, check int) {
			for i := range check {
				r.site.put(fmt.Sprintf("/s%d", i), to(301, fmt.Sprintf("/s%d", i+1)))
			}
			r.site.put("/old", to(301, "/s0"))
			r.site.put(fmt.Sprintf("/s%d", check), text("v1"))
		},
	} {
		r := newRig(t)
		for check := range 5 {
			serve(r, check)
			r.look("/old")
		}
		var have []string
		items, err := r.reg.Items.List(t.Context(), registry.ListQuery{Top: 100})
		must(t, err)
		for _, it := range items {
			have = append(have, strings.TrimPrefix(it.NormalizedSource, r.site.URL))
		}
		slices.Sort(have)
		if diff := cmp.Diff([]string{"/old", "/s0"}, have); diff != "" {
			t.Errorf("%s: registered (-want +have):\n%s", name, diff)
		}
	}
}

// TestS14FaultsOfRegisteringATarget checks S14: whichever step fails in a check that registers a target, before or
// after it took effect, the target is registered once, and soon the page is found only there.
func TestS14FaultsOfRegisteringATarget(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		eachFault(t, func(s *saboteur) {
			r := newRig(t, on(open), func(k *knobs) {
				k.store = func(inner storage.Store) storage.Store { return storagetest.Hooked(inner, s) }
			})
			r.engine.Indexer = shakyIndex{r.index, s}
			r.site.put("/old", to(301, "/new"))
			r.site.put("/new", text("v1").etag("1"))
			r.register(false, "/old")
			s.armed = true
			_ = r.Process(t.Context(), r.jobs()[0])
			s.armed = false
			r.checkInvariants()
			for range 12 {
				r.sweepAfter(4 * time.Minute)
			}
			if it := r.item("/new"); it.Status != indexed || r.shown() != "/new" ||
				r.aliasOf(r.item("/old")) != "/new" {
				t.Errorf("step %d (%s), after %v: %s, shown %q", s.nth, s.hit, s.after, it.Status, r.shown())
			}
		})
	})
}

// TestS14Costs checks S14: registering a target has a cost, once. A check that finds it registered costs the same as
// before.
func TestS14Costs(t *testing.T) {
	var l ledger
	r := newRig(t, l.watch)
	first := func(path string) int {
		r.register(false, path)
		job := r.jobs()[0]
		l.took()
		must(t, r.Process(t.Context(), job))
		all, _ := l.took()
		return all
	}
	again := func(path string) int {
		r.mustWork()
		r.look(path)
		l.took()
		r.look(path)
		all, _ := l.took()
		return all
	}
	r.site.put("/new", text("v1").etag("1"))
	r.site.put("/known", to(301, "/new"))
	r.site.put("/old", to(301, "/other"))
	r.site.put("/other", text("v2").etag("2"))
	r.first("/new") // so robots.txt is known
	r.site.put("/plain", text("v3").etag("3"))
	plain := first("/plain")
	r.first("/known")
	known := again("/known")
	// Lookup, item, host, pointer, hint, transaction, message; the capture's lookup row, which is beside the target,
	// read and written, and the target's tip; the host's row, whose write fails once because the registration has
	// changed the row, and which is then read again; the copy of the host's counters.
	if cost := first("/old") - plain; cost != 13 {
		t.Errorf("a check that registers costs %d operations more", cost)
	}
	if have := again("/old"); have != known {
		t.Errorf("%d operations for an alias whose target we registered, %d for another", have, known)
	}
}
