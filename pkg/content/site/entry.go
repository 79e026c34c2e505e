package site

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pattern"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"go.yaml.in/yaml/v3"
)

// Entry is an entry of a site file. It is made from the address that a user gives for a site.
type Entry struct {
	Slug, Domain string
	Sitemap      string            // address of the sitemap; "" to try robots.txt and /sitemap.xml
	Include      string            // pattern of the wanted pages; "" for all
	Home         string            // address of a page of the site
	Sources      *api.SiteSettings // what a user names; nil for nothing
}

// Using returns the entry with what a user says about its sources. What is named stands instead of what is guessed.
// Errors: Invalid, with the name of the setting.
func (e Entry) Using(s api.SiteSettings) (Entry, error) {
	if e.Sources = &s; s.Named() {
		e.Sitemap = ""
	}
	if errs := form.Check(s); len(errs) > 0 {
		return e, errs[0]
	}
	var hosts []string
	if s.Follow != nil {
		hosts = s.Follow.Hosts
	}
	for _, of := range []struct {
		name  string
		list  []string
		check func(string) (string, error)
	}{{"sitemaps", s.Sitemaps, address}, {"feeds", s.Feeds, address}, {"listings", s.Listings, address},
		{"follow.hosts", hosts, hostName}, {"include", s.Include, Glob}, {"exclude", s.Exclude, Glob}} {
		for _, text := range of.list {
			if _, err := of.check(text); err != nil {
				return e, fault.Field(of.name, "%s: %w", of.name, err)
			}
		}
	}
	_, err := Parse(e.Slug, []byte(e.File()))
	return e, err
}

// Settings returns what is said about the sources of a site and its wanted pages. An expression that no glob stands for
// stays one.
func (s *Site) Settings() api.SiteSettings {
	out := api.SiteSettings{Sitemaps: s.Sitemaps, Feeds: s.Feeds, Follow: s.Follow, Include: globs(s.Include),
		Exclude: globs(s.Exclude)}
	for _, l := range s.Listings {
		out.Listings = append(out.Listings, l.URL.String())
	}
	return out
}

// Entry returns the entry of a site that a user has added, and what the user has set of it: without what is guessed of
// its address.
func (s *Site) Entry() (Entry, api.SiteSettings, error) {
	e, err := EntryOf(s.Following().Start[0])
	set := s.Settings()
	if e.Slug = s.Slug; slices.Equal(set.Sitemaps, []string{e.Sitemap}) {
		set.Sitemaps = nil
	}
	if slices.Equal(set.Include, []string{e.Include}) {
		set.Include = nil
	}
	return e, set, err
}

// Changed returns the entry of a site that a user has added, with what is set of it changed. Errors: Invalid, with the
// name of the setting.
func (s *Site) Changed(by api.Patch) (Entry, error) {
	e, set, err := s.Entry()
	if err != nil {
		return e, err
	}
	if err := by.Apply(&set); err != nil {
		return e, fault.New(fault.Invalid, "%w", err)
	}
	return e.Using(set)
}

var (
	notSlug = regexp.MustCompile(`[^a-z0-9]+`)
	// mapLike matches paths that look like those of sitemaps and feeds.
	mapLike = regexp.MustCompile(`(?i)sitemap|\.(xml|txt)(\.gz)?$`)
)

// pageName matches the name of a page at the end of an address: the part of a site is then the page's folder.
var pageName = regexp.MustCompile(`(?i)/[^/?]*\.(?:x?html?|php|aspx?|jsp)$`)

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
		part := pageName.ReplaceAllString(src.Normalized, "/")
		rest := strings.TrimPrefix(strings.TrimPrefix(part, u.Scheme+"://"), "www.")
		if _, path, _ := strings.Cut(rest, "/"); path != "" {
			e.Include = "^" + u.Scheme + `://(?:www\.)?` + regexp.QuoteMeta(rest)
		}
	}
	if e.Sitemap == "" && u.Scheme != "https" { // if the file names no sitemap, the sitemap is requested by https
		e.Sitemap = u.Scheme + "://" + u.Host + "/sitemap.xml"
	}
	_, err = Parse(e.Slug, []byte(e.File()))
	return e, err
}

