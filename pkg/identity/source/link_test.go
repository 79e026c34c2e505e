package source_test

import (
	"net/url"
	"testing"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// TestX6Links checks that the addresses of a page are resolved as browsers resolve them (X6).
func TestX6Links(t *testing.T) {
	base, err := url.Parse("https://port.example/a/b")
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"c":                      "https://port.example/a/c",
		"/c#d":                   "https://port.example/c#d",
		`\c`:                     "https://port.example/c",
		`..\c\d`:                 "https://port.example/c/d",
		`\\other.example\c`:      "https://other.example/c",
		`?q=a\b`:                 `https://port.example/a/b?q=a\b`,
		"https:/c":               "https://port.example/c",
		"https:c":                "https://port.example/a/c",
		"http:/other.example/c":  "http://other.example/c",
		"///other.example/c":     "https://other.example/c",
		"https:///port.example/": "https://port.example/",
		"/c\n\t/d":               "https://port.example/c/d",
		"/100%":                  "https://port.example/100%25",
		"javascript:alert(1)":    "", "mailto:a@port.example": "", "ftp://port.example/": "", `data:\\x`: "", "": "",
	} {
		have := ""
		if u := source.Resolve(base, ref); u != nil {
			have = u.String()
		}
		if have != want {
			t.Errorf("%q: have %q, want %q", ref, have, want)
		}
	}
}
