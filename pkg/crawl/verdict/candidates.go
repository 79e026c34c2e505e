package verdict

import (
	"fmt"
	"slices"
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
	Led     bool   // see [LedTo]
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

// LedTo returns the sources that an item shows by another name: the target within its site of redirects that are not
// all permanent, and the folder of an index page. Only one with the same content may stand for the item.
func LedTo(it *registry.Item, rules source.Rules) (out []Candidate) {
	if it.Type != source.URL {
		return nil
	}
	add := func(url, says string) {
		s, err := rules.ParseURL(url)
		if err == nil && source.SameSite(s.Host, it.SourceHost) && !sameName(s.Normalized, it.NormalizedSource) {
			out = append(out, Candidate{Source: s, Why: "same content as " + s.Normalized, Says: says, Variant: true, Led: true})
		}
	}
	if _, _, moved := movedTo(it, rules); !moved && len(it.HTTPRedirectChain) > 0 {
		_, location, _ := strings.Cut(it.HTTPRedirectChain[len(it.HTTPRedirectChain)-1], " ")
		add(location, "redirects to")
	}
	slash := strings.LastIndexByte(it.NormalizedSource, '/') + 1
	if folder, name := it.NormalizedSource[:slash], it.NormalizedSource[slash:]; slices.Contains(indexNames, name) {
		add(folder, "may be the index page of")
	}
	return out
}

// indexNames are the usual names of the page that a server shows for a folder.
var indexNames = []string{"index.html", "index.htm", "index.xhtml", "index.php", "index.asp", "index.aspx", "index.jsp",
	"default.htm", "default.html", "default.asp", "default.aspx"}

// sameName reports whether two addresses differ in http or https, or www., at most.
func sameName(a, b string) bool {
	bare := func(url string) string {
		_, rest, _ := strings.Cut(url, "://")
		return strings.TrimPrefix(rest, "www.")
	}
	return bare(a) == bare(b)
}

// The reasons, at the end of a note, why another item does not stand for a page yet. See [Undecided].
const (
	NotRegistered = "is not registered"
	NotFetched    = "has not been fetched yet"
)

// Undecided reports whether a page of its own may be the page of another item that was not fetched when that was
// decided.
func Undecided(it *registry.Item, rules source.Rules) bool {
	open := strings.Contains(it.CanonicalNote, ", which "+NotRegistered) ||
		strings.Contains(it.CanonicalNote, ", which "+NotFetched)
	return it.Status == registry.Indexed && it.AliasOf == "" &&
		(open || it.CanonicalNote == "" && len(LedTo(it, rules)) > 0)
}
