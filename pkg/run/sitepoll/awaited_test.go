package sitepoll_test

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"golang.org/x/net/html"
)

// TestE16PagesOfTheCrawl checks that a walk takes the links of a page from the crawl of this process, with the
// directives of its headers, and that it reads the stored body if the crawl has passed nothing (E16).
func TestE16PagesOfTheCrawl(t *testing.T) {
	awaited := discover.NewAwaited()
	w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.Awaited = awaited })
	w.web.Pages[root] = runtest.Links("/stored")
	w.web.Pages[root+"a"], w.web.Pages[root+"b"] = runtest.Links("/c"), runtest.Links("/d")
	w.Checked = func(it *registry.Item) {
		at := strings.TrimPrefix(it.NormalizedSource, root)
		pass := func(robots ...string) func(*html.Node) {
			return awaited.Reader(it.ID, it.RawHash, "text/html", it.HTTPFinalURL, robots)
		}
		switch at {
		case "":
			pass()(web.Tree([]byte(runtest.Links("/a", "/b")), "text/html"))
		case "a":
			pass("nofollow")(web.Tree([]byte(runtest.Links("/c")), "text/html"))
		}
	}
	w.poll()
	same(t, []string{"", "a", "b", "d"}, w.addresses())
}