// written is a site as [Entry.File] writes it.
type written struct {
	Slug, Domain     string
	WWW              bool
	Start            []string         `yaml:",flow,omitempty"`
	Sitemaps, Feeds  []string         `yaml:",flow,omitempty"`
	Listings         []map[string]any `yaml:",flow,omitempty"`
	Follow           *api.SiteFollow  `yaml:",flow,omitempty"`
	Include, Exclude []string         `yaml:",flow,omitempty"`
}

// File returns a site file with only this entry. People type the bare domain of a site that lives at www, and the other
// way round, so both names are the site's.
func (e Entry) File() string {
	named := api.SiteSettings{}
	if e.Sources != nil {
		named = *e.Sources
	}
	out := written{Slug: e.Slug, Domain: e.Domain, WWW: true, Sitemaps: named.Sitemaps, Feeds: named.Feeds,
		Include: expressions(named.Include), Exclude: expressions(named.Exclude)}
	if e.Home != "" {
		out.Start = []string{e.Home}
	}
	if e.Sitemap != "" {
		out.Sitemaps = append([]string{e.Sitemap}, out.Sitemaps...)
	}
	for _, url := range named.Listings {
		out.Listings = append(out.Listings, map[string]any{"url": url, "poll": true})
	}
	if named.Follow != nil {
		out.Follow = complete(*named.Follow)
	}
	if e.Include != "" && len(out.Include) == 0 {
		out.Include = []string{e.Include}
	}
	text, _ := yaml.Marshal(map[string][]written{"sites": {out}}) // unreachable: these types can be encoded
	return string(text)
}

// expressions returns the expressions of globs. Those that are no globs are left out.
func expressions(globs []string) (out []string) {
	for _, text := range globs {
		if expression, err := Glob(text); err == nil {
			out = append(out, expression)
		}
	}
	return out
}

// maxGlob is the length of a glob, in bytes. The expression that it becomes has at most twice as many.
const maxGlob = 400

// Glob returns the expression of an include or exclude pattern that matches the addresses of a glob. A glob is a path,
// with or without a query, or a whole address: * stands for anything but a slash, ** for anything, and a slash at the
// end for all that is below. Errors: Invalid.
func Glob(text string) (string, error) {
	text = strings.TrimSpace(text)
	begin := "^"
	switch {
	case text == "" || len(text) > maxGlob:
		return "", fault.New(fault.Invalid, "a pattern has 1 to %d bytes, this one %d", maxGlob, len(text))
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", fault.New(fault.Invalid, "%.100q: a pattern has no control characters", text)
	case text[0] != '/' && !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://"):
		return "", fault.New(fault.Invalid, "%.100q: a pattern begins with a slash, or with http:// or https://", text)
	}
	if strings.HasPrefix(text, "/") {
		begin += "[a-z]+://[^/]+"
	}
	if below, folder := strings.CutSuffix(text, "/"); folder && below != "" && !strings.HasSuffix(below, ":/") {
		text = below + "/**"
	}
	expression := begin + pattern.Wildcards(text, pattern.Wildcard{Text: "**", Expression: ".*"},
		pattern.Wildcard{Text: "*", Expression: "[^/]*"})
	return below(expression) + "$", nil
}

// globs returns the globs that expressions stand for.
func globs(all []*regexp.Regexp) (out []string) {
	for _, one := range all {
		text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(one.String(), "^"), "[a-z]+://[^/]+"), "$")
		if folder, found := strings.CutSuffix(text, "(?:[/?].*)?"); found {
			text = folder + "/.*"
		}
		text = escaped.ReplaceAllString(strings.NewReplacer(".*", "**", "[^/]*", "*").Replace(text), "$1")
		if expression, err := Glob(text); err != nil || expression != one.String() {
			text = one.String()
		}
		out = append(out, text)
	}
	return out
}

var escaped = regexp.MustCompile(`\\(.)`)

// below lets the expression of a folder's pages match the folder itself: normalized addresses end without a slash.
func below(expression string) string {
	if folder, found := strings.CutSuffix(expression, "/.*"); found {
		return folder + "(?:[/?].*)?"
	}
	return expression
}
