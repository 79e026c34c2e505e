package verdict

import (
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Candidate is a source that may stand for an item in the index.
type Candidate struct {
	source.Source
	Address string // the address that was given, if it is that of a redirect
	Why     string
	Says    string // the reason, worded to be followed by the candidate's address
	Variant bool   // the candidate may stand for the item only if both have the same content
	Moved   bool   // permanent redirects lead to the candidate
}

// Claimed reports whether the candidate is the canonical address that the page names.
func (c Candidate) Claimed() bool { return !c.Moved && !c.Variant }

// CandidatesOf returns the sources that an item's last answer gave as replacements of the item: the target of a chain
// of permanent redirects, and rel=canonical. A canonical URL on another host is not followed, because anyone who can
// write into a page could then hand the page over to another site. For such a URL, CandidatesOf returns a note.
func CandidatesOf(it *registry.Item, rules source.Rules) (named []Candidate, foreign string) {
	if it.Type != source.URL {
		return nil, "" // a file that is also published on the web is found under both addresses
	}
	host := it.SourceHost
	if moved, location, ok := movedTo(it, rules); ok {
		to := Candidate{Source: moved, Address: location, Why: "permanent redirect", Says: "redirects permanently to",
			Moved: true}
		named = append(named, to)
		host = moved.Host // the page that gives the canonical URL belongs to that host
	}
	if it.HTTPCanonicalURL == "" || it.HTTPCanonicalURL == it.NormalizedSource {
		return named, ""
	}
	s, err := rules.ParseURL(it.HTTPCanonicalURL)
	switch {
	case err != nil: // Unreachable: the text is the normalized form of a source, made under the same rules.
	case s.Normalized == it.NormalizedSource: // the item's own address, as spelled under earlier rules
	case len(named) > 0 && named[0].Normalized == s.Normalized:
	case !source.SameSite(s.Host, host) && !source.SameSite(s.Host, it.SourceHost):
		const why = "names as its canonical address %s, which is ignored because it is on another host"
		return named, fmt.Sprintf(why, s.Normalized)
	default:
		named = append(named, Candidate{Source: s, Why: "rel=canonical", Says: "names as its canonical address"})
	}
	return named, ""
}

// movedTo returns the source to which permanent redirects lead, and its address; ok is false if that is the item
// itself.
func movedTo(it *registry.Item, rules source.Rules) (to source.Source, location string, ok bool) {
	for _, hop := range it.HTTPRedirectChain {
		var code string
		if code, location, _ = strings.Cut(hop, " "); code != "301" && code != "308" {
			return to, "", false
		}
		var err error
		to, err = rules.ParseURL(location)
		ok = err == nil && to.Normalized != it.NormalizedSource
	}
	return to, location, ok
}

// movedAddress returns the identity of the source to which permanent redirects lead; "" if there is none.
func movedAddress(it *registry.Item, rules source.Rules) string {
	to, _, ok := movedTo(it, rules)
	if !ok {
		return ""
	}
	return to.Normalized
}

// VariantsOf returns the sources that often show the same page as an item. Each differs from the item in one respect:
// the scheme, or the "www." of the host. Of two variants, only the better one may stand for the other: https is
// better than http, and the host without "www." is better than the one with it. So two workers cannot make each
// variant the other's alias.
func VariantsOf(it *registry.Item, rules source.Rules) (better, worse []Candidate) {
	scheme, rest, ok := strings.Cut(it.NormalizedSource, "://"+it.SourceHost)
	if it.Type != source.URL || !ok {
		return nil, nil
	}
	list := func(to *[]Candidate, url string) {
		if s, err := rules.ParseURL(url); err == nil {
			why, says := "same content as "+s.Normalized, "may be the same page as"
			*to = append(*to, Candidate{Source: s, Why: why, Says: says, Variant: true})
		}
	}
	switch {
	case strings.Contains(it.SourceHost, ":"): // only the default ports serve both schemes
	case scheme == "http":
		list(&better, "https://"+it.SourceHost+rest)
	default:
		list(&worse, "http://"+it.SourceHost+rest)
	}
	switch other := source.OtherName(it.SourceHost); {
	case strings.HasPrefix(it.SourceHost, "www."):
		list(&better, scheme+"://"+other+rest)
	case other != "":
		list(&worse, scheme+"://"+other+rest)
	}
	return better, worse
}
