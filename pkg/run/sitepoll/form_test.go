package sitepoll_test

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// TestX4FormsOfASitemap checks that pages are requested in the form in which the sitemap lists them (X4).
func TestX4FormsOfASitemap(t *testing.T) {
	r := inMemory(t)
	r.web.Pages[aMap] = runtest.URLSet("https://a.example/docs/", "https://a.example/docs/a/", "https://a.example/docs/a",
		"https://a.example/q?z=1&amp;a=2", "https://a.example/s?f[0]=x", "https://a.example/%7Eme/",
		"https://a.example/n?utm_source=x", "https://a.example/plain")
	r.tick("a")
	for address, want := range map[string][2]string{
		"https://a.example/docs":         {"https://a.example/docs/"},
		"https://a.example/docs/a":       {"https://a.example/docs/a/"},
		"https://a.example/q?a=2&z=1":    {"https://a.example/q?z=1&a=2"},
		"https://a.example/s?f%5B0%5D=x": {"https://a.example/s?f[0]=x"},
		"https://a.example/~me":          {"https://a.example/%7Eme/"},
		"https://a.example/n":            {"", "https://a.example/n?utm_source=x"},
		"https://a.example/plain":        {},
	} {
		it, found := r.items()[address]
		if have := [2]string{it.FetchSource, it.FetchTracked}; !found || have != want {
			t.Errorf("%s is requested as %q, want %q", address, have, want)
		}
	}
}
