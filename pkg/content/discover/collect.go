package discover

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/encoding"

	"github.com/tidemark/tidemark/pkg/identity/source"
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
