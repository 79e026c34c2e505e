package crawl

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/tidemark/tidemark/pkg/extract"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/source"
)

// claim is a source that may stand for an item, and why.
type claim struct {
	source.Source
	why  string
	twin bool // only if the content is the same
}

// claimsOf reads from an item what its last answer named in its place: where redirects that are
// all permanent led, and rel=canonical. A canonical on another host is not followed, because
// whoever writes into a page could hand it over to a stranger; foreign tells of it.
func claimsOf(it *registry.Item, rules source.Rules) (claims []claim, foreign string) {
	if it.Type != source.URL {
		return nil, "" // a file that is also published is found at both places
	}
	host := it.SourceHost
	if moved, ok := movedTo(it, rules); ok {
		claims = append(claims, claim{Source: moved, why: "redirects there permanently"})
		host = moved.Host // whose page it is that has the canonical
	}
	if it.HTTPCanonicalURL == "" || it.HTTPCanonicalURL == it.NormalizedSource {
		return claims, ""
	}
	s, err := rules.ParseURL(it.HTTPCanonicalURL)
	switch {
	case err != nil: // Unreachable: it is the normalized form of a source, under the same rules.
	case len(claims) > 0 && claims[0].Normalized == s.Normalized:
	case !sameSite(s.Host, host) && !sameSite(s.Host, it.SourceHost):
		return claims, fmt.Sprintf("rel=canonical names %s, which is ignored: it is on another host", s.Normalized)
	default:
		claims = append(claims, claim{Source: s, why: "rel=canonical"})
	}
	return claims, ""
}

// movedTo is the other source that permanent redirects lead to.
func movedTo(it *registry.Item, rules source.Rules) (to source.Source, ok bool) {
	for _, hop := range it.HTTPRedirectChain {
		code, location, _ := strings.Cut(hop, " ")
		if code != "301" && code != "308" {
			return to, false
		}
		var err error
		to, err = rules.ParseURL(location)
		ok = err == nil && to.Normalized != it.NormalizedSource
	}
	return to, ok
}

// sameSite reports whether two hosts differ at most in a leading "www.".
func sameSite(a, b string) bool {
	return strings.TrimPrefix(a, "www.") == strings.TrimPrefix(b, "www.")
}

// twinsOf names the sources that often are the same page as an item, of one step each: the other
// scheme, and the host with or without "www.". At most one of two twins may stand for the other:
// https comes before http, and the host without "www." before the one with it, so that two
// workers cannot make each the other's alias.
func twinsOf(it *registry.Item, rules source.Rules) (better, worse []claim) {
	scheme, rest, ok := strings.Cut(it.NormalizedSource, "://"+it.SourceHost)
	if it.Type != source.URL || !ok {
		return nil, nil
	}
	list := func(to *[]claim, url string) {
		if s, err := rules.ParseURL(url); err == nil {
			*to = append(*to, claim{Source: s, why: "same content as " + s.Normalized, twin: true})
		}
	}
	switch {
	case strings.Contains(it.SourceHost, ":"): // no port but its own speaks both
	case scheme == "http":
		list(&better, "https://"+it.SourceHost+rest)
	default:
		list(&worse, "http://"+it.SourceHost+rest)
	}
	apex, www := strings.CutPrefix(it.SourceHost, "www.")
	switch {
	case www:
		list(&better, scheme+"://"+apex+rest)
	case isDomain(apex):
		list(&worse, scheme+"://www."+apex+rest)
	}
	return better, worse
}

// isDomain reports whether a host may have a "www." before it.
func isDomain(host string) bool {
	name, _, _ := strings.Cut(host, ":")
	_, err := netip.ParseAddr(name)
	return err != nil && strings.Contains(name, ".")
}

// canonicalURL is the identity of what a document calls its canonical URL; "" if it names none.
func (c *check) canonicalURL(doc extract.Document) string {
	s, err := c.o.Rules.ParseURL(doc.Canonical)
	if doc.Canonical == "" || err != nil {
		return ""
	}
	return s.Normalized
}

// noteCanonical takes over a document's canonical URL, before its hashes.
func (c *check) noteCanonical(doc extract.Document) {
	now := c.canonicalURL(doc)
	if now != c.HTTPCanonicalURL && c.RawHash != "" {
		why := "the page names " + now
		if now == "" {
			why = "the page names none any more"
		}
		c.Record(c.o.Clock(), "canonical", why)
	}
	c.HTTPCanonicalURL = now
}
