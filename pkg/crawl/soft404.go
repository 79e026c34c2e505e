package crawl

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

// Some sites answer 200 for pages that do not exist, or send everybody to their front page. To
// know them, a host is asked for a page that cannot exist, once a week at most and only when it has
// just shown new content; what looks the same is missing (A14). A page that was stored before its host
// was known is compared from its snapshot when it is next found unchanged: see soft404late.go.

// Why a page that was answered is missing.
const (
	WhySoft404 = "soft 404: the host answers this for pages that do not exist"
	WhyToRoot  = "soft 404: the host sends pages that do not exist to its front page"
)

// fingerprint describes what an origin shows instead of 404.
type fingerprint struct {
	ToRoot  bool                `json:"toRoot,omitempty"` // a redirect to the front page
	Visible extract.Fingerprint `json:"visible"`
	Main    extract.Fingerprint `json:"main"`
	Content string              `json:"content,omitempty"` // contentHash
	Version string              `json:"version,omitempty"` // that Content and the fingerprints were read under
	id      string              // by which items remember that they were compared with it
}

// fingerprintOf reads what is known of an origin.
func fingerprintOf(row registry.Soft404) (f fingerprint) {
	_ = json.Unmarshal([]byte(row.Page), &f) // empty or damaged: nothing is known
	f.id = row.Fingerprint
	return f
}

// honest reports whether the origin, as far as is known, answers 404.
func (f fingerprint) honest() bool { return !f.ToRoot && f.Content == "" }

// under reports whether what is known may be compared with what is read under a version: of answers
// that were stored by an earlier release nobody knows.
func (f fingerprint) under(v lineage.Version) bool {
	return f.Content == "" || lineage.Comparable(lineage.Version(f.Version), v)
}

// shownBy tells why a page with new content is missing all the same; "" if it is not.
func (f fingerprint) shownBy(it *registry.Item, got fetched, r read, m memory) string {
	switch {
	case f.ToRoot:
		if len(got.resp.Redirects) > 0 && isRoot(got.resp.FinalURL) {
			return WhyToRoot
		}
	case f.honest() || !f.under(m.rules.version): // so there is nothing to compare with
	case f.matches(describe(r.doc, r.hash, fetchURL(it))):
		return WhySoft404
	}
	return ""
}

// shownByStored is [fingerprint.shownBy] of a page that is stored, as far as its row tells; otherwise
// its document has to be compared.
func (f fingerprint) shownByStored(it *registry.Item, m memory) (why string, compare bool) {
	switch {
	case f.honest() || !f.under(m.rules.version):
		return "", false
	case !f.ToRoot:
		return "", true
	case len(it.HTTPRedirectChain) > 0 && it.HTTPFinalURL != "" && isRoot(it.HTTPFinalURL):
		return WhyToRoot, false
	}
	return "", false
}

// matches reports whether a page looks like the one shown for pages that do not exist. All that is
// visible must be near, and so must the main content, because on many sites every page has most of
// its text in common with all others.
func (f fingerprint) matches(p fingerprint) bool {
	return f.Content == p.Content || f.Visible.Near(p.Visible) && (f.Main == p.Main || f.Main.Near(p.Main))
}

// describe takes a page's fingerprints, without the words of its own address, which many such pages
// repeat. hash is its contentHash.
func describe(doc extract.Document, hash, address string) fingerprint {
	own := map[string]bool{}
	notInWord := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(address), notInWord) {
		own[w] = true
	}
	leave := func(w string) bool { return own[w] }
	return fingerprint{
		Visible: extract.FingerprintOf(doc.VisibleText, leave), Main: extract.FingerprintOf(doc.Text, leave),
		Content: hash,
	}
}

// fingerprintID names an answer, given what was known before it: a page that looks as it did keeps its name,
// so that a host whose error page has a date in it does not have everything compared again each week.
func fingerprintID(known fingerprint, page string) string {
	var now fingerprint
	_ = json.Unmarshal([]byte(page), &now) // ours, or empty
	switch {
	case now.honest():
		return ""
	case known.id == "" || known.ToRoot != now.ToRoot:
	case now.ToRoot, known.under(lineage.Version(now.Version)) && known.matches(now):
		return known.id
	}
	sum := sha256.Sum256([]byte(page))
	return hex.EncodeToString(sum[:8])
}

func isRoot(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == ""
}
