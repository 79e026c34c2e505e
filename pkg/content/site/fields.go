package site

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pattern"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"go.yaml.in/yaml/v3"
)

// site reads one site.
func (r *reader) site(n node) *Site {
	s := &Site{line: n.Line, File: r.name}
	r.fields(n, fieldReaders{
		"slug":       into(&s.Slug, r.slug),
		"domain":     into(&s.Domain, r.domain),
		"www":        into(&s.WWW, r.truth),
		"start":      into(&s.Start, texts(r, address)),
		"sitemaps":   into(&s.Sitemaps, texts(r, address)),
		"feeds":      into(&s.Feeds, texts(r, address)),
		"archives":   into(&s.Archives, texts(r, discover.ParseTemplate)),
		"listings":   func(n node) { r.list(n, maxEntries, func(n node) { s.Listings = append(s.Listings, r.listing(n)) }) },
		"containers": into(&s.Containers, texts(r, container)),
		"follow":     into(&s.Follow, r.follow),
		"alternates": into(&s.Alternates, r.truth),
		"include":    into(&s.Include, texts(r, expression)),
		"exclude":    into(&s.Exclude, texts(r, expression)),
		"limits":     into(&s.Limits, r.limits),
	}, "slug", "domain")
	r.checkHosts(s, n)
	s.Warning = routeIn(n.Node)
	return s
}

// routeIn returns the warning of the first address that has a route: neither a request nor a pattern sees one.
func routeIn(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && otherScheme.MatchString(n.Value) {
		return source.RouteWarning(n.Value)
	}
	for _, part := range n.Content {
		if warning := routeIn(part); warning != "" {
			return warning
		}
	}
	return ""
}

var slugForm = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

func (r *reader) slug(n node) string {
	slug, ok := r.text(n)
	if ok && !slugForm.MatchString(slug) {
		r.bad(n, "is %q; write 1 to 64 characters of a-z, 0-9 and -", clip(slug))
	}
	return slug
}

// domain reads a host in the form of source.Source.Host. The host has a port unless it uses the default port.
func (r *reader) domain(n node) (host string) {
	if text, ok := r.text(n); ok {
		var err error
		host, err = hostName(text)
		r.check(n, err)
	}
	return host
}

// hostName returns a host in the form of source.Source.Host.
func hostName(text string) (string, error) {
	host := hostOf("http://" + text + "/")
	if strings.ContainsAny(text, "/\\?#@ ") || host == "" || host != hostOf("https://"+text+"/") {
		return "", fmt.Errorf("is %q; write one host such as port.example, with a port only if it is neither 80 nor 443",
			clip(text))
	}
	return host, nil
}

// hostOf returns the host of an address, or "".
func hostOf(address string) string {
	s, err := source.Rules{}.ParseURL(address)
	if err != nil {
		return ""
	}
	return s.Host
}

var withUser = regexp.MustCompile(`^[a-zA-Z]+:[/\\]*[^/\\?#]*@`)

// address returns an absolute address in the form in which it is requested. It refuses an address with a user name:
// site files contain no secrets, and without the user name the request would be another one.
func address(text string) (string, error) {
	if withUser.MatchString(text) {
		return "", errors.New("holds a user name or password; site files name public addresses only")
	}
	form, err := source.FetchForm(text)
	if err != nil {
		return "", fmt.Errorf("is %q; write an address such as https://port.example/sitemap.xml (%w)", clip(text), err)
	}
	return form, nil
}

// container returns the address of a blob container. The path of this address is the name of the container.
func container(text string) (string, error) {
	form, err := address(text)
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(form, "://")
	if _, path, _ := strings.Cut(rest, "/"); path == "" || strings.Contains(path, "?") {
		return "", fmt.Errorf("is %q; write the address of a container such as "+
			"https://account.blob.core.windows.net/reports, without a query", clip(text))
	}
	return form, nil
}

