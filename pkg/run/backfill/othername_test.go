package backfill_test

import (
	"maps"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// TestX5OtherName checks X5: a run finds a site at its other name, with or without www., when the given name has no
// sitemap or cannot be reached; it does not wait for another name that is not there; and a robots.txt that is refused
// does not hide the sitemap beside it.
func TestX5OtherName(t *testing.T) {
	down := fault.After(4*time.Hour, "%w", &host.UnreachedError{Host: "x.example", Of: "dns", Why: "no such host"})
	for _, domain := range []string{"apex.example", "www.apex.example"} {
		given, other := "https://"+domain, "https://"+source.OtherName(domain)
		two := runtest.URLSet(given+"/1", other+"/2")
		for name, tt := range map[string]struct {
			pages map[string]any
			items int
		}{
			"no sitemap":        {map[string]any{other + "/sitemap.xml": two}, 2},
			"not to be reached": {map[string]any{given + "/robots.txt": down, other + "/sitemap.xml": two}, 2},
			"no sitemap where robots.txt says": {map[string]any{given + "/robots.txt": "Sitemap: /all.xml",
				other + "/sitemap.xml": two}, 2},
			"a sitemap without addresses": {map[string]any{given + "/sitemap.xml": runtest.URLSet(),
				other + "/sitemap.xml": two}, 2},
			"no other name":      {map[string]any{other + "/robots.txt": down}, 0},
			"robots.txt refused": {map[string]any{given + "/robots.txt": 403, given + "/sitemap.xml": two}, 2},
		} {
			t.Run(domain+"/"+name, func(t *testing.T) {
				onStores(t, func(t *testing.T, r *rig) {
					r.restart(func(o *backfill.Options) { o.Sites = site.List{{Slug: "s", Domain: domain, WWW: true}} })
					maps.Copy(r.web.Pages, tt.pages)
					began := r.Clock.Now()
					r.end(r.start(backfill.Request{Sources: []string{"s"}}).ID)
					if n, waited := len(r.items()), r.Clock.Now().Sub(began); n != tt.items || waited > time.Hour {
						t.Errorf("%d items after %v, want %d", n, waited, tt.items)
					}
				})
			})
		}
	}
}
