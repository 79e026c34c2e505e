package source

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/percent"
)

// ParseURL makes a source from an absolute URL (A1). The error is Invalid, with the field "url". It gives the reason
// without repeating the URL: missing or unknown scheme, no host, unparsable, too long. For the Normalized or the
// Display of a [Source], ParseURL returns that Source again.
func (r Rules) ParseURL(raw string) (Source, error) {
	u, err := parse("", raw)
	if err != nil {
		return Source{}, err
	}
	return r.source(u)
}

// Resolve makes a source from a reference on a page, with the rules of [Rules.ParseURL]. An empty reference refers to
// the page itself. The argument base must be the page's address as it was fetched. [Source.Normalized] lacks the
// trailing slash, without which "next.html" would resolve to another page.
func (r Rules) Resolve(base, ref string) (Source, error) {
	u, err := parseRef(base, ref)
	if err != nil {
		return Source{}, err
	}
	return r.source(u)
}

// FetchForm returns an absolute URL in the form for requests. It parses the URL as [Rules.ParseURL] does, and removes
// fragment, userinfo and secrets. It keeps path, trailing slash, trackers and query order as given, because servers
// may distinguish them. The result has the same identity as the given URL. The errors are those of ParseURL, except
// that the limit on the length is [MaxRaw].
func FetchForm(raw string) (string, error) {
	u, err := parse("", raw)
	if err != nil {
		return "", err
	}
	return fetchForm(u)
}

// ResolveFetchForm returns the [FetchForm] of a reference on the page with the address base.
func ResolveFetchForm(base, ref string) (string, error) {
	u, err := parseRef(base, ref)
	if err != nil {
		return "", err
	}
	return fetchForm(u)
}

// Redirect returns the absolute URL of the Location ref in an answer from base. It parses ref as [Rules.ParseURL] does
// and removes fragment and userinfo. It keeps secrets, because the signature of a signed address is needed to request
// it.
func Redirect(base, ref string) (string, error) {
	u, err := parseRef(base, ref)
	if err != nil {
		return "", err
	}
	return assemble(u.scheme, u.host(), fixStray(u.path), u.query), nil
}

// parseRef resolves ref against base, which must itself be http or https.
func parseRef(base, ref string) (parts, error) {
	if _, err := parse("", base); err != nil {
		return parts{}, err
	}
	return parse(base, ref)
}

// source applies the package's rules to a parsed URL, in the order of the package comment.
func (r Rules) source(u parts) (Source, error) {
	path := percent.Canonical(u.path, inPath)
	path = strings.TrimRight(path, "/")
	path = cmp.Or(path, "/")
	query := r.canonicalQuery(u)
	s := Source{Type: URL, Host: u.host(), Scheme: u.scheme}
	s.Normalized = assemble(s.Scheme, s.Host, path, query)
	if len(s.Normalized) > MaxNormalized {
		return Source{}, tooLong(MaxNormalized)
	}
	s.Display = assemble(s.Scheme, displayHost(u), readable(path), readable(query))
	return s, nil
}

// canonicalQuery returns the query of the normalized URL. It encodes first, because the later steps examine names. It
// sorts last, because the order must not decide which params are dropped.
func (r Rules) canonicalQuery(u parts) string {
	ps := params(percent.Canonical(u.query, inQuery))
	ps = withoutSecrets(u.hostname, ps)
	ps = slices.DeleteFunc(ps, func(p param) bool { return r.tracks(p.name) })
	byName(ps)
	return join(ps)
}

// fetchForm returns the form of a URL for requests. It keeps the query unchanged unless the query contains a secret.
func fetchForm(u parts) (string, error) {
	query := u.query
	ps := params(query)
	if kept := withoutSecrets(u.hostname, slices.Clone(ps)); len(kept) < len(ps) {
		query = join(kept)
	}
	form := assemble(u.scheme, u.host(), fixStray(u.path), query)
	if len(form) > MaxRaw {
		return "", tooLong(MaxRaw)
	}
	return form, nil
}

// assemble joins the parts of a URL. It writes no "?" for an empty query.
func assemble(scheme, host, path, query string) string {
	if query != "" {
		query = "?" + query
	}
	return scheme + "://" + host + path + query
}

