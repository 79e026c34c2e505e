package site

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// L7: the generated entry reads as intended.
func TestL7SiteEntry(t *testing.T) {
	for _, tt := range []struct {
		typed string
		want  Entry
	}{
		{"Port.Example", Entry{Slug: "port-example", Domain: "port.example", Home: "https://port.example/"}},
		{"https://port.example/sitemap_index.xml", Entry{Slug: "port-example", Domain: "port.example",
			Sitemap: "https://port.example/sitemap_index.xml", Home: "https://port.example/"}},
		{"port.example/docs/3.11/", Entry{Slug: "port-example", Domain: "port.example",
			Include: `^https://(?:www\.)?port\.example/docs/3\.11`, Home: "https://port.example/docs/3.11"}},
		{"http://localhost:8099", Entry{Slug: "localhost-8099", Domain: "localhost:8099",
			Sitemap: "http://localhost:8099/sitemap.xml", Home: "http://localhost:8099/"}},
		{"port.example/docs/index.html", Entry{Slug: "port-example", Domain: "port.example",
			Include: `^https://(?:www\.)?port\.example/docs/`, Home: "https://port.example/docs/index.html"}},
		{"port.example/index.html", Entry{Slug: "port-example", Domain: "port.example",
			Home: "https://port.example/index.html"}},
		{"port.example/o'brien", Entry{Slug: "port-example", Domain: "port.example",
			Include: `^https://(?:www\.)?port\.example/o'brien`, Home: "https://port.example/o'brien"}},
	} {
		have, err := EntryOf(tt.typed)
		if diff := cmp.Diff(tt.want, have); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +have):\n%s", tt.typed, err, diff)
		}
		sites, err := Parse("x", []byte(have.File()))
		if err != nil {
			t.Errorf("%s: %v\n%s", tt.typed, err, have.File())
			continue
		}
		s := sites.All().Find(have.Slug)
		if s == nil || s.Domain != have.Domain || len(s.Include) > 0 != (have.Include != "") ||
			len(s.Sitemaps) > 0 != (have.Sitemap != "") {
			t.Errorf("%s: read as %+v", tt.typed, s)
		}
	}
}

// L7: TestL7SchemesOfSites checks that a scheme is read as people write it, and is not taken for the name of a host.
func TestL7SchemesOfSites(t *testing.T) {
	for typed, want := range map[string]string{
		"https:port.example":           "https://port.example/",
		"https:/port.example/":         "https://port.example/",
		"https//port.example":          "https://port.example/",
		"https:///port.example":        "https://port.example/",
		"https:\\\\port.example\\docs": "https://port.example/docs",
		"HTTP:port.example":            "http://port.example/",
		"https://https://port.example": "https://port.example/",
		"http://https//port.example":   "https://port.example/",
		" https:port.example":          "https://port.example/",
		"https.example":                "https://https.example/",
		"port.example:8443":            "https://port.example:8443/",
		"port.example/https:x":         "https://port.example/https:x",
		"port.example/?u=http://x/":    "https://port.example/?u=http://x/",
	} {
		if have, err := ParseAddress(typed); err != nil || have.Normalized != want {
			t.Errorf("%q: have %q, %v, want %q", typed, have.Normalized, err, want)
		}
	}
}

// FuzzL7Site checks that any input is refused, or becomes a valid entry.
func FuzzL7Site(f *testing.F) {
	for _, seed := range []string{"port.example", "https://a.example/x'y.xml", "[::1]:80/a\"b", "xn--p1ai.example",
		"https:port.example", "http://https//port.example", `https:\\port.example`,
		"ü.example/ä"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		s, err := EntryOf(typed)
		if err != nil {
			return
		}
		if _, err := Parse("x", []byte(s.File())); err != nil {
			t.Errorf("%q: %v\n%s", typed, err, s.File())
		}
	})
}
