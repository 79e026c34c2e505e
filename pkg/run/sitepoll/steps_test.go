package sitepoll_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// steps performs the steps that are to be done now, and returns their number.
func (w *walker) steps() (n int) {
	w.Helper()
	for range 20 {
		for _, m := range w.Messages(sitepoll.Queue) {
			w.Must(w.Step(w.Context(), m))
			n++
		}
	}
	return n
}

// TestE16NoStepInVain checks that a walk performs one step when pages were fetched, and then waits for the next ones
// (E16).
func TestE16NoStepInVain(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	tree(w.rig)
	_, err := w.Tick(w.Context())
	w.Must(err)
	for level, open := range []int{1, 3, 3} {
		if n := w.steps(); n != 1 || w.site("tree").Walk.Open != open {
			t.Errorf("level %d: %d steps, %+v", level, n, w.site("tree").Walk)
		}
		if note := w.site("tree").Now.Note; !strings.Contains(note, "waits until the crawl has fetched") {
			t.Errorf("level %d: %q", level, note)
		}
		w.FetchDue()
		w.Clock.Pass(2 * time.Second)
	}
}

// TestE16FetchedBehindOthers checks that a step reads the links of a page that the crawl of this process has fetched
// before many others that were registered earlier (E16).
func TestE16FetchedBehindOthers(t *testing.T) {
	awaited := discover.NewAwaited()
	w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.Awaited, o.MaxRead = awaited, 1 })
	all := apart(200)
	last := all[len(all)-1]
	w.web.Pages[root] = runtest.Links(all...)
	w.web.Pages[root+last[1:]] = runtest.Links("/found")
	w.Held = func(it registry.Item) bool {
		return slices.Contains(all[:199], "/"+strings.TrimPrefix(it.NormalizedSource, root))
	}
	w.Checked = func(it *registry.Item) {
		if read := awaited.Reader(it.ID, it.RawHash, "text/html", it.HTTPFinalURL, nil); read != nil {
			read(web.Tree([]byte(w.Body(it.NormalizedSource)), "text/html"))
			awaited.Commit(it.ID)
		}
	}
	_, err := w.Tick(w.Context())
	w.Must(err)
	for range 3 {
		w.steps()
		w.FetchDue()
		w.Clock.Pass(2 * time.Second)
	}
	if !slices.Contains(w.addresses(), "found") {
		t.Errorf("%d pages, and not what the last one links to: %+v", len(w.addresses()), w.site("tree").Walk)
	}
}

// TestE17ComparedBesideNewPages checks that pages are compared whose turn comes while a step has enough new pages to
// read (E17).
func TestE17ComparedBesideNewPages(t *testing.T) {
	w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.MaxRead = 1 })
	all := apart(200)
	w.web.Pages[root] = runtest.Links(all...)
	for _, path := range all {
		w.web.Pages[root+path[1:]] = "no links"
	}
	w.poll()
	w.web.Pages[root] = runtest.Links(append([]string{"/new/x", "/newer/x", "/newest/x"}, all...)...)
	for _, path := range []string{"new/x", "newer/x", "newest/x"} {
		w.web.Pages[root+path] = "no links"
	}
	w.web.Pages[root+all[199][1:]] = runtest.Links("/found")
	w.Clock.Pass(24 * time.Hour)
	w.FetchDue()
	_, err := w.Tick(w.Context())
	w.Must(err)
	for range 50 {
		for _, m := range w.Messages(sitepoll.Queue) {
			w.Must(w.Step(w.Context(), m))
			w.FetchDue()
		}
		w.Clock.Pass(2 * time.Second)
	}
	if !slices.Contains(w.addresses(), "found") {
		t.Errorf("what a changed page links to is not found: %+v", w.site("tree").Walk)
	}
}

// apart returns paths of so many groups, so that none waits for others.
func apart(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("/%c%c/x", 'a'+i/26, 'a'+i%26))
	}
	return out
}