// The characters that are not escaped in a canonical path and query (RFC 3986 §3.3 and §3.4).
const (
	pathChars  = percent.Unreserved + "!$&'()*+,;=:@/"
	queryChars = pathChars + "?"
)

var (
	inPath  = percent.SetOf(pathChars)
	inQuery = percent.SetOf(queryChars)
)

// fixStray escapes each % that does not begin an escape, because net/url refuses a path with such a character.
func fixStray(s string) string { return percent.Repair(s, func(byte) bool { return false }) }

// lower converts only ASCII letters to lower case. So no other letter can turn into a letter of a tracker's name.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// Rules are the configured part of normalization: the query parameters that are trackers. The zero Rules have no
// trackers. Rules are safe for concurrent use.
//
// Changing the list changes identities: a source that was registered under the old list may get another ID under the
// new one (spec 000 §2.1).
type Rules struct {
	names    []string // whole names, in lower case
	prefixes []string // beginnings of names, in lower case, each ending in "_"
}

// The limits on the list of trackers.
const (
	maxTrackers   = 256
	maxTrackerLen = 64
)

// DefaultRules returns the rules with the trackers of spec 003 §11: utm_, gclid, fbclid, msclkid.
func DefaultRules() Rules {
	return Rules{names: []string{"gclid", "fbclid", "msclkid"}, prefixes: []string{"utm_"}}
}

// NewRules makes rules from the entries of TRACKING_PARAM_PREFIXES (A2). An entry that ends in "_" matches every name
// that begins with it. Any other entry matches only the whole name. ASCII case does not matter. Spaces around an
// entry are ignored. The error is Invalid for more than 256 entries, and for an entry that is not 1 to 64 printable
// ASCII characters without & = # % + *. An asterisk is refused because "utm_*" would match nothing.
func NewRules(trackingPrefixes []string) (Rules, error) {
	const field = "TRACKING_PARAM_PREFIXES"
	if len(trackingPrefixes) > maxTrackers {
		return Rules{}, fault.Field(field, "%d tracking parameters; at most %d are allowed", len(trackingPrefixes),
			maxTrackers)
	}
	var r Rules
	for _, entry := range trackingPrefixes {
		name := lower(strings.TrimSpace(entry))
		if name == "" || len(name) > maxTrackerLen || strings.ContainsFunc(name, notInTracker) {
			return Rules{}, fault.Field(field, "tracking parameter %q: write a name such as gclid, or a beginning such as utm_",
				entry)
		}
		if strings.HasSuffix(name, "_") {
			r.prefixes = append(r.prefixes, name)
		} else {
			r.names = append(r.names, name)
		}
	}
	return r, nil
}

// String lists the trackers in sorted order, so that equal rules have equal texts.
func (r Rules) String() string {
	all := slices.Concat(r.names, r.prefixes)
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

func notInTracker(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune("&=#%+*", c) }

// tracks reports whether a decoded, lower-case name is a tracker.
func (r Rules) tracks(name string) bool {
	return slices.Contains(r.names, name) ||
		slices.ContainsFunc(r.prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// Resolve makes an address absolute, as browsers do. It returns nil when the result is not a web address.
func Resolve(base *url.URL, ref string) *url.URL {
	const longest = 4096
	ref = strings.Trim(ref, " \t\n\f\r")
	if ref == "" || len(ref) > longest {
		return nil
	}
	u, err := base.Parse(ref)
	switch {
	case err != nil, strings.ContainsAny(ref, "\\\t\n\r"), strings.HasPrefix(ref, "///"), !IsWeb(u) && isWebScheme(u):
		return asBrowsers(base, ref)
	case !IsWeb(u):
		return nil
	}
	return u
}

// asBrowsers resolves an address that package url reads in another way than the URL standard, or not at all. The result
// has no fragment.
func asBrowsers(base *url.URL, ref string) *url.URL {
	address, err := ResolveFetchForm(base.String(), ref)
	if err != nil {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || !IsWeb(u) {
		return nil
	}
	return u
}

func isWebScheme(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// IsWeb reports whether an address is absolute and its scheme is http or https.
func IsWeb(u *url.URL) bool {
	return isWebScheme(u) && u.Host != ""
}
