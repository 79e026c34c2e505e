package site

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Entry is an entry of a site file. It is made from the address that a user gives for a site.
type Entry struct {
	Slug, Domain string
	Sitemap      string // address of the sitemap; "" to try robots.txt and /sitemap.xml
	Include      string // pattern of the wanted pages; "" for all
	Home         string // address of a page of the site
}

var (
	notSlug = regexp.MustCompile(`[^a-z0-9]+`)
	// mapLike matches paths that look like those of sitemaps and feeds.
	mapLike = regexp.MustCompile(`(?i)sitemap|\.(xml|txt)(\.gz)?$`)
)

var (
	otherScheme = regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9+.-]*://`)
	// scheme matches the scheme of an address as people write it: also twice, without its colon or without slashes.
	scheme = regexp.MustCompile(`^\s*(?:(?i:https?)(?::|[/\\]{2})[/\\]*)*(?i:(https?))(?::|[/\\]{2})[/\\]*([^/\\].*)$`)
)

// ParseAddress parses the address of a page. The scheme is optional.
func ParseAddress(text string) (source.Source, error) {
	if m := scheme.FindStringSubmatch(text); m != nil {
		text = m[1] + "://" + m[2]
	}
	if !otherScheme.MatchString(text) {
		text = "https://" + text
	}
	return source.DefaultRules().ParseURL(text)
}

// EntryOf returns the entry for an address that a user gives: a domain, a sitemap, or a part of a site. The address
// of a part of a site is the common prefix of its pages. Errors: Invalid.
func EntryOf(text string) (Entry, error) {
	src, err := ParseAddress(text)
	if err != nil {
		return Entry{}, err
	}
	u, err := url.Parse(src.Normalized)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{
		Slug:   strings.Trim(words.Clip(notSlug.ReplaceAllString(src.Host, "-"), 64), "-"),
		Domain: src.Host, Home: src.Normalized,
	}
	switch {
	case mapLike.MatchString(u.Path):
		e.Sitemap, e.Home = src.Normalized, u.Scheme+"://"+u.Host+"/"
	case strings.Trim(u.Path, "/") != "":
		rest := strings.TrimPrefix(strings.TrimPrefix(src.Normalized, u.Scheme+"://"), "www.")
		e.Include = "^" + u.Scheme + `://(?:www\.)?` + regexp.QuoteMeta(rest)
	}
	if e.Sitemap == "" && u.Scheme != "https" { // if the file names no sitemap, the sitemap is requested by https
		e.Sitemap = u.Scheme + "://" + u.Host + "/sitemap.xml"
	}
	_, err = Parse(e.Slug, []byte(e.File()))
	return e, err
}

// File returns a site file with only this entry. People type the bare domain of a site that lives at www, and the other
// way round, so both names are the site's.
func (e Entry) File() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sites:\n  - slug: %s\n    domain: %q\n    www: true\n", e.Slug, e.Domain)
	if e.Sitemap != "" {
		fmt.Fprintf(&b, "    sitemaps: [%q]\n", e.Sitemap)
	}
	if e.Include != "" {
		fmt.Fprintf(&b, "    include: ['%s']\n", strings.ReplaceAll(e.Include, "'", "''"))
	}
	return b.String()
}
