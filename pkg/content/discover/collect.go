package discover

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"golang.org/x/text/encoding"
)

// collector fills a [Found] within its bounds.
type collector struct {
	Found
	base      string
	most      int
	read      int               // number of entries, including useless and repeated ones
	forbidden bool              // the page forbids following its links
	encoding  encoding.Encoding // of the queries of links; nil for UTF-8
	// omitted counts links that are not followed, by reason.
	omitted []Omitted
	seen    map[string]bool // the address after an "m" for a sitemap or an "l" for a page: the two may be equal
}

func newCollector(kind Kind, base string, most int) *collector {
	return &collector{Found: Found{Kind: kind}, base: base, most: most, seen: map[string]bool{}}
}

// page adds the address of a page.
func (c *collector) page(ref string, mod time.Time, span time.Duration) {
	if url, ok := c.add("l", ref); ok {
		c.Links = append(c.Links, Link{url, mod, span})
	}
}

// sitemap adds the address of a sitemap.
func (c *collector) sitemap(ref string, mod time.Time, span time.Duration) {
	if url, ok := c.add("m", ref); ok {
		c.Maps = append(c.Maps, Link{url, mod, span})
	}
}

// add resolves an address. It returns false if the address is useless or already known, or if a bound is reached.
func (c *collector) add(space, ref string) (url string, ok bool) {
	if !c.count() {
		return "", false
	}
	url, err := c.resolve(ref)
	if err != nil {
		c.note("no usable address: %v", err)
		c.omit(omitUnusable+strings.TrimPrefix(err.Error(), "url: "), ref)
		return "", false
	}
	if url = source.WithoutSession(url); c.seen[space+url] {
		return "", false
	}
	if len(c.seen) >= c.most {
		c.stop(fmt.Sprintf("more than %d addresses", c.most))
		return "", false
	}
	c.seen[space+url] = true
	return url, true
}

// resolve makes an address absolute. Most addresses are already absolute and need no base.
func (c *collector) resolve(ref string) (string, error) {
	ref = encodeQuery(c.mended(trimmed(ref)), c.encoding)
	if strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://") {
		return source.FetchForm(ref)
	}
	return source.ResolveFetchForm(c.base, ref)
}

// trimmed removes what surrounds an address: blanks of all scripts, characters without width that editors insert, and
// quotes and angle brackets, with which no address begins.
func trimmed(ref string) string {
	blank := func(c rune) bool { return unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) }
	ref = strings.TrimFunc(ref, blank)
	for _, quotes := range [...]string{`""`, "''", "“”", "<>"} {
		open, end := quotes[:len(quotes)/2], quotes[len(quotes)/2:]
		if inner, found := strings.CutPrefix(ref, open); found {
			ref = strings.TrimFunc(strings.TrimSuffix(inner, end), blank)
		}
	}
	return ref
}

var (
	// brokenScheme matches a scheme without its colon or a slash.
	brokenScheme = regexp.MustCompile(`^((?i:https?))(?://|:/?)([^/].*)$`)
	// doubledScheme matches a scheme before another one.
	doubledScheme = regexp.MustCompile(`^(?:(?i:https?):?//+)+((?i:https?):?//)`)
)

// mended adds what an address lacks before the name of a host of the document's own site: the colon or a slash of its
// scheme, or the scheme. Another name may be that of a file: browsers take https:a.html for a relative address. It
// drops a scheme before another one.
func (c *collector) mended(ref string) string {
	if len(ref) >= 4 && strings.EqualFold(ref[:4], "http") {
		doubled := doubledScheme.FindStringSubmatchIndex(ref)
		if doubled != nil {
			ref = ref[doubled[2]:]
		}
		if m := brokenScheme.FindStringSubmatch(ref); m != nil && bareHost.MatchString(m[2]+"/") &&
			(doubled != nil || c.isOwn(m[2])) {
			return m[1] + "://" + m[2]
		}
	}
	if c.isOwn(ref) && bareHost.MatchString(ref) {
		scheme, _, _ := strings.Cut(c.base, "://")
		return scheme + "://" + ref
	}
	return ref
}

// isOwn reports whether an address without a scheme names a host of the document's own site.
func (c *collector) isOwn(ref string) bool {
	_, rest, _ := strings.Cut(c.base, "://")
	host, _, _ := strings.Cut(rest, "/")
	named, _, _ := strings.Cut(ref, "/")
	return source.SameSite(strings.ToLower(named), host)
}

// follow records the next page of the list, unless it is known or cannot be resolved.
func (c *collector) follow(ref string) {
	if url, err := c.resolve(ref); err == nil && c.Next == "" {
		c.Next = url
	}
}

// count counts an entry, even a useless or repeated one. It returns false when the bound on the number of entries is
// exceeded.
func (c *collector) count() bool {
	if c.read++; c.read > 2*c.most {
		c.stop(fmt.Sprintf("more than %d entries", 2*c.most))
		return false
	}
	return true
}

// skip counts an entry without an address.
func (c *collector) skip(why string) {
	if c.count() {
		c.note("%s", why)
	}
}

// note counts an omitted entry and records the reason.
func (c *collector) note(format string, args ...any) {
	c.Skipped++
	if len(c.Problems) < maxProblems {
		c.Problems = append(c.Problems, fmt.Sprintf("entry %d: ", c.Entries)+fmt.Sprintf(format, args...))
	}
}

// stop records why reading ends early. The first reason is kept.
func (c *collector) stop(why string) {
	c.Truncated = cmp.Or(c.Truncated, why)
}

// Robots returns the sitemaps that a robots.txt lists. The standard asks for absolute addresses. A relative one is
// resolved against base, the address of the robots.txt. One that begins with the name of a host lacks its scheme.
func Robots(body []byte, base string) Found {
	rules := robots.Parse(body)
	c := newCollector(mapIndex, base, robots.MaxSitemaps)
	scheme, _, _ := strings.Cut(base, ":")
	for _, line := range rules.Sitemaps() {
		for _, ref := range separate(escapedBlanks.ReplaceAllString(line, " ")) {
			c.Entries++
			if bareHost.MatchString(ref) {
				ref = scheme + "://" + ref
			}
			c.sitemap(ref, time.Time{}, 0)
		}
	}
	return c.Found
}

// escapedBlanks matches characters without width around an address, as package robots escapes them.
var escapedBlanks = regexp.MustCompile(`^(?:%E2%80%8[B-F]|%EF%BB%BF)+|(?:%E2%80%8[B-F]|%EF%BB%BF)+$`)

// bareHost matches an address without a scheme: the name of a host, and a path.
var bareHost = regexp.MustCompile(`^[\pL\pN][\pL\pN-]*(\.[\pL\pN-]+)*\.\pL{2,}(:\d+)?/`)

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
