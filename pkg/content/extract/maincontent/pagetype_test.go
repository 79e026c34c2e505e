package maincontent

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// H1: TestH1WhatSaysThatItIsAnArticle checks that JSON-LD can declare an article too, and that a page that describes
// several articles is a list of them.
func TestH1WhatSaysThatItIsAnArticle(t *testing.T) {
	for name, tc := range map[string]struct {
		head string
		want bool
	}{
		"published time":    {`<meta property="article:published_time" content="2026-01-02">`, true},
		"JSON-LD":           {`<script type="application/ld+json">{"@type" : ["NewsArticle"]}</script>`, true},
		"with an address":   {`<script type="application/ld+json">{"@type":"https://schema.org/BlogPosting"}</script>`, true},
		"three of them":     {`<script type="application/ld+json">{"@type":"Article","@type":"Article","@type":"Article"}</script>`, false},
		"a discussion":      {`<script type="application/ld+json">{"@type":"Article","@type":"QAPage"}</script>`, false},
		"a script":          {`<script>x = {"@type":"Article"}</script>`, false},
		"another type":      {`<meta property="og:type" content="website">`, false},
		"an archive":        {`<meta property="og:type" content="article"><body class="archive">`, false},
		"cut in the middle": {`<script type="application/ld+json">{"@type":`, false},
	} {
		root, err := html.Parse(strings.NewReader(tc.head + "<p>x"))
		if err != nil {
			t.Fatal(err)
		}
		s := SurveyPage(root, nil, extract.Limits{}.WithDefaults())
		if have := s.pageType.isArticle(); have != tc.want {
			t.Errorf("%s: article %v", name, have)
		}
	}
}
