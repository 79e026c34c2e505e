package crawl

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/registry"
)

// TestS13ThinPageIsMarked checks S13: a page that is empty without its scripts is indexed and labelled as thin, with
// the reason. The history mentions this once, and the label goes as soon as the page can be read. The hashes are the
// same as ever.
func TestS13ThinPageIsMarked(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		shell := func(version string) page {
			return page{
				body: `<html lang=en><head><title>Tides</title></head><body><div id="root"></div><script src="/` + version +
					`.js"></script></body></html>`,
			}
		}
		r.site.put("/p", shell("1"))
		it := r.first("/p")
		if it.Status != registry.Indexed || !strings.Contains(it.Thin, "application root, <div id=root>,") ||
			told(it) != 1 {
			t.Fatalf("%s, thin %q, told %d times: %+v", it.Status, it.Thin, told(it), it.History)
		}
		hash := it.ContentHash
		r.site.put("/p", shell("2")) // other bytes, the same content
		if it = r.next("/p"); it.Thin == "" || told(it) != 1 || it.ContentHash != hash {
			t.Errorf("again: thin %q, told %d times, %s", it.Thin, told(it), it.ContentHash)
		}
		r.site.put(
			"/p",
			page{
				body: `<html lang=en><head><title>Tides</title></head><body><script src="/3.js"></script></body></html>`,
			},
		)
		if it = r.next("/p"); !strings.Contains(it.Thin, "nothing can be read") || told(it) != 2 ||
			it.ContentHash != hash {
			t.Errorf("another reason for the same content: thin %q, told %d times, %s", it.Thin, told(it),
				it.ContentHash)
		}
		r.site.put(
			"/p",
			page{
				body: `<html lang=en><head><title>Tides</title></head><body><div id="root"><p>High water at noon.</p></div><script src="/3.js"></script></body></html>`,
			},
		)
		if it = r.next("/p"); it.Thin != "" || it.Status != registry.Indexed {
			t.Errorf("rendered: %s, thin %q", it.Status, it.Thin)
		}
	})
}

// told counts the history entries that call the page thin.
func told(it registry.Item) (n int) {
	for _, d := range it.History {
		if d.What == "thin" {
			n++
		}
	}
	return n
}
