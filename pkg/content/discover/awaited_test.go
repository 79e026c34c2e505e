package discover

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// passed has a body read as the crawl does, and returns what a walk gets of it.
func passed(t *testing.T, a Awaited, id source.ID, body []byte, contentType string) *Page {
	t.Helper()
	const base = "https://a.example/b/c"
	seen := a.Reader(id, "sum", contentType, base, []string{"noindex"})
	tree := func(root *html.Node, _ jsonld.Data) {
		if seen != nil {
			seen(root)
		}
	}
	if _, err := web.Extract(body, contentType, base, extract.Limits{Tree: tree}); err != nil {
		t.Fatal(err)
	}
	page, robots := a.Page(id, "sum", base)
	if page != nil && (len(robots) != 1 || robots[0] != "noindex") {
		t.Errorf("the headers are %q", robots)
	}
	return page
}

// TestE16AwaitedPages checks that what the crawl passes of a page to a walk is what the walk would read of its stored
// body, and that nothing is passed of other pages, other bytes, or a document that is no page (E16).
func TestE16AwaitedPages(t *testing.T) {
	files, err := filepath.Glob("../extract/web/testdata/*.html")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d pages: %v", len(files), err)
	}
	a := NewAwaited()
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		id := source.ID(file)
		if passed(t, a, id, body, "text/html") != nil {
			t.Errorf("%s is not awaited", file)
		}
		a.Await(id)
		want, err := ReadPage(body, "text/html", "https://a.example/b/c")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, passed(t, a, id, body, "text/html")); diff != "" {
			t.Errorf("%s: -want +have\n%s", file, diff)
		}
		if page, _ := a.Page(id, "other", "https://a.example/b/c"); page != nil {
			t.Errorf("%s: other bytes have its links", file)
		}
		if page, _ := a.Page(id, "sum", "https://a.example/"); page != nil {
			t.Errorf("%s: another address has its links", file)
		}
	}
	for contentType, body := range map[string]string{"text/markdown": "[a](/b)", "application/json": `{"a":"<a href=/b>"}`,
		"text/html": strings.Repeat("<b>", 300_000)} {
		a.Await("x")
		if page := passed(t, a, "x", []byte(body), contentType); page != nil {
			t.Errorf("%s: %+v", contentType, page)
		}
	}
}

// TestE16AwaitedIsBounded checks that pages which are not fetched by a walk do not fill the memory (E16).
func TestE16AwaitedIsBounded(t *testing.T) {
	var body strings.Builder
	const links, length = 500, 1000
	for i := range links {
		fmt.Fprintf(&body, "<a href=/%0*d>", length, i)
	}
	const base = "https://a.example/b/c"
	a, kept, root := NewAwaited(), 0, web.Tree([]byte(body.String()), "text/html")
	const pages = 40
	for i := range pages {
		id := source.ID(fmt.Sprint(i))
		a.Await(id)
		a.Reader(id, "sum", "text/html", base, nil)(root)
	}
	for i := range pages {
		if page, _ := a.Page(source.ID(fmt.Sprint(i)), "sum", base); page != nil {
			kept++
		}
	}
	if most := awaitedBytes / (links * length); kept == 0 || kept > most || kept == pages {
		t.Errorf("%d pages are kept, want at most %d", kept, most)
	}
	var none Awaited
	none.Await("x")
	if page, _ := none.Page("x", "sum", ""); page != nil || none.Reader("x", "sum", "text/html", "", nil) != nil {
		t.Error("nothing is awaited")
	}
}

// TestE16AwaitedIsStored checks that a page that the crawl has read counts as one to take when its item is stored, and
// only then (E16).
func TestE16AwaitedIsStored(t *testing.T) {
	a := NewAwaited()
	a.Commit("a")
	a.Await("a")
	a.Commit("a")
	if a.Has("a") {
		t.Error("a page is there before it was read")
	}
	if passed(t, a, "a", []byte("<!doctype html><a href=/b>b</a>"), "text/html") == nil || a.Has("a") {
		t.Error("the item of a page counts as stored before it is")
	}
	if a.Commit("a"); !a.Has("a") {
		t.Error("the item of a page is stored, and does not count as such")
	}
	Awaited{}.Commit("a")
}
