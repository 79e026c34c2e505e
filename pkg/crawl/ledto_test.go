package crawl

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
)

// TestA16LedTo checks A16: a page that another address shows only by a redirect for now, by a refresh or as the index
// page of its folder is one item in the end, whichever address is checked first. Pages that differ stay two.
func TestA16LedTo(t *testing.T) {
	stub := page{body: `<html lang=en><meta http-equiv=refresh content="0;url=/b">One moment.`}
	for _, tt := range []struct {
		name, a, b string
		page       page
		one        bool
	}{
		{"redirect for now", "/a", "/b", to(302, "/b"), true},
		{"refresh", "/a", "/b", stub, true},
		{"index page", "/b/index.html", "/b", text("v1"), true},
		{"other index page", "/b/index.html", "/b", text("v2"), false},
		{"other name", "/b/start.html", "/b", text("v1"), false},
	} {
		for order, batches := range map[string][][]string{
			"at once": {{tt.a, tt.b}}, "that first": {{tt.b}, {tt.a}}, "this first": {{tt.a}, {tt.b}},
		} {
			t.Run(tt.name+", "+order, func(t *testing.T) {
				r := newRig(t)
				r.site.put(tt.a, tt.page)
				r.site.put("/b", text("v1"))
				for _, paths := range batches {
					r.register(false, paths...)
					r.mustWork()
				}
				if order == "this first" { // registering the other one asks for this check
					must(t, r.reg.Items.ForceCheck(t.Context(), r.item(tt.a)))
				}
				r.sweepAfter(11 * time.Minute)
				it := r.item(tt.a)
				if one := r.aliasOf(it) == tt.b && it.Status == outOfScope; one != tt.one {
					t.Errorf("%s, alias of %q (%s)", it.Status, r.aliasOf(it), it.CanonicalNote)
				}
				if other := r.item(tt.b); other.Status != registry.Indexed {
					t.Errorf("the other: %s", other.Status)
				}
			})
		}
	}
}
