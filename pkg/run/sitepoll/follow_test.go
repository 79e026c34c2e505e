package sitepoll_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

const root = "https://tree.example/"

// tree lays pages that link to each other: three on each level, and what is not to be followed.
func tree(r *rig) {
	r.web.Pages[root] = runtest.Links("/a", "/b", "/a#x", "https://else.example/", "/print/x") +
		`<a rel=nofollow href="/secret">S</a><a href="/cal?sid=0123456789abcdef01">L</a>`
	r.web.Pages[root+"a"] = runtest.Links("/", "/a/1", "/a/2", "/b")
	r.web.Pages[root+"b"] = runtest.Links("/b/1", "/a/1")
	r.web.Pages[root+"a/1"] = runtest.Links("/a/1/deep")
	r.web.Pages[root+"a/2"], r.web.Pages[root+"b/1"] = `<meta name=robots content=nofollow>`+runtest.Links("/hidden"), "no links"
	r.web.Pages[root+"a/1/deep"] = runtest.Links("/too/deep")
}

// walker is a rig whose pages are fetched as a crawl would fetch them.
type walker struct {
	*rig
	*runtest.Crawl
}

func newWalker(r *rig, change func(o *sitepoll.Options)) *walker {
	w := &walker{r, r.Crawl(r.reg, r.web)}
	r.restart(func(o *sitepoll.Options) {
		o.Sites, o.Snapshots = site.List{{Slug: "tree", Domain: "tree.example", Start: []string{root},
			Follow: &api.SiteFollow{Depth: 3, Pages: 5000, Addresses: 100_000}}}, w.Snaps
		change(o)
	})
	return w
}

// poll performs a full poll while the crawl works.
func (w *walker) poll() sitepoll.Poll {
	w.Helper()
	_, err := w.Tick(w.Context())
	w.Must(err)
	for range 500 {
		if !w.polling() {
			return *w.site("tree").Last
		}
		for _, m := range w.Messages(sitepoll.Queue) {
			_ = w.Step(w.Context(), m)
		}
		w.FetchDue()
		w.Clock.Pass(10 * time.Second)
		_, _ = w.RequeueStalled(w.Context())
	}
	w.Fatalf("the poll does not end: %+v", w.site("tree").Now)
	return sitepoll.Poll{}
}

func (w *walker) addresses() (out []string) {
	for address := range w.items() {
		out = append(out, strings.TrimPrefix(address, root))
	}
	slices.Sort(out)
	return out
}

// TestE16FollowLinks checks that a site is found by its links, breadth first, within its depth, once each, without
// what is not to be followed, and without a request for a page (E16).
func TestE16FollowLinks(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		w := newWalker(r, func(*sitepoll.Options) {})
		tree(r)
		poll := w.poll()
		same(t, []string{"", "a", "a/1", "a/1/deep", "a/2", "b", "b/1", "print/x"}, w.addresses())
		if poll.New != 8 || poll.Excluded != 1 || poll.Trapped != 1 || poll.Found != 10 || poll.Errors != 0 {
			t.Errorf("%+v", poll)
		}
		if asked := r.web.Requests(); len(asked) > 0 {
			t.Errorf("%v were asked for", asked)
		}
		if got := w.site("tree").Walk; got.Pages != 8 || got.Open != 0 || got.Waiting != 0 || got.Deepest != 3 {
			t.Errorf("%+v", got)
		}
		w.whole()
	})
}

// TestE16StartThatCannotBeRead checks that each poll tells of a start that cannot be read, why, and that the walk goes
// on when it can be; and of a start without links, once (E16).
func TestE16StartThatCannotBeRead(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	down := true
	w.Checked = func(it *registry.Item) {
		if down && it.NormalizedSource == root {
			it.RawHash, it.ContentHash, it.IndexedHash = "", "", ""
			it.Status, it.ErrorMessage = registry.Error, "HTTP 404"
		}
	}
	for range 2 {
		poll, walk := w.poll(), w.site("tree").Walk
		if poll.Errors != 1 || poll.Problems[0].URL != root || !strings.Contains(poll.Problems[0].Message, "HTTP 404") ||
			walk.Unread != 1 || walk.UnreadAt != root || !strings.Contains(walk.UnreadWhy, "HTTP 404") {
			t.Errorf("%+v, %+v", poll, walk)
		}
		w.Clock.Pass(24 * time.Hour)
	}
	down, w.web.Pages[root], w.web.Pages[root+"a"] = false, runtest.Links("/a"), "Another page"
	w.FetchDue()
	poll, walk := w.poll(), w.site("tree").Walk
	if poll.Errors != 0 || poll.New != 1 || walk.Unread != 0 || walk.UnreadAt+walk.UnreadWhy != "" {
		t.Errorf("%+v, %+v", poll, walk)
	}

	alone := newWalker(inMemory(t), func(*sitepoll.Options) {})
	alone.web.Pages[root] = "No links"
	if poll := alone.poll(); poll.Errors != 1 || !strings.Contains(poll.Problems[0].Message, "it has none") {
		t.Errorf("%+v", poll)
	}
	alone.Clock.Pass(24 * time.Hour)
	if poll := alone.poll(); poll.Errors != 0 {
		t.Errorf("%+v", poll)
	}
}

