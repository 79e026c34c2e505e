package site

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Entry is what a site file says of a site that somebody names by an address.
type Entry struct {
	Slug, Domain string
	Sitemap      string // "" where robots.txt and /sitemap.xml are tried
	Include      string // pattern of the pages that are wanted; "" for all
	Home         string // a page of the site
}

var (
	notSlug = regexp.MustCompile(`[^a-z0-9]+`)
	// mapLike is what the paths of sitemaps and feeds look like.
	mapLike = regexp.MustCompile(`(?i)sitemap|\.(xml|txt)(\.gz)?$`)
)

// ParseAddress reads the address of a page whose scheme may be left out.
func ParseAddress(text string) (source.Source, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	return source.DefaultRules().ParseURL(text)
}

// EntryOf makes an entry of a domain, of the address of a sitemap, or of that of a part of a site, whose pages begin
// with it. Errors are Invalid.
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
		e.Include = "^" + regexp.QuoteMeta(src.Normalized)
	}
	if e.Sitemap == "" && u.Scheme != "https" { // what a site file leaves out is looked for with https
		e.Sitemap = u.Scheme + "://" + u.Host + "/sitemap.xml"
	}
	_, err = Parse(e.Slug, []byte(e.File()))
	return e, err
}

// File is a site file with this entry alone.
func (e Entry) File() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sites:\n  - slug: %s\n    domain: %q\n", e.Slug, e.Domain)
	if e.Sitemap != "" {
		fmt.Fprintf(&b, "    sitemaps: [%q]\n", e.Sitemap)
	}
	if e.Include != "" {
		fmt.Fprintf(&b, "    include: ['%s']\n", strings.ReplaceAll(e.Include, "'", "''"))
	}
	return b.String()
}
