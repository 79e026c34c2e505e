package discover

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/policy/robots"
)

// maxListed limits the number of links from one listing page.
const maxListed = 5_000

// maxFollowed limits the number of links from one page of a walk. Contents of manuals have more than 5,000.
const maxFollowed = 20_000

// The default selectors.
var (
	everyLink = matcher(func(n *html.Node) bool { return (n.Data == "a" || n.Data == "area") && has(n, "href") })
	relNext   = cascadia.MustCompile("link[rel~=next][href], a[rel~=next][href]")
)

// Listing reads a page that lists other pages. The CSS selectors linksSel and nextSel (see [CheckSelector]) select
// the links and the link to the next page. By default, they select every link and rel=next. If a selected element is
// not a link, the links in it are used. The base argument is the final address of the page; a base element in the
// page takes precedence. Listing ignores links within the page and links with other schemes, such as mailto.
//
// Listing does not follow links if the page forbids it, with a robots meta element for the whole page or with
// rel=nofollow for one link. Problems reports these cases, to explain why a page has no links. Errors: Invalid for a
// body that is not a web page or too deeply nested to parse, and for a bad base or selector.
func Listing(body []byte, contentType, base, linksSel, nextSel string) (Found, error) {
	links, err := selector(linksSel, everyLink)
	if err != nil {
		return Found{}, err
	}
	next, err := selector(nextSel, relNext)
	if err != nil {
		return Found{}, err
	}
	root, err := parse(body, contentType)
	if err != nil {
		return Found{}, err
	}
	c, err := listed(root, contentType, base, links, next, maxListed)
	if err != nil {
		return Found{}, err
	}
	return c.Found, nil
}

// parse parses a web page. Errors: Invalid for another type, and for a page that is too deeply nested.
func parse(body []byte, contentType string) (*html.Node, error) {
	if !IsPage(contentType) {
		return nil, fault.New(fault.Invalid, "the document is %.80q, not a web page", contentType)
	}
	root := web.Tree(body, contentType)
	if root == nil {
		return nil, fault.New(fault.Invalid, "the page is too large or too tangled to parse")
	}
	return root, nil
}

// listed returns at most so many links of a parsed page, and the next page unless next is nil. Errors: Invalid for a
// bad base.
func listed(root *html.Node, contentType, base string, links, next goquery.Matcher, most int) (*collector, error) {
	c := newCollector(htmlKind, base, most)
	c.encoding = queryEncoding(root, contentType)
	address, err := c.resolve("")
	if err != nil {
		return nil, err
	}
	c.base = address
	c.list(goquery.NewDocumentFromNode(root).Selection, links, next)
	return c, nil
}

// list collects the links and the next page from a parsed page.
func (c *collector) list(page *goquery.Selection, links, next goquery.Matcher) {
	self := c.base
	c.rebase(page)
	if c.forbidden = forbidsFollowing(page); c.forbidden {
		c.note("the page forbids following its links (robots nofollow)")
		return
	}
	met := map[string]bool{} // pages of manuals link to hundreds of places of the same few pages
	for a := range linksOf(page.FindMatcher(links)) {
		href, _, _ := strings.Cut(followed(a), "#")
		switch {
		case href == "":
			c.omitLink(a)
		case met[href]:
			c.count()
		default:
			met[href] = true
			c.page(href, time.Time{}, 0)
		}
		if c.Truncated != "" {
			break
		}
	}
	if next == nil {
		return
	}
	for a := range linksOf(page.FindMatcher(next)) {
		if href := followed(a); href != "" {
			c.follow(href)
		}
		break // use only the first one
	}
	if c.Next == self {
		c.Next = ""
	}
}

// rebase applies the base element of a page.
func (c *collector) rebase(page *goquery.Selection) {
	if href, found := page.FindMatcher(headBase).First().Attr("href"); found {
		if url, err := c.resolve(href); err == nil {
			c.base = url
		}
	}
}

// linksOf returns, in document order, the selected links, and the links within other selected elements.
func linksOf(selected *goquery.Selection) iter.Seq[*goquery.Selection] {
	return func(yield func(*goquery.Selection) bool) {
		for _, s := range selected.EachIter() {
			within := s
			if _, isLink := s.Attr("href"); !isLink {
				within = s.FindMatcher(everyLink)
			}
			for _, a := range within.EachIter() {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// foreign matches an address with a scheme, such as mailto:.
var foreign = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// followed returns the address of a link to a page, or "" if the link leads to no page or may not be followed.
func followed(a *goquery.Selection) string {
	href := strings.TrimSpace(a.AttrOr("href", ""))
	if href == "" || href[0] == '#' || isNofollow(a) {
		return ""
	}
	if foreignScheme(href) != "" {
		return ""
	}
	return href
}

// foreignScheme returns the scheme of an address that is not of the web, such as mailto:.
func foreignScheme(href string) string {
	scheme := foreign.FindString(href)
	if strings.EqualFold(scheme, "http:") || strings.EqualFold(scheme, "https:") {
		return ""
	}
	return scheme
}

func isNofollow(a *goquery.Selection) bool {
	return slices.ContainsFunc(strings.Fields(a.AttrOr("rel", "")),
		func(rel string) bool { return strings.EqualFold(rel, "nofollow") })
}

// forbidsFollowing reports whether a robots meta element for all crawlers forbids following links.
func forbidsFollowing(page *goquery.Selection) bool {
	var values []string
	for _, m := range page.FindMatcher(namedMeta).EachIter() {
		if strings.EqualFold(strings.TrimSpace(m.AttrOr("name", "")), "robots") {
			values = append(values, m.AttrOr("content", ""))
		}
	}
	return robots.ParseDirectives(values, "", time.Time{}).NoFollow
}

// IsPage reports whether a Content-Type may be that of a web page. A missing type and plain text are accepted.
func IsPage(contentType string) bool {
	switch web.DeclaredType(contentType) {
	case "", "text/html", "application/xhtml+xml", "text/plain", "text/xml", "application/xml":
		return true
	}
	return false
}

// CheckSelector checks a CSS selector; "" is valid. Errors: Invalid.
func CheckSelector(sel string) error {
	_, err := selector(sel, everyLink)
	return err
}

// attributeSelector matches an attribute selector with its brackets. The brackets may contain strings, and a ~ that
// is not a combinator.
var attributeSelector = regexp.MustCompile(`\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]`)

// selector compiles the CSS selector sel, or the default one if sel is "". It exists because goquery reports no
// error for a bad selector, which then matches nothing.
func selector(sel string, otherwise goquery.Matcher) (goquery.Matcher, error) {
	if sel == "" {
		return otherwise, nil
	}
	compiled, err := cascadia.Compile(sel)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%.100q is not a CSS selector: %.200s", sel, err.Error())
	}
	// For the selector "a ~ b", every b checks all siblings before it. That takes quadratic time on a page from an
	// unknown host.
	if strings.Contains(attributeSelector.ReplaceAllString(sel, ""), "~") {
		return nil, fault.New(fault.Invalid, "%.100q: the combinator ~ is not supported; use + or name what contains the "+
			"links", sel)
	}
	return compiled, nil
}
