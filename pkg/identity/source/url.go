package source

import (
	"cmp"
	"slices"
	"strings"

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
