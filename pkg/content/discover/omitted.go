package discover

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// maxOmitted limits the reasons for which links of a page are omitted, and maxExample the length of an example.
const (
	maxOmitted = 20
	maxExample = 500
)

// Omitted counts the links of a page that are not followed for one reason.
type Omitted struct {
	Why     string
	Count   int
	Example string // the address of the first of them
}

// Reasons for omitting a link.
const (
	omitNofollow = "links that forbid following them (nofollow)"
	omitUnusable = "links without a usable address: "
	omitForeign  = "links to no page of the web (mailto:, tel:, javascript: and others)"
)

// omit counts a link that is not followed.
func (c *collector) omit(why, address string) {
	for i := range c.omitted {
		if c.omitted[i].Why == why {
			c.omitted[i].Count++
			return
		}
	}
	if len(c.omitted) < maxOmitted {
		c.omitted = append(c.omitted, Omitted{why, 1, strings.ToValidUTF8(address[:min(len(address), maxExample)], "")})
	}
}

// omitLink counts a link that leads to no page, or may not be followed. One to a place in its own page does neither.
func (c *collector) omitLink(a *goquery.Selection) {
	switch href := trimmed(a.AttrOr("href", "")); {
	case isNofollow(a):
		c.omitForbidden(href)
	case foreignScheme(href) != "":
		c.omit(omitForeign, href)
	}
}

// omitForbidden counts a link that forbids following it, with its absolute address where it has one.
func (c *collector) omitForbidden(href string) {
	c.skip("a link forbids following it (nofollow)")
	if url, err := c.resolve(href); err == nil {
		href = url
	}
	c.omit(omitNofollow, href)
}