// listing reads the description of a page that lists others.
func (r *reader) listing(n node) (l Listing) {
	before := r.count
	r.fields(n, fieldReaders{
		"url": func(n node) {
			if text, ok := r.text(n); ok {
				var err error
				if l.URL, err = discover.ParseTemplate(text); err != nil && !strings.Contains(text, "{") {
					_, err = address(text) // says the same of all addresses
				}
				r.check(n, err)
			}
		},
		"links": into(&l.Links, r.selector),
		"next":  into(&l.Next, r.selector),
		"poll":  into(&l.Poll, r.truth),
	}, "url")
	if p, err := l.URL.Pages(discover.Dates{}); l.Poll && r.count == before && (err != nil || p.Len() != 1) {
		r.bad(n.of("poll"), "is for the address of one page; %s has places for dates or numbers", clip(l.URL.String()))
	}
	return l
}

// follow reads how links are followed. Without limits, the defaults apply.
func (r *reader) follow(n node) *api.SiteFollow {
	f := new(api.SiteFollow)
	r.fields(n, fieldReaders{
		"depth":     into(&f.Depth, r.described("follow.depth")),
		"pages":     into(&f.Pages, r.described("follow.pages")),
		"addresses": into(&f.Addresses, r.described("follow.addresses")),
		"hosts":     into(&f.Hosts, texts(r, hostName)),
	})
	return complete(*f)
}

// complete returns limits with the defaults where they are not set.
func complete(f api.SiteFollow) *api.SiteFollow {
	form.Default(&f)
	return &f
}

// selector reads a CSS selector.
func (r *reader) selector(n node) string {
	text, ok := r.text(n)
	if !ok {
		return ""
	}
	if err := tooLong(text); err != nil {
		r.check(n, err)
		return ""
	}
	r.check(n, discover.CheckSelector(text))
	return text
}

// expression parses a regular expression (RE2).
func expression(text string) (*regexp.Regexp, error) {
	if err := tooLong(text); err != nil {
		return nil, err
	}
	p, err := pattern.Compile(text, maxProgram)
	switch {
	case fault.Is(err, fault.TooLarge):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w; write a regular expression of RE2 (github.com/google/re2/wiki/Syntax)", err)
	}
	return p.Regexp, nil
}

func tooLong(text string) error {
	if len(text) > maxPattern {
		return fmt.Errorf("%d bytes; at most %d are allowed", len(text), maxPattern)
	}
	return nil
}

// limits reads the limits of a site: its pace and its quotas.
func (r *reader) limits(n node) *Limits {
	l := Limits{MaxConcurrent: 1}
	delay := func(n node) time.Duration { return time.Duration(r.number(n, 0, maxDelay)) * time.Millisecond }
	requests := func(n node) Quota { return Quota{Most: int64(r.number(n, 0, MaxRequests)), Own: true} }
	before := r.count
	r.fields(n, fieldReaders{
		"minDelayMs":    into(&l.MinDelay, delay),
		"maxDelayMs":    into(&l.MaxDelay, delay),
		"maxConcurrent": func(n node) { l.MaxConcurrent = r.number(n, 1, maxConcurrent) },

		"requestsPerDay": into(&l.RequestsPerDay, requests),
		"bytesPerDay":    func(n node) { l.BytesPerDay = Quota{Most: int64(r.number(n, 0, MaxQuota)), Own: true} },
		"maxItems":       into(&l.MaxItems, requests),
	}, "minDelayMs", "maxDelayMs")
	if r.count == before && l.MaxDelay < l.MinDelay {
		r.bad(n.of("maxDelayMs"), "is below minDelayMs; write at least %d", l.MinDelay.Milliseconds())
	}
	return &l
}

// checkHosts checks that archives, listings and starts are pages of the site itself. They are requested at the pace of
// the site, which applies only to the site's own host.
func (r *reader) checkHosts(s *Site, n node) {
	pages := s.Archives
	for _, l := range s.Listings {
		pages = append(pages[:len(pages):len(pages)], l.URL)
	}
	for _, t := range pages {
		if s.Domain != "" && t.Host() != "" && t.Host() != s.Domain {
			r.bad(n, "%s is on %s; archives and listings are pages of the domain, %s", clip(t.String()), clip(t.Host()),
				s.Domain)
		}
	}
	if s.Follow != nil && len(s.Start) == 0 && s.Domain != "" {
		s.Start = []string{s.Root()}
	}
	for _, page := range s.Start {
		if host := hostOf(page); s.Domain != "" && page != "" && !s.holds(host) {
			r.bad(n, "%s is on %s; a start is a page of the domain, %s", clip(page), clip(host), s.Domain)
		}
	}
}
