package discover

import (
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// matchers are the matchers with the selectors that select the same elements.
var matchers = map[string]matcher{
	"a[href], area[href]": everyLink, "meta[name]": namedMeta, "title": titles, "head base[href]": headBase,
}

// FuzzMatchers checks that a matcher selects, matches and filters what a compiled selector does.
func FuzzMatchers(f *testing.F) {
	for _, seed := range []string{
		`<base href=/x><title>T</title><meta name=robots><a href=/a>A</a><a>B</a><map><area href=/b></map>`,
		`<body><base href=/y><svg><title>S</title><a xlink:href=/c href>C</a></svg><template><a href=/d>`,
		`<head><base><base target=x HREF=/z><noscript><meta NAME=a></noscript></head><frameset><A HREF=e>`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, page string) {
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			return
		}
		doc := goquery.NewDocumentFromNode(root)
		for css, m := range matchers {
			want := doc.Find(css)
			if have := doc.FindMatcher(m); !slices.Equal(want.Nodes, have.Nodes) {
				t.Errorf("%s: %d elements, want %d, in %q", css, have.Length(), want.Length(), page)
			}
			every := doc.Find("*")
			if have := every.FilterMatcher(m); !slices.Equal(every.Filter(css).Nodes, have.Nodes) {
				t.Errorf("%s: filters %d elements of %q", css, have.Length(), page)
			}
		}
	})
}
