// Package robots decides what a site allows a crawler to do: which paths its robots.txt opens, how long to wait
// between requests, when to fetch robots.txt again, and what a page's own robots directives forbid.
//
// The package is pure. [Parse] compiles a robots.txt body into [Rules] once. [Rules.Allowed] then only walks over
// compiled patterns. [Decide] applies the policy of RFC 9309 §2.3 to a reply to a request for /robots.txt: it returns
// what the host allows for now, when to ask again, and what to store. [ParseDirectives] parses meta robots elements
// and X-Robots-Tag headers.
//
// The grammar of lines is that of grobotstxt, a translation of the reference implementation. It includes the typos
// and the merging of groups that sites rely on. Three differences follow RFC 9309 more closely:
//
//   - Escapes are compared in one canonical form on both sides (§2.2.2), so that
//     "Disallow: /%7Ejoe" covers /~joe, and "Disallow: /a b" covers /a%20b.
//   - %2A and %24 in a rule match a literal * and $ (§2.2.3).
//   - /robots.txt itself is always allowed (§2.2.2).
//
// # Alternatives considered
//
// grobotstxt parses the whole file for each verdict (8 ms for a large file), and the cost of its matcher is the
// length of the path times that of the pattern. Only its parser is used; its matcher is the oracle of a property
// test.
package robots

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/percent"
)

// Bounds on the memory and work that a site can cause.
const (
	// maxBody is the number of bytes of a robots.txt that are read. Further bytes are ignored (RFC 9309 §2.5).
	maxBody = 500 << 10
	// maxURL limits the length of a URL, in bytes. For a longer URL, [Rules.Allowed] returns false without matching.
	// For a URL of this length, the worst file costs less than half a second.
	maxURL = 8 << 10
	// maxCrawlDelay limits the result of [Rules.CrawlDelay].
	maxCrawlDelay = 300 * time.Second
	// MaxSitemaps limits the number of Sitemap lines that are stored.
	MaxSitemaps = 1000
	// maxSitemapURL limits the length of the URL in a Sitemap line, in bytes. A line with a longer URL is dropped.
	maxSitemapURL = 4096
)

// Rules are the compiled content of one robots.txt. They never change after [Parse] and may be
// shared between goroutines. The zero value allows everything.
type Rules struct {
	groups   []group
	delays   []delay
	sitemaps []string
}

// agents are the crawlers that a group applies to.
type agents struct {
	names []string // product tokens, lower case
	any   bool     // the group applies to "*"
}

// group is a series of user-agent lines and the rules below them.
type group struct {
	agents
	rules []rule // highest priority first
}

// delay is a series of user-agent lines and the Crawl-delay below them, if any.
type delay struct {
	agents
	wait time.Duration
	set  bool
}

// Allowed reports whether the crawler with the given product token may fetch a URL. Anything after the token, such as
// "/1.0", is ignored. The rule with the longest pattern decides, among the groups for that crawler or, if there are
// none, among the groups for "*". On a tie, Allow wins (RFC 9309 §2.2.2). The URL may be absolute or begin with its
// path. A URL that is longer than maxURL is not allowed.
func (r Rules) Allowed(agentToken, rawURL string) bool {
	if len(rawURL) > maxURL {
		return false
	}
	path := canonicalPath(pathOf(rawURL))
	if path == "/robots.txt" {
		return true
	}
	agent := productToken(agentToken)
	specific := r.names(agent)
	best := rule{allow: true}
	for _, g := range r.groups {
		if g.speaksTo(agent, specific) {
			best = strongest(g.rules, path, best)
		}
	}
	return best.allow
}

// CrawlDelay returns the pause between requests that robots.txt requires of a crawler, in [0, maxCrawlDelay], and
// whether it requires one. The delay for "*" does not apply to a crawler that is named anywhere in the file. The
// longest of several delays applies.
func (r Rules) CrawlDelay(agentToken string) (time.Duration, bool) {
	agent := productToken(agentToken)
	specific := r.names(agent)
	var wait time.Duration
	found := false
	for _, d := range r.delays {
		if d.set && d.speaksTo(agent, specific) {
			wait, found = max(wait, d.wait), true
		}
	}
	return wait, found
}

// Sitemaps returns the values of the Sitemap lines, in order and without duplicates. There are at most [MaxSitemaps]
// values, each of at most maxSitemapURL bytes. They are not validated. Most of them are absolute URLs.
func (r Rules) Sitemaps() []string { return slices.Clone(r.sitemaps) }

