package source

import (
	"slices"
	"strings"

	"github.com/nlnwa/whatwg-url/url"

	"github.com/tidemark/tidemark/pkg/base/percent"
)

// ParseURL makes the source that an absolute URL names (A1). The error is Invalid, blames the
// field "url" and says why without repeating the URL: no or another scheme, no host, unparsable,
// too long. ParseURL of [Source.Normalized] or [Source.Display] gives the same Source again.
func (r Rules) ParseURL(raw string) (Source, error) {
	u, err := parse("", raw)
	if err != nil {
		return Source{}, err
	}
	return r.source(u)
}

// Resolve makes the source that ref names on the page at base, as ParseURL does. An empty ref
// names the page itself. Give the base as it was fetched: [Source.Normalized] has lost the
// trailing slash that "next.html" is resolved against.
func (r Rules) Resolve(base, ref string) (Source, error) {
	u, err := parseRef(base, ref)
	if err != nil {
		return Source{}, err
	}
	return r.source(u)
}

// FetchForm is the absolute URL raw as it should be requested: read as [Rules.ParseURL] reads it
// and freed of fragment, userinfo and secrets, but with path, trailing slash, trackers and query
// order as given, since servers may tell them apart. It names the same source as raw. The errors
// are those of ParseURL, except that its bound is [MaxRaw].
func FetchForm(raw string) (string, error) {
	u, err := parse("", raw)
	if err != nil {
		return "", err
	}
	return fetchForm(u)
}

// ResolveFetchForm is the [FetchForm] of ref on the page at base.
func ResolveFetchForm(base, ref string) (string, error) {
	u, err := parseRef(base, ref)
	if err != nil {
		return "", err
	}
	return fetchForm(u)
}

// parseRef resolves ref against base, which must itself be http or https.
func parseRef(base, ref string) (*url.Url, error) {
	if _, err := parse("", base); err != nil {
		return nil, err
	}
	return parse(base, ref)
}

// source applies the rules of the package to a parsed URL, in the order of the package comment.
func (r Rules) source(u *url.Url) (Source, error) {
	path := percent.Canonical(u.Pathname(), inPath)
	path = strings.TrimRight(path, "/")
	if path == "" {
		path = "/"
	}
	query := r.canonicalQuery(u)
	s := Source{Type: URL, Host: u.Host(), Scheme: u.Scheme()}
	s.Normalized = assemble(s.Scheme, s.Host, path, query)
	if len(s.Normalized) > MaxNormalized {
		return Source{}, tooLong(MaxNormalized)
	}
	s.Display = assemble(s.Scheme, displayHost(u), readable(path), readable(query))
	return s, nil
}

// canonicalQuery is the query of the identity. Encoding comes first, because the later steps
// look at names; sorting comes last, because order must not decide what is dropped.
func (r Rules) canonicalQuery(u *url.Url) string {
	ps := params(percent.Canonical(u.Query(), inQuery))
	ps = withoutSecrets(u.Hostname(), ps)
	ps = slices.DeleteFunc(ps, func(p param) bool { return r.tracks(p.name) })
	byName(ps)
	return join(ps)
}

// fetchForm keeps the query exactly as it is unless it holds a secret.
func fetchForm(u *url.Url) (string, error) {
	query := u.Query()
	ps := params(query)
	if kept := withoutSecrets(u.Hostname(), slices.Clone(ps)); len(kept) < len(ps) {
		query = join(kept)
	}
	form := assemble(u.Scheme(), u.Host(), fixStray(u.Pathname()), query)
	if len(form) > MaxRaw {
		return "", tooLong(MaxRaw)
	}
	return form, nil
}

// assemble puts a URL together; an empty query has no "?".
func assemble(scheme, host, path, query string) string {
	if query != "" {
		query = "?" + query
	}
	return scheme + "://" + host + path + query
}
