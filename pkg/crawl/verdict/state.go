package verdict

import (
	"cmp"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// The functions below interpret the row of an item, using what the check knows besides the row.

// Outdated reports whether the stored content was read under another normalization version. Content of which only the
// bytes are known has no version.
func (b Basis) Outdated(it *registry.Item) bool {
	return it.ContentHash != "" && it.ContentHash != it.RawHash &&
		!lineage.Comparable(lineage.Version(it.NormalizationVersion), b.Rules.Version)
}

// newlyRead reports whether a body has text that an earlier version could not read. The content known of it is its
// bytes, with which a text cannot be compared.
func (b Basis) newlyRead(it *registry.Item, r Reading) bool {
	return it.ContentHash != "" && it.ContentHash == it.RawHash && !r.Unread &&
		!lineage.Comparable(lineage.Version(it.NormalizationVersion), b.Rules.Version)
}

// ReadAlike reports whether the contents of two items were read under the same version, so that they may be compared.
func ReadAlike(a, b *registry.Item) bool {
	return lineage.Comparable(lineage.Version(a.NormalizationVersion), lineage.Version(b.NormalizationVersion))
}

// isCurrent reports whether the index agrees with the last fetched content: it has the content, or lacks it on
// purpose, or no index is configured.
func (b Basis) isCurrent(it *registry.Item) bool {
	return it.RawHash != "" &&
		(it.Exclusion != "" || it.AliasOf != "" || it.IndexedHash == it.ContentHash || !b.Rules.Indexes)
}

// conditional reports whether the answer "not modified" would be enough. It would not if the check is forced, if the
// stored content was read under other rules, or if the index may lack the stored content.
func (b Basis) conditional(it *registry.Item) bool {
	return !b.Forced && !it.RebuildPending && !it.Watched.Asked && (b.isCurrent(it) || b.Reread) &&
		it.NormalizationVersion == b.Rules.Version.String()
}

// status returns the status that the stored content implies.
func (b Basis) status(it *registry.Item) registry.Status {
	switch {
	case it.Exclusion == exclusionNoIndex || it.Exclusion == exclusionHeader || it.AliasOf != "":
		return registry.OutOfScope
	case it.Exclusion != "" || !b.Rules.Indexes:
		return registry.Crawled
	default:
		return registry.Indexed
	}
}

// statusIsOfSite reports whether the item's status states a fact about the site: the page fails or is gone, although
// it is still in the index. Indexing stored content sends no request to the site, so it must not change such a
// status.
func (b Basis) statusIsOfSite(it *registry.Item) bool {
	return b.IndexOnly && it.Status != registry.Crawled && it.Status != registry.Indexed
}

// HasMoved reports whether permanent redirects lead to another address than at the previous check. If so, the index
// has the page under the wrong address.
func (b Basis) HasMoved(it *registry.Item) bool {
	return movedAddress(it, b.Rules.Sources) != b.MovedTo
}

// Contested reports whether another item may stand for this one.
func (b Basis) Contested(it *registry.Item) bool {
	named, foreign := CandidatesOf(it, b.Rules.Sources)
	return len(named) > 0 || foreign != "" || it.AliasOf != "" || it.CanonicalNote != ""
}

// headerExcludes reports whether the page or its images are excluded from the index by a header alone. A 304 need not
// repeat X-Robots-Tag, so a 304 without that header does not end the exclusion.
func headerExcludes(it *registry.Item) bool {
	return it.Exclusion == exclusionHeader || it.ImageExclusion == exclusionImageHeader
}

// Interrupted reports whether a worker died that may have changed the stored content of an item in the index. The
// content is then indexed again, as after an outage of the index. If nothing was ever fetched, Interrupted is false,
// because the next check writes or removes everything anyway; so it is for a container or a folder, which has no
// content of its own.
func Interrupted(it *registry.Item) bool { return it.Interrupted && it.RawHash != "" && !IsListing(it) }

// LeftIndex reports whether the page was removed from the index for a reason that is not in its body. Earlier
// requests to index the page are then void. The status alone does not show this: after the removal, the page may have
// failed or may have been registered again.
func LeftIndex(it *registry.Item) bool {
	forbidden := !it.HTTPRobotsAllowed || it.Exclusion == exclusionHeader
	return it.Status == registry.OutOfScope || it.IndexedHash == "" && (forbidden || !it.GoneSince.IsZero())
}

// FetchURL returns the address to request: the spelling that last answered or, if there is none, the item's identity.
func FetchURL(it *registry.Item) string { return cmp.Or(it.FetchSource, it.NormalizedSource) }

// BaseURL returns the address that links in the stored content are relative to.
func BaseURL(it *registry.Item) string {
	if it.Type != source.File {
		return cmp.Or(it.HTTPFinalURL, FetchURL(it))
	}
	place, err := FileLocation(it)
	if err != nil {
		return "" // Unreachable: the file was read from this location.
	}
	return baseOf(place)
}

// canonicalURI returns the address under which a capture is archived.
func canonicalURI(it *registry.Item) string { return cmp.Or(it.HTTPCanonicalURL, it.NormalizedSource) }

// canonicalURL returns the identity of the canonical URL that a document gives. If the document gives none,
// canonicalURL returns the target of permanent redirects. If there are no such redirects, it returns "".
func (b Basis) canonicalURL(it *registry.Item, doc extract.Document) string {
	s, err := b.Rules.Sources.ParseURL(doc.Canonical)
	if doc.Canonical == "" || err != nil {
		return movedAddress(it, b.Rules.Sources)
	}
	return s.Normalized
}

// LeastInCommon is the share of the shorter of two texts that must be in the other, so that the one page may stand for
// the other.
const LeastInCommon = 0.6

// LinkCanonical sets the canonical address of a document that gives none to the one that the header gives. It reports
// whether the header gives one.
func LinkCanonical(doc *extract.Document, header http.Header, address string) bool {
	if doc.Canonical != "" {
		return false
	}
	doc.Canonical = fetch.CanonicalLink(header, address)
	return doc.Canonical != ""
}

// linksElsewhere reports whether the canonical address that a header gives may differ from the known one. A header can
// change while the body stays the same.
func (b Basis) linksElsewhere(it *registry.Item, got Answer) bool {
	link := fetch.CanonicalLink(got.Response.Header, got.Response.FinalURL)
	if link == "" {
		return it.Claim.Header
	}
	s, err := b.Rules.Sources.ParseURL(link)
	return err == nil && s.Normalized != it.HTTPCanonicalURL
}

// NoteCanonical records a document's canonical URL on the item. It must be called before the hashes are set: an item
// without hashes is new, and a new item gets no history entry.
func (b Basis) NoteCanonical(it *registry.Item, doc extract.Document, now time.Time) {
	url := b.canonicalURL(it, doc)
	if url != it.HTTPCanonicalURL && it.RawHash != "" {
		why := "the page names " + url
		switch url {
		case "":
			why = "the page names none any more"
		case movedAddress(it, b.Rules.Sources):
			why = "it redirects permanently to " + url
		}
		it.Record(now, "canonical", why)
	}
	it.HTTPCanonicalURL = url
}

// PurgeDue reports whether the item is to be purged instead of checked.
func PurgeDue(it *registry.Item, rules Rules, now time.Time) bool {
	return it.RemoveRequested && !now.Before(it.RemoveAfter) || it.MovedTo != "" || it.DraftOver(now) ||
		rules.Schedule.Expired(it.Schedule(), now)
}

// Request returns the request for a page. The request is conditional if the answer "not modified" would be enough
// (A8). A credential is sent only to the origin that its setting specifies (A24).
func (b Basis) Request(
	it *registry.Item, setting func(string) string, now time.Time,
) (req fetch.Request, conditional bool, err error) {
	req.URL, req.Refresh = FetchURL(it), true
	if it.Credential != "" {
		if req.Secret, err = credential.ForPage(setting, it.Credential, req.URL); err != nil {
			return req, false, err
		}
	}
	if u := &it.Unreadable; b.knowsUnreadable(it, now) {
		req.ETag, req.LastModified, req.ValidFor = u.ETag, u.LastModified, u.FinalURL
		return req, false, nil
	}
	// If this is false, the body itself is needed.
	if b.conditional(it) && !headerExcludes(it) && !it.Collapse.Waits() && !b.needsWhole(it, now) &&
		!b.Rendering.needsBody(it, now) {
		req.ETag, req.LastModified, req.ValidFor = it.HTTPEtag, it.LastModified(), it.HTTPFinalURL
	}
	return req, req.ETag != "" || req.LastModified != "", nil
}

// Rules are the settings that all verdicts depend on.
type Rules struct {
	Agent              string // product token that robots directives are matched against
	Sources            source.Rules
	FileRoot           string          // the folder of local files, below which their paths begin
	Version            lineage.Version // version of the rules for reading texts
	Schedule           schedule.Config
	Indexes            bool // whether an index is configured
	Browser            bool // whether there is a browser to render pages
	ReindexOnCanonical bool // after a change of rel=canonical alone, index the page again
	Soft404            bool // whether hosts are asked for pages that cannot exist
	RunID              string
}

// Basis is what a check knows in addition to the item and the answer: the rules, and the state of the item when the
// check began.
type Basis struct {
	Rules     Rules
	Options   options.Effective // the options that people have set for the item
	Watching  *Watching         // the part of the item that people watch
	Fields    Fields            // the fields that people ask for
	Forced    bool              // the check was forced, so it ignores everything that is stored
	IndexOnly bool              // the site gets no request: stored content is indexed
	Reread    bool              // the stored content was read under another version, and has been read again
	Unstored  bool              // the content to be indexed is no longer stored, so another check must fetch it
	RawBefore string            // the item's RawHash when the check began
	Served    string            // the body that the source served before the check
	Manifest  string            // the manifest of the page's contents in the index
	MovedTo   string            // the target of permanent redirects
	Soft404   Fingerprint       // the host's answer for pages that do not exist
	Last      snapshot.Last     // the last content that the item had
	Rendering RenderingPolicy   // what decides whether the item is rendered
	Rendered  Seen              // what this check has found out by rendering the page, or by not rendering it
	// redirects are the redirects that the previous check recorded.
	redirects   []string
	fetchSource string
}

// BasisOf returns the basis of a new check, with the options that people have set for the item.
func BasisOf(it *registry.Item, r Rules, set options.Effective) Basis {
	return Basis{
		Rules: r, Options: set, Rendering: RenderingPolicy{Options: set, Browser: r.Browser},
		Watching: WatchingOf(it, set.Watch, r.Version.String()), Fields: fieldsOf(set.Watch),
		Forced: it.Forced(), RawBefore: it.RawHash, Served: it.Validators.Served(it.RawHash), Manifest: it.Manifest,
		MovedTo: movedAddress(it, r.Sources), redirects: it.HTTPRedirectChain, fetchSource: it.FetchSource,
	}
}
