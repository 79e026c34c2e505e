package verdict

import (
	"cmp"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// What the row of an item says, given what the check knows beside it.

// Outdated reports whether what is stored was read under another normalization version. What is known only by its bytes
// was not read under any.
func (b Basis) Outdated(it *registry.Item) bool {
	return it.ContentHash != "" && it.ContentHash != it.RawHash &&
		!lineage.Comparable(lineage.Version(it.NormalizationVersion), b.Rules.Version)
}

// ReadAlike reports whether two items' contents may be compared.
func ReadAlike(a, b *registry.Item) bool {
	return lineage.Comparable(lineage.Version(a.NormalizationVersion), lineage.Version(b.NormalizationVersion))
}

// isCurrent reports whether the content of the last fetch is where it belongs: in the index, if there
// is one, or out of it on purpose.
func (b Basis) isCurrent(it *registry.Item) bool {
	return it.RawHash != "" &&
		(it.Exclusion != "" || it.AliasOf != "" || it.IndexedHash == it.ContentHash || !b.Rules.Indexes)
}

// conditional reports whether "not modified" would be enough of an answer. It is not when the check is forced, when
// what is stored was read by other rules, or when the index lacks, or may lack, the stored content.
func (b Basis) conditional(it *registry.Item) bool {
	return !b.Forced && !it.RebuildPending && !it.Watched.Asked && (b.isCurrent(it) || b.Reread) &&
		it.NormalizationVersion == b.Rules.Version.String()
}

// status is the status that the stored content deserves.
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

// statusIsOfSite reports whether the item's status is about the site, as that of a page is which fails or is gone while
// the index still holds it. Indexing what is stored asks no site, and so must not change such a status.
func (b Basis) statusIsOfSite(it *registry.Item) bool {
	return b.IndexOnly && it.Status != registry.Crawled && it.Status != registry.Indexed
}

// HasMoved reports whether permanent redirects lead elsewhere than at the check before. The index then has the page
// under the wrong address.
func (b Basis) HasMoved(it *registry.Item) bool {
	return movedAddress(it, b.Rules.Sources) != b.MovedTo
}

// Contested reports whether another item may stand for this one.
func (b Basis) Contested(it *registry.Item) bool {
	named, foreign := CandidatesOf(it, b.Rules.Sources)
	return len(named) > 0 || foreign != "" || it.AliasOf != "" || it.CanonicalNote != ""
}

// headerExcludes reports whether only a header keeps something out of the index. A 304 need not
// repeat X-Robots-Tag, so it cannot say that this is over.
func headerExcludes(it *registry.Item) bool {
	return it.Exclusion == exclusionHeader || it.ImageExclusion == exclusionImageHeader
}

// Interrupted reports whether a worker that did not come back may have changed what the index holds of stored content.
// The content is then indexed once more, as if the index had been down. Where nothing was ever fetched, the check that
// follows writes or removes everything anyway.
func Interrupted(it *registry.Item) bool { return it.Interrupted && it.RawHash != "" }

// LeftIndex reports whether the page has left the index for a reason that is not in its body, which voids what was
// asked for before. The status alone does not tell: a page that is forbidden, or gone, may have failed since, or have
// been registered again.
func LeftIndex(it *registry.Item) bool {
	forbidden := !it.HTTPRobotsAllowed || it.Exclusion == exclusionHeader
	return it.Status == registry.OutOfScope || it.IndexedHash == "" && (forbidden || !it.GoneSince.IsZero())
}

// FetchURL is the address that is requested: the spelling that last answered, or else the item's identity.
func FetchURL(it *registry.Item) string { return cmp.Or(it.FetchSource, it.NormalizedSource) }

// BaseURL is the address that links in the stored content are relative to.
func BaseURL(it *registry.Item) string {
	if it.Type != source.File {
		return cmp.Or(it.HTTPFinalURL, FetchURL(it))
	}
	place, err := FileLocation(it)
	if err != nil {
		return "" // Unreachable: the file was read from there.
	}
	return baseOf(place)
}

// canonicalURI is the address that a capture goes by.
func canonicalURI(it *registry.Item) string { return cmp.Or(it.HTTPCanonicalURL, it.NormalizedSource) }

// canonicalURL is the identity of what a document names as its canonical URL. For a document that names none, it is
// where permanent redirects lead; "" if there are no redirects either.
func (b Basis) canonicalURL(it *registry.Item, doc extract.Document) string {
	s, err := b.Rules.Sources.ParseURL(doc.Canonical)
	if doc.Canonical == "" || err != nil {
		return movedAddress(it, b.Rules.Sources)
	}
	return s.Normalized
}

// NoteCanonical takes over a document's canonical URL. It must come before the hashes, because it tells by them that
// the item is new, and a new item has nothing to say in its history.
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
	return it.RemoveRequested || it.MovedTo != "" || rules.Schedule.Expired(it.Schedule(), now)
}
