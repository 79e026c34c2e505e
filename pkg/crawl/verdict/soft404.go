package verdict

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Some sites answer 200 for pages that do not exist, or redirect to their front page. To recognize such answers, a host
// is asked for a page that cannot exist, at most once a week and only when it has just shown new content. A page that
// looks the same is missing (A14).

// Why a page is missing although its host answered with status 200.
const (
	WhySoft404 = "soft 404: the host answers this for pages that do not exist"
	WhyToRoot  = "soft 404: the host sends pages that do not exist to its front page"
)

// Fingerprint describes what an origin shows instead of 404.
type Fingerprint struct {
	ToRoot  bool                `json:"toRoot,omitempty"` // a redirect to the front page
	Visible extract.Fingerprint `json:"visible"`
	Main    extract.Fingerprint `json:"main"`
	Content string              `json:"content,omitempty"` // contentHash
	Version string              `json:"version,omitempty"` // that Content and the fingerprints were read under
	ID      string              // by which items remember that they were compared with it
}

// FingerprintOf reads what is known of an origin from its row.
func FingerprintOf(row registry.Soft404) (f Fingerprint) {
	_ = json.Unmarshal([]byte(row.Page), &f) // empty or damaged: nothing is known
	f.ID = row.Fingerprint
	return f
}

// honest reports whether the origin, as far as is known, answers 404.
func (f Fingerprint) honest() bool { return !f.ToRoot && f.Content == "" }

// ReadUnder reports whether a fingerprint may be compared with what is read under a version. Earlier releases did not
// store the version.
func (f Fingerprint) ReadUnder(v lineage.Version) bool {
	return f.Content == "" || lineage.Comparable(lineage.Version(f.Version), v)
}

// shownBy tells why a page with new content is missing nevertheless; "" if it is not.
func (f Fingerprint) shownBy(it *registry.Item, got Answer, r Reading, b Basis) string {
	switch {
	case f.ToRoot:
		if len(got.Response.Redirects) > 0 && IsRoot(got.Response.FinalURL) {
			return WhyToRoot
		}
	case f.honest() || !f.ReadUnder(b.Rules.Version): // so there is nothing to compare with
	case f.Matches(Describe(r.Doc, r.Hash, FetchURL(it))):
		return WhySoft404
	}
	return ""
}

// ShownByStored tells why a page that is stored is missing, as far as its row tells. If compare is set, only its
// document can tell.
func (f Fingerprint) ShownByStored(it *registry.Item, b Basis) (why string, compare bool) {
	switch {
	case f.honest() || !f.ReadUnder(b.Rules.Version):
		return "", false
	case !f.ToRoot:
		return "", true
	case len(it.HTTPRedirectChain) > 0 && it.HTTPFinalURL != "" && IsRoot(it.HTTPFinalURL):
		return WhyToRoot, false
	}
	return "", false
}

// Matches reports whether a page looks like the one that is shown for pages that do not exist. The visible text must be
// near, and so must the main content: on many sites, every page has most of its visible text in common with all others.
func (f Fingerprint) Matches(p Fingerprint) bool {
	return f.Content == p.Content || f.Visible.Near(p.Visible) && (f.Main == p.Main || f.Main.Near(p.Main))
}

// Describe takes a page's fingerprint, without the words of its address, because many error pages repeat those. The
// hash is its contentHash.
func Describe(doc extract.Document, hash, address string) Fingerprint {
	own := map[string]bool{}
	notInWord := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(address), notInWord) {
		own[w] = true
	}
	ofAddress := func(w string) bool { return own[w] }
	return Fingerprint{
		Visible: extract.FingerprintOf(doc.VisibleText, ofAddress), Main: extract.FingerprintOf(doc.Text, ofAddress),
		Content: hash,
	}
}

// FingerprintID names an answer; "" for an honest one. A page that looks like the one that was known before keeps its
// name, so that a host with a date in its error page does not have every page compared again each week.
func FingerprintID(known Fingerprint, page string) string {
	var now Fingerprint
	_ = json.Unmarshal([]byte(page), &now) // encoded here before, or empty
	switch {
	case now.honest():
		return ""
	case known.ID == "" || known.ToRoot != now.ToRoot:
	case now.ToRoot, known.ReadUnder(lineage.Version(now.Version)) && known.Matches(now):
		return known.ID
	}
	sum := sha256.Sum256([]byte(page))
	return hex.EncodeToString(sum[:8])
}

// IsRoot reports whether an address is that of a front page.
func IsRoot(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == ""
}
