package discover

import (
	"regexp"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// omitFrames is why pages in an iframe are not followed: most are parts of a page, such as players and forms.
const omitFrames = "pages shown within others (iframe)"

// leading are the elements that show another page without a link.
var leading = matcher(func(n *html.Node) bool {
	switch n.Data {
	case "frame", "iframe":
		return has(n, "src")
	case "meta":
		return has(n, "http-equiv") && has(n, "content")
	}
	return false
})

// refreshURL matches the content of a meta element of the kind refresh that names an address.
var refreshURL = regexp.MustCompile(`(?is)^\s*[\d.]*(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?["']?([^"']+)`)

// lead collects the pages to which a page leads without a link: those of its frames, and the one that follows it after
// a time. It counts those in an iframe. What only browsers without scripts see is passed over.
func (c *collector) lead(page *goquery.Selection) {
	for _, s := range page.FindMatcher(leading).EachIter() {
		src := strings.TrimSpace(s.AttrOr("src", ""))
		switch s.Nodes[0].Data {
		case "iframe":
			if url, err := c.resolve(src); err == nil && foreignScheme(src) == "" {
				c.omit(omitFrames, url)
			}
			continue
		case "meta":
			src = refreshOf(s)
		}
		if address, _, _ := strings.Cut(src, "#"); address != "" && foreignScheme(address) == "" && c.Truncated == "" {
			c.page(address, time.Time{}, 0)
		}
	}
}

// refreshOf returns the address that a meta element of the kind refresh names; "" for another one.
func refreshOf(s *goquery.Selection) string {
	m := refreshURL.FindStringSubmatch(s.AttrOr("content", ""))
	if m == nil || !strings.EqualFold(s.AttrOr("http-equiv", ""), "refresh") || s.Closest("noscript").Length() > 0 {
		return ""
	}
	return strings.TrimSpace(m[1])
}
