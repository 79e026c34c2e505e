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

// Some sites answer 200 for pages that do not exist, or redirect to their front page. To recognize such answers, a
// worker requests from the host a page that cannot exist. It does so at most once a week, and only when the host has
// just shown new content. A page that looks like the answer is treated as missing (A14).

// Reasons why a page counts as missing although its host answered with status 200.
const (
	WhySoft404 = "soft 404: the host answers this for pages that do not exist"
	WhyToRoot  = "soft 404: the host sends pages that do not exist to its front page"
)

// Fingerprint describes an origin's answer for pages that do not exist, if that answer is not a 404.
type Fingerprint struct {
	ToRoot  bool                `json:"toRoot,omitempty"` // the answer was a redirect to the front page
	Visible extract.Fingerprint `json:"visible"`
	Main    extract.Fingerprint `json:"main"`
	Content string              `json:"content,omitempty"` // contentHash of the answer
	Version string              `json:"version,omitempty"` // version under which the answer was read
	ID      string              // the id that is recorded on items that were compared with the fingerprint
}

// FingerprintOf decodes the fingerprint that is stored in an origin's row.
func FingerprintOf(row registry.Soft404) (f Fingerprint) {
	_ = json.Unmarshal([]byte(row.Page), &f) // if the text is empty or damaged, the fingerprint is empty
	f.ID = row.Fingerprint
	return f
}

// honest reports whether the origin answers 404, as far as is known.
func (f Fingerprint) honest() bool { return !f.ToRoot && f.Content == "" }

// ReadUnder reports whether a fingerprint may be compared with texts that are read under the given version.
func (f Fingerprint) ReadUnder(v lineage.Version) bool {
	return f.Content == "" || lineage.Comparable(lineage.Version(f.Version), v)
}

// shownBy returns the reason why a page with new content counts as missing; "" if it does not count as missing.
func (f Fingerprint) shownBy(it *registry.Item, got Answer, r Reading, b Basis) string {
	switch {
	case f.ToRoot:
		if len(got.Response.Redirects) > 0 && IsRoot(got.Response.FinalURL) {
			return WhyToRoot
		}
	case f.honest() || !f.ReadUnder(b.Rules.Version): // there is no fingerprint to compare with
	case f.Matches(Describe(r.Doc, r.Hash, FetchURL(it))):
		return WhySoft404
	}
	return ""
}

// ShownByStored returns the reason why a stored page counts as missing, according to its row. If the row is not
// enough to decide, it reports that the stored document must be compared.
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

// Matches reports whether a page looks like the host's answer for pages that do not exist. Both the visible text and
// the main content must be similar, because on many sites all pages have most of their visible text in common.
func (f Fingerprint) Matches(p Fingerprint) bool {
	return f.Content == p.Content || f.Visible.Near(p.Visible) && (f.Main == p.Main || f.Main.Near(p.Main))
}

// Describe computes a page's fingerprint from the page's document and contentHash. It leaves out the words of the
// page's address, because many error pages repeat these words.
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

// FingerprintID returns the id of a fingerprint; "" for an honest answer. An answer that looks like the known
// fingerprint keeps its id. Without this rule, a date in a host's error page would cause every page to be compared
// again each week.
func FingerprintID(known Fingerprint, page string) string {
	var now Fingerprint
	_ = json.Unmarshal([]byte(page), &now) // the text is either empty or was encoded by this package
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

// IsRoot reports whether an address is the address of a front page.
func IsRoot(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == ""
}