// TestE17LinksOfChangedPages checks that the next poll reads the links of pages that have changed, and of no other
// (E17).
func TestE17LinksOfChangedPages(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	tree(w.rig)
	w.poll()
	w.Clock.Pass(24 * time.Hour)
	if poll := w.poll(); poll.Found != 0 {
		t.Errorf("nothing has changed: %+v", poll)
	}
	w.web.Pages[root+"b"] = runtest.Links("/b/1", "/b/2")
	w.web.Pages[root+"b/2"] = runtest.Links("/b/3")
	w.Clock.Pass(24 * time.Hour)
	w.FetchDue()
	if poll := w.poll(); poll.New != 2 {
		t.Errorf("%+v", poll)
	}
	w.whole()
}

// TestE16Limits checks that a walk ends at its limits and says so, and goes on when they are raised (E16).
func TestE16Limits(t *testing.T) {
	limits := api.SiteFollow{Depth: 3, Pages: 4, Addresses: 100_000}
	limit := func(o *sitepoll.Options) { o.Sites[0].Follow = &limits }
	w := newWalker(inMemory(t), limit)
	tree(w.rig)
	poll := w.poll()
	if got := w.site("tree").Walk; len(w.items()) != 4 || poll.Later == 0 || !strings.Contains(got.Full, "4 pages") {
		t.Errorf("%v; %+v; %+v", w.addresses(), poll, got)
	}
	limits.Pages = 100
	w.restart(func(*sitepoll.Options) {})
	w.Clock.Pass(24 * time.Hour)
	if w.poll(); len(w.items()) != 8 {
		t.Errorf("with a higher limit: %v", w.addresses())
	}
	limits.Addresses = 3
	w = newWalker(inMemory(t), limit)
	tree(w.rig)
	w.poll()
	if got := w.site("tree").Walk; got.Seen > 3 || !strings.Contains(got.Full, "3 addresses") {
		t.Errorf("%+v", got)
	}
}

// TestE16EndlessSpaces checks that a walk of a site with endless spaces ends, indexes nearly all of its real pages and
// little else (E16).
func TestE16EndlessSpaces(t *testing.T) {
	w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.Sites[0].Follow.Depth = 8 })
	real := runtest.TrapSite(w.web.Pages, root, 300)
	poll := w.poll()
	found := 0
	for address := range w.items() {
		if real[address] {
			found++
		}
	}
	if n := len(w.items()); 10*found < 9*n || 10*found < 9*len(real) {
		t.Errorf("%d items, %d of %d real pages; %v", n, found, len(real), poll.Reasons)
	}
	t.Logf("%d items, %d of %d real pages; %v", len(w.items()), found, len(real), poll.Reasons)
}

// TestE16DryRun checks that a dry run fetches pages within its limits, registers nothing, says what it would register
// and why not the rest, and is gone after a day (E16).
func TestE16DryRun(t *testing.T) {
	r := inMemory(t)
	r.restart(func(o *sitepoll.Options) { o.Sites = nil })
	tree(r)
	r.register(root + "b")
	r.web.Pages[root+"a/2"] = 404
	r.web.Pages[root+"a/1"] = `<div id=root></div><script src=/app.js></script>`
	tried, err := r.Try(t.Context(), "tree.example", api.SiteSettings{Follow: &api.SiteFollow{Depth: 2},
		Exclude: []string{"/print/"}})
	r.Must(err)
	for range 100 {
		for _, m := range r.Messages(sitepoll.Queue) {
			r.Must(r.Step(t.Context(), m))
		}
		r.Clock.Pass(time.Second)
	}
	one := r.site(tried.Slug)
	would, err := r.Would(t.Context(), one)
	r.Must(err)
	same(t, []string{root, root + "a", root + "b", root + "a/1", root + "b/1"}, would)
	if one.Now != nil || one.Last.New != 4 || one.Last.Known != 1 || one.Watched || one.TrialUntil.IsZero() ||
		one.Set.Follow.Depth != 2 || one.Last.Reasons["HTTP 404"] != 1 || one.Walk.Thin != 1 ||
		one.Walk.ThinAt != root+"a/1" {
		t.Errorf("%+v; %+v", one, one.Last)
	}
	if n := len(r.items()); n != 1 {
		t.Errorf("%d items", n)
	}
	if all, err := r.Known.All(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	r.Clock.Pass(25 * time.Hour)
	_, err = r.Tick(t.Context())
	r.Must(err)
	if left := r.Rows(sitepoll.Table, ""); len(left) > 0 {
		t.Errorf("%v are left over", left)
	}
}

// TestE16Faults checks that a walk finds the same pages, and counts them once, when any single operation fails, before
// or after it took effect (E16).
func TestE16Faults(t *testing.T) {
	runtest.EachFault(t, 60, 1, func(t *testing.T, f *runtest.Fault) {
		w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.MaxOpen, o.MaxRead = 2, 3 })
		tree(w.rig)
		w.Hook.Set(f)
		var poll *sitepoll.Poll
		for range 10 {
			_, _ = w.Tick(w.Context())
			w.walkOn()
			if poll = w.last("tree"); poll != nil {
				break
			}
			w.Clock.Pass(time.Minute)
		}
		w.Hook.Set(nil)
		if poll == nil || poll.New != 8 || poll.Found != 10 || len(w.items()) != 8 {
			t.Errorf("%+v; %v", poll, w.addresses())
		}
		w.whole()
	})
}

// walkOn performs steps, with faults, until no poll is active.
func (w *walker) walkOn() {
	for range 200 {
		for _, m := range w.Messages(sitepoll.Queue) {
			_ = w.Step(context.WithoutCancel(w.Context()), m)
		}
		w.FetchDue()
		w.Clock.Pass(30 * time.Second)
		_, _ = w.RequeueStalled(w.Context())
		if !w.polling() {
			return
		}
	}
}
