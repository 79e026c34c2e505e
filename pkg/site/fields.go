package site

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/discover"
	"github.com/tidemark/tidemark/pkg/source"
	"go.yaml.in/yaml/v3"
)

// site reads one site.
func (r *reader) site(n *yaml.Node, field string) *Site {
	s := &Site{}
	if r.lines == nil {
		r.lines = map[*Site]int{}
	}
	r.lines[s] = n.Line
	r.fields(n, field, fieldReaders{
		"slug":     func(n *yaml.Node, field string) { s.Slug = r.slug(n, field) },
		"domain":   func(n *yaml.Node, field string) { s.Domain = r.domain(n, field) },
		"sitemaps": func(n *yaml.Node, field string) { s.Sitemaps = r.addresses(n, field) },
		"feeds":    func(n *yaml.Node, field string) { s.Feeds = r.addresses(n, field) },
		"archives": func(n *yaml.Node, field string) { s.Archives = r.archives(n, field) },
		"listings": func(n *yaml.Node, field string) { s.Listings = r.listings(n, field) },
		"containers": func(n *yaml.Node, field string) {
			s.Containers = r.containers(n, field)
		},
		"alternates": func(n *yaml.Node, field string) { s.Alternates = r.truth(n, field) },
		"include":    func(n *yaml.Node, field string) { s.Include = r.patterns(n, field) },
		"exclude":    func(n *yaml.Node, field string) { s.Exclude = r.patterns(n, field) },
		"limits":     func(n *yaml.Node, field string) { s.Limits = r.limits(n, field) },
	}, "slug", "domain")
	r.checkHosts(s, n, field)
	return s
}

var slugForm = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

func (r *reader) slug(n *yaml.Node, field string) string {
	slug, ok := r.text(n, field)
	if ok && !slugForm.MatchString(slug) {
		r.bad(n.Line, field, "is %q; write 1 to 64 characters of a-z, 0-9 and -", clip(slug))
	}
	return slug
}

// domain reads a host, with a port when it is not the scheme's own, in the form of
// source.Source.Host.
func (r *reader) domain(n *yaml.Node, field string) string {
	text, ok := r.text(n, field)
	if !ok {
		return ""
	}
	host := hostOf("http://" + text + "/")
	if strings.ContainsAny(text, "/\\?#@ ") || host == "" || host != hostOf("https://"+text+"/") {
		r.bad(n.Line, field, "is %q; write one host such as port.example, with a port only if it is neither 80 nor 443", clip(text))
	}
	return host
}

// hostOf is the host of an address, or "".
func hostOf(address string) string {
	s, err := source.Rules{}.ParseURL(address)
	if err != nil {
		return ""
	}
	return s.Host
}

// addresses reads a list of absolute addresses.
func (r *reader) addresses(n *yaml.Node, field string) (list []string) {
	r.texts(n, field, func(text string) error {
		form, err := address(text)
		list = append(list, form)
		return err
	})
	return list
}

var withUser = regexp.MustCompile(`^[a-zA-Z]+:[/\\]*[^/\\?#]*@`)

// address is an absolute address as it is requested. It never holds a secret, so one that needs a
// user's name is refused rather than requested without.
func address(text string) (string, error) {
	if withUser.MatchString(text) {
		return "", errors.New("holds a user name or password, which are not kept; the address has to be public")
	}
	form, err := source.FetchForm(text)
	if err != nil {
		return "", fmt.Errorf("is %q; write an address such as https://port.example/sitemap.xml (%w)", clip(text), err)
	}
	return form, nil
}

// containers reads a list of blob containers: addresses with a path, the container's name.
func (r *reader) containers(n *yaml.Node, field string) (list []string) {
	r.texts(n, field, func(text string) error {
		form, err := address(text)
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(form, "://")
		if _, path, _ := strings.Cut(rest, "/"); path == "" || strings.Contains(path, "?") {
			return fmt.Errorf("is %q; write the address of a container such as https://account.blob.core.windows.net/reports, without a query", clip(text))
		}
		list = append(list, form)
		return nil
	})
	return list
}

