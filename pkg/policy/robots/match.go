package robots

import (
	"cmp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/percent"
)

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
