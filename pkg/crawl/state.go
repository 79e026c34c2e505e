package crawl

import (
	"cmp"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// What the row of an item says, given what the check knows beside it.

// outdated reports whether what is stored was read under another normalization version. What is known
// by its bytes alone was not read under any.
func (m memory) outdated(it *registry.Item) bool {
	return it.ContentHash != "" && it.ContentHash != it.RawHash &&
		!lineage.Comparable(lineage.Version(it.NormalizationVersion), m.rules.version)
}

// readAlike reports whether two items' contents may be compared.
func readAlike(a, b *registry.Item) bool {
	return lineage.Comparable(lineage.Version(a.NormalizationVersion), lineage.Version(b.NormalizationVersion))
}

// inPlace reports whether the content of the last fetch is where it belongs: in the index, if there
// is one, or out of it on purpose.
func (m memory) inPlace(it *registry.Item) bool {
	return it.RawHash != "" &&
		(it.Exclusion != "" || it.AliasOf != "" || it.IndexedHash == it.ContentHash || !m.rules.indexes)
}

// conditional reports whether "not modified" would be a sufficient answer. It is not when somebody
// insists, when what is stored cannot be read by the present rules of normalization, or when the index
// lacks, or may lack, the stored content.
func (m memory) conditional(it *registry.Item) bool {
	return !m.forced && !it.RebuildPending && !it.Watched.Asked && (m.inPlace(it) || m.reread) &&
		it.NormalizationVersion == m.rules.version.String()
}

// status is the status that the stored content deserves.
func (m memory) status(it *registry.Item) registry.Status {
	switch {
	case it.Exclusion == exclusionNoIndex || it.Exclusion == exclusionHeader || it.AliasOf != "":
		return registry.OutOfScope
	case it.Exclusion != "" || !m.rules.indexes:
		return registry.Crawled
	default:
		return registry.Indexed
	}
}

// statusIsOfSite reports whether the item's status speaks of the site, which an indexing of stored
// content does not ask: that of a page that fails or is gone while the index still holds it.
func (m memory) statusIsOfSite(it *registry.Item) bool {
	return m.indexOnly && it.Status != registry.Crawled && it.Status != registry.Indexed
}

// hasMoved reports whether permanent redirects lead elsewhere than at the check before, so that the
// index has the page under another address than it should.
func (m memory) hasMoved(it *registry.Item) bool {
	return movedAddress(it, m.rules.sources) != m.movedTo
}

// contested reports whether another item may stand for this one.
func (m memory) contested(it *registry.Item) bool {
	claims, foreign := claimsOf(it, m.rules.sources)
	return len(claims) > 0 || foreign != "" || it.AliasOf != "" || it.CanonicalNote != ""
}

// headerExcludes reports whether only a header keeps something out of the index. A 304 need not
// repeat X-Robots-Tag, so it cannot say that this is over.
func headerExcludes(it *registry.Item) bool {
	return it.Exclusion == exclusionHeader || it.ImageExclusion == exclusionImageHeader
}

// interrupted reports whether a worker did not come back that may have changed what the index holds
// of stored content: it is written once more, as if the index had been down. Where nothing was ever
// fetched, the check that follows writes or removes everything anyway.
func interrupted(it *registry.Item) bool { return it.Interrupted && it.RawHash != "" }

// leftIndex reports whether the page has left the index for a reason that is not in its body. What
// somebody asked for before it left is void then. The status alone does not tell: a page that is
// forbidden, or gone, may have failed since, or have been registered again.
func leftIndex(it *registry.Item) bool {
	forbidden := !it.HTTPRobotsAllowed || it.Exclusion == exclusionHeader
	return it.Status == registry.OutOfScope || it.IndexedHash == "" && (forbidden || !it.GoneSince.IsZero())
}

// fetchURL is the form that is requested: the one that last answered, or the identity.
func fetchURL(it *registry.Item) string { return cmp.Or(it.FetchSource, it.NormalizedSource) }

// baseURL is what the addresses in the stored content are relative to.
func baseURL(it *registry.Item) string {
	if it.Type != source.File {
		return cmp.Or(it.HTTPFinalURL, fetchURL(it))
	}
	place, err := placeOf(it)
	if err != nil {
		return "" // Unreachable: the file was read from there.
	}
	return baseOf(place)
}

// canonicalURI is the address that a capture goes by.
func canonicalURI(it *registry.Item) string { return cmp.Or(it.HTTPCanonicalURL, it.NormalizedSource) }

// canonicalURL is the identity of what a document calls its canonical URL. Of one that names none it is
// where permanent redirects lead; "" if there are none either.
func (m memory) canonicalURL(it *registry.Item, doc extract.Document) string {
	s, err := m.rules.sources.ParseURL(doc.Canonical)
	if doc.Canonical == "" || err != nil {
		return movedAddress(it, m.rules.sources)
	}
	return s.Normalized
}

// noteCanonical takes over a document's canonical URL, before its hashes.
func (m memory) noteCanonical(it *registry.Item, doc extract.Document, now time.Time) {
	url := m.canonicalURL(it, doc)
	if url != it.HTTPCanonicalURL && it.RawHash != "" {
		why := "the page names " + url
		switch url {
		case "":
			why = "the page names none any more"
		case movedAddress(it, m.rules.sources):
			why = "it redirects permanently to " + url
		}
		it.Record(now, "canonical", why)
	}
	it.HTTPCanonicalURL = url
}

// purgeDue reports whether the item is to be purged instead of checked.
func purgeDue(it *registry.Item, rules rules, now time.Time) bool {
	return it.RemoveRequested || it.MovedTo != "" || rules.schedule.Expired(it.Schedule(), now)
}