// archives reads a list of templates.
func (r *reader) archives(n *yaml.Node, field string) (list []discover.Template) {
	r.texts(n, field, func(text string) error {
		t, err := discover.ParseTemplate(text)
		list = append(list, t)
		return err
	})
	return list
}

// listings reads the pages that list others.
func (r *reader) listings(n *yaml.Node, field string) (list []Listing) {
	r.list(n, field, MaxEntries, func(n *yaml.Node, field string) {
		var l Listing
		r.fields(n, field, fieldReaders{
			"url": func(n *yaml.Node, field string) {
				if text, ok := r.text(n, field); ok {
					var err error
					l.URL, err = discover.ParseTemplate(text)
					r.check(n, field, err)
				}
			},
			"links": func(n *yaml.Node, field string) { l.Links = r.selector(n, field) },
			"next":  func(n *yaml.Node, field string) { l.Next = r.selector(n, field) },
		}, "url")
		list = append(list, l)
	})
	return list
}

// selector reads a CSS selector.
func (r *reader) selector(n *yaml.Node, field string) string {
	text, ok := r.text(n, field)
	if !ok {
		return ""
	}
	if len(text) > maxPattern {
		r.bad(n.Line, field, "%d bytes; at most %d are allowed", len(text), maxPattern)
		return ""
	}
	r.check(n, field, discover.CheckSelector(text))
	return text
}

// patterns reads a list of regular expressions (RE2).
func (r *reader) patterns(n *yaml.Node, field string) (list []*regexp.Regexp) {
	r.texts(n, field, func(text string) error {
		if len(text) > maxPattern {
			return fmt.Errorf("%d bytes; at most %d are allowed", len(text), maxPattern)
		}
		p, err := regexp.Compile(text)
		if err != nil {
			return fmt.Errorf("%w; write a regular expression of RE2 (github.com/google/re2/wiki/Syntax)", err)
		}
		list = append(list, p)
		return nil
	})
	return list
}

// limits reads a pace and quotas.
func (r *reader) limits(n *yaml.Node, field string) *Limits {
	l := Limits{MaxConcurrent: 1}
	delay := func(to *time.Duration) func(n *yaml.Node, field string) {
		return func(n *yaml.Node, field string) {
			*to = time.Duration(r.number(n, field, 0, MaxDelay)) * time.Millisecond
		}
	}
	quota := func(to *Quota, most int) func(n *yaml.Node, field string) {
		return func(n *yaml.Node, field string) {
			*to = Quota{Most: int64(r.number(n, field, 0, most)), Own: true}
		}
	}
	before := r.count
	r.fields(n, field, fieldReaders{
		"minDelayMs":    delay(&l.MinDelay),
		"maxDelayMs":    delay(&l.MaxDelay),
		"maxConcurrent": func(n *yaml.Node, field string) { l.MaxConcurrent = r.number(n, field, 1, MaxConcurrent) },

		"requestsPerDay": quota(&l.RequestsPerDay, MaxRequests),
		"bytesPerDay":    quota(&l.BytesPerDay, MaxQuota),
		"maxItems":       quota(&l.MaxItems, MaxRequests),
	}, "minDelayMs", "maxDelayMs")
	if r.count == before && l.MaxDelay < l.MinDelay {
		r.bad(n.Line, field+".maxDelayMs", "is below minDelayMs; write at least %d", l.MinDelay.Milliseconds())
	}
	return &l
}

// checkHosts: archive and listing pages are of the site itself; its pace is theirs.
func (r *reader) checkHosts(s *Site, n *yaml.Node, field string) {
	pages := s.Archives
	for _, l := range s.Listings {
		pages = append(pages[:len(pages):len(pages)], l.URL)
	}
	for _, t := range pages {
		if s.Domain != "" && t.Host() != "" && t.Host() != s.Domain {
			r.bad(n.Line, field, "%s is on %s; archives and listings are pages of the domain, %s", clip(t.String()), clip(t.Host()), s.Domain)
		}
	}
}
