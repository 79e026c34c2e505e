package sitepoll_test

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// TestE16NoPageTwice checks that an address that leads to another page of the site is checked again, once, when that
// page was fetched after it, and that the walk waits for the end of this check (E16).
func TestE16NoPageTwice(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	w.web.Pages[root] = runtest.Links("/index.html", "/a", "/b")
	w.web.Pages[root+"index.html"] = runtest.Links("/a")
	w.web.Pages[root+"a"] = runtest.Links("/a/index.html")
	w.web.Pages[root+"a/index.html"] = runtest.Links("/a/index.html")
	w.web.Pages[root+"b"] = runtest.Links("/c", "/d")
	forced := map[string]int{}
	w.Checked = func(it *registry.Item) {
		if it.Forced() {
			forced[it.NormalizedSource]++
			it.AliasOf, it.Status = "url_other", registry.OutOfScope
			it.ReindexRequested = false
		}
		switch it.NormalizedSource {
		case root + "b": // its target is fetched later
			it.HTTPRedirectChain = []string{"301 " + root + "c"}
			it.CanonicalNote = "indexed as a page of its own: it redirects permanently to " + root +
				"c, which has not been fetched yet"
		case root + "d": // it was decided
			it.HTTPCanonicalURL = root
			it.CanonicalNote = "indexed as a page of its own: it names as its canonical address " + root +
				", which has other content"
		}
	}
	w.poll()
	want := map[string]int{root + "b": 1, root + "a/index.html": 1}
	if len(forced) != len(want) || forced[root+"b"] != 1 || forced[root+"a/index.html"] != 1 {
		t.Errorf("checked again: %v, want %v", forced, want)
	}
	if got := w.site("tree").Walk; got.Undecided != 0 || got.Open != 0 {
		t.Errorf("%+v", got)
	}
	w.whole()
}

// TestE16ShorterWay checks that pages beyond a page to which a longer way was found first are found by the shorter one
// (E16).
func TestE16ShorterWay(t *testing.T) {
	w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.Sites[0].Follow.Depth = 3 })
	w.web.Pages[root] = runtest.Links("/a", "/late")
	w.web.Pages[root+"a"] = runtest.Links("/b")
	w.web.Pages[root+"b"] = runtest.Links("/c")
	w.web.Pages[root+"c"] = runtest.Links("/d")
	w.web.Pages[root+"late"] = runtest.Links("/c")
	w.web.Pages[root+"d"] = "the end"
	checks := 0
	w.Held = func(it registry.Item) bool { checks++; return it.NormalizedSource == root+"late" && checks < 40 }
	w.poll()
	same(t, []string{"", "a", "b", "c", "d", "late"}, w.addresses())
}

// TestE16WalkIsHurried checks that a walk goes on as soon as a page that it waits for was fetched, and that pages which
// nobody waits for cost nothing (E16).
func TestE16WalkIsHurried(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	tree(w.rig)
	_, err := w.Tick(t.Context())
	w.Must(err)
	for range 2 { // the second step finds nothing fetched
		for _, m := range w.Messages(sitepoll.Queue) {
			w.Must(w.Step(t.Context(), m))
		}
	}
	if n := len(w.Messages(sitepoll.Queue)); n != 0 {
		t.Fatalf("%d messages are due", n)
	}
	w.FetchDue()
	var fetched []registry.Item
	for _, it := range w.items() {
		fetched = append(fetched, it)
	}
	w.Fetched(t.Context(), fetched)
	due := w.Messages(sitepoll.Queue)
	if len(due) != 1 {
		t.Fatalf("%d messages are due", len(due))
	}
	w.Must(w.Step(t.Context(), due[0]))
	if n := len(w.items()); n < 3 {
		t.Errorf("%d items", n)
	}
	w.Fetched(t.Context(), []registry.Item{{}})
	w.poll()
	w.Fetched(t.Context(), fetched)
	if n := len(w.Messages(sitepoll.Queue)); n != 0 {
		t.Errorf("%d messages after the end", n)
	}
}

// TestE16StalledWalk checks that a walk whose pages are not fetched for an hour ends, says so, and goes on with the
// next poll (E16).
func TestE16StalledWalk(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	tree(w.rig)
	holding := true
	w.Held = func(it registry.Item) bool { return holding && it.NormalizedSource == root+"a" }
	began := w.Clock.Now()
	poll := w.poll()
	if took := w.Clock.Now().Sub(began); took > 2*time.Hour || poll.Note == "" {
		t.Errorf("%s: %q", took, poll.Note)
	}
	holding = false
	w.Clock.Pass(24 * time.Hour)
	w.FetchDue()
	w.poll()
	if n := len(w.items()); n != 8 {
		t.Errorf("%v", w.addresses())
	}
}

// TestE16FeedsDuringAWalk checks that the feeds of a site are read each hour while a walk goes on (E16).
func TestE16FeedsDuringAWalk(t *testing.T) {
	feed := root + "feed.xml"
	w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.Sites[0].Feeds = []string{feed} })
	tree(w.rig)
	w.web.Pages[feed] = `<rss><channel><item><link>` + root + `b</link></item></channel></rss>`
	began := w.Clock.Now()
	w.Held = func(it registry.Item) bool {
		return it.NormalizedSource == root+"a" && w.Clock.Now().Sub(began) < 35*time.Minute ||
			it.NormalizedSource == root+"a/1" && w.Clock.Now().Sub(began) < 65*time.Minute
	}
	w.poll()
	if n := len(w.web.Requests()); n < 2 {
		t.Errorf("the feed was read %d times", n)
	}
}
