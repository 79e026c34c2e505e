package crawl

import (
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestJ5TagsAreIndexed checks that tags that are set at any time are soon in the index, that only stored content is
// used for that, and that the page's next check is not moved.
func TestJ5TagsAreIndexed(t *testing.T) {
	set := func(r *rig) {
		_, err := r.reg.Items.Set(t.Context(), r.item("/p").ID, registry.Settings{Tags: []string{"tides"}})
		must(t, err)
	}
	paused := true
	for _, tc := range []struct {
		name  string
		do    func(r *rig)
		asked int // requests for the page
	}{
		{"at rest", set, 0},
		{"while the index is down", func(r *rig) {
			set(r)
			r.index.down = errIndexDown
			r.sweepAfter(time.Minute)
			r.index.down = nil
			r.clock.pass(time.Hour)
		}, 0},
		{"while it is paused", func(r *rig) {
			_, err := r.reg.Items.Set(t.Context(), r.item("/p").ID, registry.Settings{Paused: &paused})
			must(t, err)
			set(r)
		}, 0},
		{"while it is checked", func(r *rig) {
			r.due("/p")
			r.site.before = func(string) { r.site.before = nil; set(r) }
			r.mustWork()
		}, 1},
		{"with a registration", func(r *rig) {
			r.reg.Items.Register(t.Context(), []source.Source{r.source("/p")},
				registry.RegisterOptions{Settings: registry.Settings{Tags: []string{"tides"}}})
		}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", text("v1").etag("1"))
			next := r.first("/p").NextCrawlAt
			r.site.asked()
			tc.do(r)
			for range 3 {
				r.sweepAfter(time.Minute)
			}
			if have := r.put("/p").Tags; !slices.Equal(have, []string{"tides"}) {
				t.Errorf("the index has the tags %q", have)
			}
			if asked := r.site.asked(); len(asked) != tc.asked {
				t.Errorf("the site was asked for %q", asked)
			}
			it := r.item("/p")
			if it.IndexPending || !it.Paused && tc.asked == 0 && !it.NextCrawlAt.Equal(next) ||
				it.Paused && !it.NextCrawlAt.Equal(registry.Never) {
				t.Errorf("pending %v, next check at %s, which was to be at %s", it.IndexPending, it.NextCrawlAt, next)
			}
		})
	}
}
