package sitepoll_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// unlinked returns the pages whose items say that nothing links to them any more.
func (w *walker) unlinked() (out []string) {
	for address, it := range w.items() {
		if !it.UnlistedSince.IsZero() {
			out = append(out, strings.TrimPrefix(address, root))
		}
	}
	slices.Sort(out)
	return out
}

// tomorrow fetches what is due a day later, and polls.
func (w *walker) tomorrow() sitepoll.Poll {
	w.Helper()
	w.Clock.Pass(24 * time.Hour)
	w.FetchDue()
	return w.poll()
}

// TestE17Unlinked checks that a page to which nothing links any more is a hint: its item says so and is checked now,
// and nothing is removed; that another page's link is found first; and that a link brings the hint to an end (E17).
func TestE17Unlinked(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		w := newWalker(r, func(*sitepoll.Options) {})
		tree(r)
		w.poll()
		w.web.Pages[root] = runtest.Links("/a", "/print/x")
		if poll := w.tomorrow(); poll.Note != "" || len(w.unlinked()) > 0 {
			t.Errorf("a page links to b: %q, %v", poll.Note, w.unlinked())
		}
		w.web.Pages[root+"a"] = runtest.Links("/", "/a/1", "/a/2")
		poll := w.tomorrow()
		same(t, []string{"b"}, w.unlinked())
		if !strings.Contains(poll.Note, "no page links to 1 page any more") || len(w.items()) != 8 ||
			len(r.web.Requests()) > 0 {
			t.Errorf("%q; %d items", poll.Note, len(w.items()))
		}
		if b := w.items()[root+"b"]; b.Status != registry.Indexed || b.NextCrawlAt.After(w.Clock.Now()) {
			t.Errorf("%s, due at %s", b.Status, b.NextCrawlAt)
		}
		if poll := w.tomorrow(); poll.Note != "" {
			t.Errorf("told again: %q", poll.Note)
		}
		same(t, []string{"b"}, w.unlinked())
		w.web.Pages[root+"print/x"] = runtest.Links("/b")
		w.tomorrow()
		same(t, []string(nil), w.unlinked())
		w.whole()
	})
}

// TestE17LinkedByAliases checks that a link to an alias of a page, such as an address that leads to it, is a link to
// the page, and that one that comes back ends the hint (E17).
func TestE17LinkedByAliases(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		w := newWalker(r, func(*sitepoll.Options) {})
		tree(r)
		w.Checked = func(it *registry.Item) {
			b, known := w.items()[root+"b"]
			if known && it.NormalizedSource == root+"print/x" {
				it.AliasOf, it.Status = b.ID, registry.OutOfScope
				w.Must(w.reg.Aliases.Point(w.Context(), &b, it))
			}
		}
		w.poll()
		home := func(links ...string) sitepoll.Poll {
			w.web.Pages[root] = runtest.Links(append(links, "/a")...)
			return w.tomorrow()
		}
		w.web.Pages[root+"a"] = runtest.Links("/", "/a/1", "/a/2")
		for range 2 {
			if poll := home("/print/x"); poll.Note != "" {
				t.Errorf("a page links to an alias: %q", poll.Note)
			}
		}
		same(t, []string(nil), w.unlinked())
		home()
		same(t, []string{"b"}, w.unlinked())
		home("/print/x")
		same(t, []string(nil), w.unlinked())
		w.whole()
	})
}

// TestE17UnlinkedByGonePages checks that the links of a page that is gone do not count, until it is back (E17).
func TestE17UnlinkedByGonePages(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	tree(w.rig)
	w.poll()
	gone := true
	w.Checked = func(it *registry.Item) {
		if it.NormalizedSource == root+"b" && gone {
			it.Status, it.GoneSince = registry.Gone, w.Clock.Now()
		}
	}
	w.tomorrow()
	same(t, []string{"b/1"}, w.unlinked())
	gone = false
	w.web.Pages[root+"b"] = runtest.Links("/b/1", "/again")
	w.tomorrow()
	same(t, []string(nil), w.unlinked())
}

// TestE17UnlinkedInBulk checks that a site whose first page has lost its links is not believed before a second poll, a
// day later; and that nothing is removed (E17).
func TestE17UnlinkedInBulk(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	links := runtest.Links(runtest.Pages("/page/", 12)...)
	w.web.Pages[root] = links
	for i, address := range runtest.Pages(root+"page/", 12) {
		w.web.Pages[address] = runtest.UniqueText(i)
	}
	w.poll()
	w.web.Pages[root] = "down for maintenance"
	if poll := w.tomorrow(); !strings.Contains(poll.Note, "12 pages") || len(w.unlinked()) > 0 {
		t.Errorf("%q, %v", poll.Note, w.unlinked())
	}
	w.web.Pages[root] = links
	if poll := w.tomorrow(); poll.Note != "" || len(w.unlinked()) > 0 {
		t.Errorf("the links are back: %q, %v", poll.Note, w.unlinked())
	}
	w.web.Pages[root] = "this is the new site"
	w.tomorrow()
	if poll := w.tomorrow(); !strings.Contains(poll.Note, "12 pages") || len(w.unlinked()) != 12 || len(w.items()) != 13 {
		t.Errorf("%q, %v, %d items", poll.Note, w.unlinked(), len(w.items()))
	}
	w.whole()
}

// TestE17UnlinkedFaults checks that the hint is given, and only where it is due, when any single operation of the polls
// fails, before or after it took effect (E17).
func TestE17UnlinkedFaults(t *testing.T) {
	runtest.EachFault(t, 30, 1, func(t *testing.T, f *runtest.Fault) {
		w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.MaxOpen, o.MaxRead = 2, 3 })
		tree(w.rig)
		w.poll()
		w.web.Pages[root], w.web.Pages[root+"a"] = runtest.Links("/a", "/print/x"), runtest.Links("/", "/a/1", "/a/2")
		w.Clock.Pass(24 * time.Hour)
		w.FetchDue()
		w.Hook.Set(f)
		since := w.Clock.Now()
		for range 10 {
			_, _ = w.Tick(w.Context())
			w.walkOn()
			if poll := w.last("tree"); poll != nil && !poll.BeganAt.Before(since) {
				break
			}
			w.Clock.Pass(time.Minute)
		}
		w.Hook.Set(nil)
		same(t, []string{"b"}, w.unlinked())
		w.whole()
	})
}

// TestE17UnlinkedUnread checks that a page whose body is not stored any more keeps its links (E17).
func TestE17UnlinkedUnread(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	tree(w.rig)
	w.poll()
	w.Checked = func(it *registry.Item) {
		if it.NormalizedSource == root+"b" {
			it.RawHash = snapshot.Hash([]byte("nowhere"))
		}
	}
	w.tomorrow()
	same(t, []string(nil), w.unlinked())
}
