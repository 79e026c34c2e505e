package crawl

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/registry"
)

// shellError is the answer of an application, with status 200, when it has nothing to show.
var shellError = page{body: `<title>Harbour</title><main><h2>Something went wrong</h2><p>Please try again later.</p></main>`}

// TestH10FailureIsNoContent checks that a page that turns into an error message with status 200 fails its check: the
// index keeps its content, nothing is stored, and the item describes the answer. When the page is back, nothing has
// changed.
func TestH10FailureIsNoContent(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", text("v1"))
		before := r.first("/p")
		r.site.put("/p", shellError)
		it := r.next("/p")
		const why = "HTTP 200, but an error page came instead of the page: “Something went wrong”"
		if !strings.Contains(it.ErrorMessage, why) || it.CrawlAttempts != 1 || r.index.holds(it) != "v1" ||
			len(r.captures("/p")) != 1 || it.ContentHash != before.ContentHash {
			t.Fatalf("%s %q, %d attempts, the index has %q", it.Status, it.ErrorMessage, it.CrawlAttempts, r.index.holds(it))
		}
		r.site.put("/p", text("v1"))
		if it = r.next("/p"); it.Status != registry.Indexed || it.ErrorMessage != "" ||
			!it.LastChanged.Equal(before.LastChanged) {
			t.Errorf("back: %s %q, changed %v", it.Status, it.ErrorMessage, it.LastChanged)
		}
	})
}

// TestH10FailureAtFirstSight checks that an error message at the first check is not stored, and that a forced check
// accepts it as the page.
func TestH10FailureAtFirstSight(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", shellError)
	it := r.first("/p")
	if !strings.Contains(it.ErrorMessage, "an error page") || it.ContentHash != "" || len(r.captures("/p")) != 0 {
		t.Fatalf("%s %q, %d captures", it.Status, it.ErrorMessage, len(r.captures("/p")))
	}
	if it = r.force("/p"); it.Status != registry.Indexed || it.ErrorMessage != "" {
		t.Fatalf("forced: %s %q", it.Status, it.ErrorMessage)
	}
	r.site.put("/p", page{body: shellError.body + "<!-- other bytes -->"})
	if it = r.next("/p"); it.Status != registry.Indexed || it.ErrorMessage != "" {
		t.Errorf("known: %s %q", it.Status, it.ErrorMessage)
	}
}
