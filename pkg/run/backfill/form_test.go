package backfill_test

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// TestX4FormsOfASitemap checks that pages are requested in the form in which the sitemap lists them (X4).
func TestX4FormsOfASitemap(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet("https://a.example/docs/", "https://a.example/plain")
		r.end(r.start(backfill.Request{Sources: []string{"a"}}).ID)
		for address, want := range map[string]string{
			"https://a.example/docs": "https://a.example/docs/", "https://a.example/plain": "",
		} {
			if it, found := r.items()[address]; !found || it.FetchSource != want {
				t.Errorf("%s is requested as %q, want %q", address, it.FetchSource, want)
			}
		}
	})
}
