package crawl

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestW2WhichPagesAreThere checks that the feed says when a page leaves the index and why, when it comes back, and when
// it is removed, each once (W2).
func TestW2WhichPagesAreThere(t *testing.T) {
	for name, tt := range map[string]struct {
		out page
		why string
	}{
		"noindex":  {text("v1").set("X-Robots-Tag", "noindex"), "noindex"},
		"an alias": {page{body: "<html lang=en><link rel=canonical href=/other><p>v1"}, "other"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", text("v1"))
			r.site.put("/other", text("v1"))
			r.first("/other")
			r.first("/p")
			r.site.put("/p", tt.out)
			for range 3 {
				r.next("/p")
			}
			if it := r.item("/p"); it.Status != registry.OutOfScope || it.LeftAt.IsZero() {
				t.Fatalf("%s, left at %s", it.Status, it.LeftAt)
			}
			r.look("/p") // asked for again
			r.site.put("/p", text("v1"))
			for range 2 {
				r.next("/p")
			}
			r.remove("/p")
			r.mustWork()
			var kinds []string
			for c, err := range r.feed.Oldest(t.Context(), feed.Position{}) {
				must(t, err)
				if !strings.HasSuffix(c.URL, "/p") || c.Small == nil || c.Small.Why != feed.SmallIndex {
					continue
				}
				if kinds = append(kinds, string(c.Kind)); c.Kind == feed.ItemLeft && !strings.Contains(c.Why, tt.why) {
					t.Errorf("it left because %q", c.Why)
				}
			}
			if have := strings.Join(kinds, " "); have != "left returned removed" {
				t.Errorf("have %s", have)
			}
		})
	}
}

// TestW2KeptOutFromTheFirst checks that a page that was never in the index does not leave it, and says when it arrives.
func TestW2KeptOutFromTheFirst(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").set("X-Robots-Tag", "noindex"))
	r.first("/p")
	r.site.put("/p", text("v1"))
	r.next("/p")
	if have := r.told(); have != "new returned" {
		t.Errorf("have %s", have)
	}
}
