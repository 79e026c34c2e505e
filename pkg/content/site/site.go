// Package site reads the site file. The file lists the sites that are backfilled. For each site it says where the
// site publishes its pages, which pages are wanted, and how fast each host may be requested (E3, E9; spec 004 ARC-2).
//
// A file that [Parse] accepts can be run unchanged. For any other file, Parse reports all mistakes at once, each with
// its line and with the values that are allowed. The package uses no file system and no clock.
package site

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Sites holds the sites of one file. It does not change after [Parse]. The zero value has no sites.
type Sites struct {
	all    List
	limits map[string]Limits // by domain
}

// Site describes where a site publishes its pages, and which of them are wanted.
type Site struct {
	Slug   string // the site's name in Tidemark: 1 to 64 of a-z, 0-9 and -, unique
	Domain string // host of all pages of the site, in the form of source.Source.Host
	WWW    bool   // pages may also be at Domain with "www." before it, or without

	Start      []string            // addresses of pages of the site, at which a search for others begins
	Sitemaps   []string            // addresses of sitemaps, on any host
	Feeds      []string            // addresses of feeds, on any host
	Archives   []discover.Template // addresses of archive pages, on Domain
	Listings   []Listing           // pages with lists of other pages, on Domain
	Containers []string            // blob containers; their blobs need not be on Domain
	Alternates bool                // also read the translations of pages that sitemaps list

	Follow *api.SiteFollow // how the links of its pages are followed, from the pages of Start; nil if they are not

	Include, Exclude []*regexp.Regexp // patterns for source.Source.Normalized
	Limits           *Limits          // nil for the defaults

	Warning string // what is not as one may expect of its addresses, for people

	File string // the name of the file
	line int    // line in the file
}

// Listing describes a page that lists others, and how to read it. If URL contains {n}, the numbers after the first
// one give the next pages.
type Listing struct {
	URL   discover.Template
	Links string // CSS selector of the links to pages; "" for every link
	Next  string // CSS selector of the link to the next page; "" for rel=next
	Poll  bool   // polls read the page, too, and those that follow it while they list new pages
}

// Limits bound how fast and how much a host may be requested (E3). The pause between the starts of two requests is
// random, from MinDelay to MaxDelay.
type Limits struct {
	MinDelay, MaxDelay time.Duration // at most maxDelay
	MaxConcurrent      int           // requests at the same time, 1 to maxConcurrent

	RequestsPerDay, BytesPerDay Quota // per UTC day; at most [MaxRequests] and [MaxQuota]
	MaxItems                    Quota // registered items; at most [MaxRequests]
}

// Quota is a limit that a site may set. For the zero Quota, the default for every host applies.
type Quota struct {
	Most int64 // the limit; 0 for no limit
	Own  bool
}

// Or returns the limit that the site sets. If the site sets none, Or returns the default, which is the argument.
func (q Quota) Or(every int64) int64 {
	if q.Own {
		return q.Most
	}
	return every
}

// All returns the sites in the order of the file. Callers must not change the slice.
func (s *Sites) All() List { return s.all }

// List is a list of sites.
type List []*Site

// Find returns the site with the given slug, or nil.
func (l List) Find(slug string) *Site {
	for _, site := range l {
		if site.Slug == slug {
			return site
		}
	}
	return nil
}

// Judge returns the reason why no site with the host of a page wants the page, as [Site.Judge] gives it; "" if one
// wants it, or if no site has the host.
func (s *Sites) Judge(u source.Source) (reason string) {
	for _, one := range s.all {
		if !one.holds(u.Host) {
			continue
		}
		if reason = one.Judge(u); reason == "" {
			return ""
		}
	}
	return reason
}

// Limits returns the limits of a host, which must be in the form of source.Source.Host. It returns ok = false if the
// file sets no limits for the host.
func (s *Sites) Limits(host string) (l Limits, ok bool) {
	l, ok = s.limits[host]
	return l, ok
}

// Root returns the address of the site's root: by http if its first page is there, because then the site has no https.
func (s *Site) Root() string {
	if len(s.Start) > 0 && strings.HasPrefix(s.Start[0], "http://") {
		return "http://" + s.Domain + "/"
	}
	return "https://" + s.Domain + "/"
}

// Following returns the site with the links of its pages followed: as it says, or within the default limits from its
// first page.
func (s *Site) Following() *Site {
	out := *s
	if out.Follow == nil {
		out.Follow = complete(api.SiteFollow{})
	}
	if len(out.Start) == 0 {
		out.Start = []string{s.Root()}
	}
	return &out
}

// Near reports whether an address that was found in a document of the site may be read. It may be read if it is on
// the host of the document or of the site. Otherwise an unknown host could choose which hosts are requested.
func (s *Site) Near(address, document string) bool {
	a, err := url.Parse(address)
	if err != nil {
		return false
	}
	d, err := url.Parse(document)
	return err == nil && (strings.EqualFold(a.Host, d.Host) || s.holds(strings.ToLower(a.Host)))
}

// holds reports whether a host has pages of the site.
func (s *Site) holds(host string) bool {
	return host == s.Domain || s.WWW && source.SameSite(host, s.Domain) ||
		s.Follow != nil && slices.Contains(s.Follow.Hosts, host)
}

// Robots returns the address of robots.txt under the site's other name, with or without www. It is asked for when a
// guessed document at the site's domain, its robots.txt or /sitemap.xml, does not lead to pages. Robots returns "" for
// any other document, and for a site that has no other name.
func (s *Site) Robots(document string) string {
	u, err := url.Parse(document)
	if err != nil || !s.WWW || u.Host != s.Domain || u.Path != "/robots.txt" && u.Path != "/sitemap.xml" {
		return ""
	}
	other := source.OtherName(s.Domain)
	if other == "" {
		return ""
	}
	return u.Scheme + "://" + other + "/robots.txt"
}

// SitemapBeside returns the address where a site that names no sitemap usually has one, given that of its robots.txt.
func SitemapBeside(robots string) string {
	return strings.TrimSuffix(robots, "/robots.txt") + "/sitemap.xml"
}

// Named reports whether the site names what polls read beside sitemaps: feeds, polled listings, or links to follow.
func (s *Site) Named() bool {
	return s.Follow != nil || len(s.Feeds) > 0 || slices.ContainsFunc(s.Listings, func(l Listing) bool { return l.Poll })
}

// Judge returns the reason why a page is not wanted: another host, a matching exclude pattern, or no matching include
// pattern. It returns "" if the page is wanted. The reason is short and contains the host or pattern, so that
// refusals can be counted by reason. Files come from containers, and are checked only against the patterns.
func (s *Site) Judge(u source.Source) (reason string) {
	if u.Type == source.URL && !s.holds(u.Host) {
		if source.SameSite(u.Host, s.Domain) {
			return "other host: " + clip(u.Host) + "; add it as a site, or set www: true, to have its pages"
		}
		return "other host: " + clip(u.Host)
	}
	for _, pattern := range s.Exclude {
		if pattern.MatchString(u.Normalized) {
			return "exclude: " + clip(pattern.String())
		}
	}
	for _, pattern := range s.Include {
		if pattern.MatchString(u.Normalized) {
			return ""
		}
	}
	if len(s.Include) > 0 {
		return "no include pattern matches"
	}
	return ""
}

// clip truncates the host or pattern in a reason to a number of bytes.
func clip(text string) string {
	const longest = 100
	return words.Ellipsis(text, longest)
}
