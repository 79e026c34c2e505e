package backfill_test

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// TestX5OtherName checks X5: a run finds a site at its other name, with or without www., when the given name has no
// sitemap or cannot be reached.
func TestX5OtherName(t *testing.T) {
	for domain, sitemap := range map[string]string{
		"apex.example":     "https://www.apex.example/sitemap.xml",
		"www.apex.example": "https://apex.example/sitemap.xml",
	} {
		t.Run(domain, func(t *testing.T) {
			onStores(t, func(t *testing.T, r *rig) {
				r.restart(func(o *backfill.Options) { o.Sites = site.List{{Slug: "s", Domain: domain, WWW: true}} })
				r.web.Pages[sitemap] = runtest.URLSet("https://apex.example/1", "https://www.apex.example/2")
				r.end(r.start(backfill.Request{Sources: []string{"s"}}).ID)
				if n := len(r.items()); n != 2 {
					t.Errorf("%d items, want 2", n)
				}
				began := r.Clock.Now()
				r.web.Pages["https://"+domain+"/robots.txt"] = fault.After(4*time.Hour, "%w", &politeness.RobotsError{Host: domain})
				r.end(r.start(backfill.Request{Sources: []string{"s"}}).ID)
				if waited := r.Clock.Now().Sub(began); waited > time.Hour {
					t.Errorf("the run waited for %v", waited)
				}
			})
		})
	}
}