// names reports whether the file has a group for this crawler. A group without rules counts, too: the rules for "*"
// then do not apply to the crawler.
func (r Rules) names(agent string) bool {
	return slices.ContainsFunc(r.groups, func(g group) bool { return slices.Contains(g.names, agent) })
}

func (a agents) speaksTo(agent string, specific bool) bool {
	if specific {
		return slices.Contains(a.names, agent)
	}
	return a.any
}

func (a *agents) add(name string) {
	if name == "*" || strings.HasPrefix(name, "* ") || strings.HasPrefix(name, "*\t") {
		a.any = true
		return
	}
	if token := productToken(name); token != "" {
		a.names = append(a.names, token)
	}
}

// productToken returns the leading token of a user agent in lower case: "Tidemark/1.0" is "tidemark". RFC 9309 §2.2.1
// allows letters, "_" and "-"; digits and "." are accepted too, because operators may use them in names.
func productToken(s string) string {
	end := strings.IndexFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			c == '-' || c == '_' || c == '.')
	})
	if end >= 0 {
		s = s[:end]
	}
	return strings.ToLower(s)
}

// rule is one Allow or Disallow line, compiled.
type rule struct {
	pattern  string // in canonical form; every "*" is a wildcard
	anchored bool   // the pattern must reach the end of the path
	priority int    // length of the pattern as the site wrote it, after escaping
	allow    bool
}

// compile compiles the value of a rule. In the value, a "$" has a special meaning only at the end.
func compile(value string, allow bool) rule {
	r := rule{priority: len(value), allow: allow}
	value, r.anchored = strings.CutSuffix(value, "$")
	r.pattern = percent.Canonical(value, inPattern)
	return r
}

// byPriority sorts longer patterns first. Among patterns of equal length, it sorts Allow first (RFC 9309 §2.2.2). So
// the first match decides.
func byPriority(a, b rule) int {
	switch {
	case a.priority != b.priority:
		return cmp.Compare(b.priority, a.priority)
	case a.allow == b.allow:
		return 0
	case a.allow:
		return -1
	default:
		return 1
	}
}

// strongest returns the first of the sorted rules that matches path, if its priority is higher than that of best. If
// there is no such rule, it returns best.
func strongest(rules []rule, path string, best rule) rule {
	for _, r := range rules {
		if byPriority(r, best) >= 0 {
			return best
		}
		if r.matches(path) {
			return r
		}
	}
	return best
}

// matches reports whether the pattern matches the beginning of path. For each literal between wildcards, it tries
// only the leftmost match. This misses no match, and the cost is linear for any pattern.
func (r rule) matches(path string) bool {
	literal, rest, wild := strings.Cut(r.pattern, "*")
	path, ok := strings.CutPrefix(path, literal)
	for ok && wild {
		literal, rest, wild = strings.Cut(rest, "*")
		if r.anchored && !wild {
			return strings.HasSuffix(path, literal)
		}
		_, path, ok = strings.Cut(path, literal)
	}
	return ok && (path == "" || !r.anchored)
}

// pathOf returns the path and query of a URL, beginning with "/". It drops scheme, authority and fragment without
// validating them: the URL was validated before, and a parse error here must not decide whether the URL is allowed.
func pathOf(rawURL string) string {
	rawURL, _, _ = strings.Cut(rawURL, "#")
	if i := strings.Index(rawURL, "//"); i == 0 || i > 0 && rawURL[i-1] == ':' && !strings.ContainsAny(rawURL[:i], "/?") {
		rawURL = rawURL[i+2:]
		start := strings.IndexAny(rawURL, "/?")
		if start < 0 {
			return "/"
		}
		rawURL = rawURL[start:]
	}
	if !strings.HasPrefix(rawURL, "/") {
		return "/" + rawURL
	}
	return rawURL
}

// The characters that are not escaped: in a canonical pattern, where * is a wildcard, and in a canonical path, where
// * and $ are escaped as in a rule (RFC 9309 §2.2.3).
var (
	inPattern = percent.SetOf(percent.Unreserved + strings.ReplaceAll(percent.Reserved, "$", ""))
	inPath    = percent.SetOf(percent.Unreserved + strings.NewReplacer("*", "", "$", "").Replace(percent.Reserved))
)

// canonicalPath returns the form in which a URL's path is compared with patterns (RFC 9309 §2.2.2).
func canonicalPath(path string) string { return percent.Canonical(path, inPath) }
