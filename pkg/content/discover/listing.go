package discover

import (
	"iter"
	"mime"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/policy/robots"
)

// maxListed bounds the links of one listing page.
const maxListed = 5_000

// The selectors that stand for "".
const (
	everyLink = "a[href], area[href]"
	relNext   = "link[rel~=next][href], a[rel~=next][href]"
)

// Listing reads a page that lists others. linksSel and nextSel are CSS selectors (see
// [CheckSelector]); empty ones stand for every link, and for rel=next. An element that is not a link
// itself stands for the links in it. base is the address the page came from in the end; a base
// element in the page is honored. Links into the page itself and into mail and the like are passed
// over.
//
// What the page asks not to be followed is not: all of it by a robots meta element, one link by
// rel=nofollow. Problems says so, which explains a page that gives nothing. The error is
// Invalid: not a web page, too tangled to parse, a bad base or selector.
func Listing(body []byte, contentType, base, linksSel, nextSel string) (Found, error) {
	links, err := selector(linksSel, everyLink)
	if err != nil {
		return Found{}, err
	}
	next, err := selector(nextSel, relNext)
	if err != nil {
		return Found{}, err
	}
	if !isPage(contentType) {
		return Found{}, fault.New(fault.Invalid, "the document is %.80q, not a web page", contentType)
	}
	root := web.Tree(body, contentType)
	if root == nil {
		return Found{}, fault.New(fault.Invalid, "the page is too large or too tangled to parse")
	}
	c := newCollector(HTML, base, maxListed)
	if c.base, err = c.resolve(""); err != nil {
		return Found{}, err
	}
	c.list(goquery.NewDocumentFromNode(root).Selection, links, next)
	return c.Found, nil
}

// list collects from a parsed page.
func (c *collector) list(page *goquery.Selection, links, next goquery.Matcher) {
	self := c.base
	if href, found := page.Find("head base[href]").First().Attr("href"); found {
		if url, err := c.resolve(href); err == nil {
			c.base = url
		}
	}
	if forbidsFollowing(page) {
		c.note("the page forbids following its links (robots nofollow)")
		return
	}
	for a := range linksOf(page.FindMatcher(links)) {
		if href := followed(a); href != "" {
			c.page(href, time.Time{}, 0)
		} else if isNofollow(a) {
			c.skip("a link forbids following it (nofollow)")
		}
		if c.Truncated != "" {
			break
		}
	}
	for a := range linksOf(page.FindMatcher(next)) {
		if href := followed(a); href != "" {
			c.follow(href)
		}
		break // the first one is meant
	}
	if c.Next == self {
		c.Next = ""
	}
}

// linksOf are the links among what was selected, and those within the rest, in document order.
func linksOf(selected *goquery.Selection) iter.Seq[*goquery.Selection] {
	return func(yield func(*goquery.Selection) bool) {
		for _, s := range selected.EachIter() {
			within := s
			if _, isLink := s.Attr("href"); !isLink {
				within = s.Find(everyLink)
			}
			for _, a := range within.EachIter() {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// foreign is an address of another scheme, such as mailto:.
var foreign = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// followed is the address of a link that leads to a page; "" when it leads nowhere or may not be
// followed.
func followed(a *goquery.Selection) string {
	href := strings.TrimSpace(a.AttrOr("href", ""))
	if href == "" || href[0] == '#' || isNofollow(a) {
		return ""
	}
	if scheme := foreign.FindString(href); scheme != "" && !strings.EqualFold(scheme, "http:") &&
		!strings.EqualFold(scheme, "https:") {
		return ""
	}
	return href
}

func isNofollow(a *goquery.Selection) bool {
	return slices.ContainsFunc(strings.Fields(a.AttrOr("rel", "")),
		func(rel string) bool { return strings.EqualFold(rel, "nofollow") })
}

// forbidsFollowing reads the robots meta elements for everybody.
func forbidsFollowing(page *goquery.Selection) bool {
	var values []string
	for _, m := range page.Find("meta[name]").EachIter() {
		if strings.EqualFold(strings.TrimSpace(m.AttrOr("name", "")), "robots") {
			values = append(values, m.AttrOr("content", ""))
		}
	}
	return robots.ParseDirectives(values, "", time.Time{}).NoFollow
}

// isPage reports whether a Content-Type may be that of a web page. Servers that say nothing, or
// text, are believed to mean one.
func isPage(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && media == "" {
		return true
	}
	switch media {
	case "text/html", "application/xhtml+xml", "text/plain", "text/xml", "application/xml":
		return true
	}
	return false
}

// CheckSelector says what is wrong with a CSS selector; nil when nothing is, and for "". The error
// is Invalid.
func CheckSelector(sel string) error {
	_, err := selector(sel, everyLink)
	return err
}

// attributeSelector is a selector in brackets. It may have strings, and a ~ that is not a combinator.
var attributeSelector = regexp.MustCompile(`\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]`)

// selector compiles a selector, or another one for "". goquery itself takes a bad one for one that
// matches nothing.
func selector(sel, otherwise string) (goquery.Matcher, error) {
	if sel == "" {
		sel = otherwise
	}
	compiled, err := cascadia.Compile(sel)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%.100q is not a CSS selector: %.200s", sel, err.Error())
	}
	// For a ~ b every b looks at all siblings before it, so the time is quadratic in what an unknown host sends.
	if strings.Contains(attributeSelector.ReplaceAllString(sel, ""), "~") {
		return nil, fault.New(fault.Invalid, "%.100q: the combinator ~ is not supported; use + or name what contains the "+
			"links", sel)
	}
	return compiled, nil
}
