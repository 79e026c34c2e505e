package crawl

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// takeOver copies what a document says into its item.
func takeOver(it registry.Item, r read, m memory, now time.Time) registry.Item {
	m.noteCanonical(&it, r.doc, now)
	if r.hash != it.ContentHash || it.Language == "" {
		it.Language = r.doc.Language // A22: once per content
	}
	it.States = m.states(&it, r)
	it.RawHash, it.ContentHash, it.TextHash = r.raw, r.hash, r.doc.TextHash()
	it.ImageExclusion, it.ImagesHash = r.imageExclusion, r.imagesHash
	it.NormalizationVersion = m.rules.version.String()
	it.MimeType, it.Title, it.Exclusion = mimeType(r.doc.MimeType), r.doc.Title, r.exclusion
	it.Watched = m.watch.watched(&it, r.part, r.raw, now)
	noteThin(&it, r.doc, now)
	noteMetadata(&it, r.doc, now)
	return it
}

// noteMetadata keeps what a page says of itself.
func noteMetadata(it *registry.Item, doc extract.Document, now time.Time) {
	said := doc.Metadata.Believable(now)
	it.PublishedAt, it.ModifiedAt, it.Author, it.SiteName = said.Published, said.Modified, said.Author, said.SiteName
}

// noteThin keeps why a page has little to read. It is indexed all the same, and the history says so once.
func noteThin(it *registry.Item, doc extract.Document, now time.Time) {
	if doc.Thin != "" && doc.Thin != it.Thin {
		it.Record(now, "thin", doc.Thin)
	}
	it.Thin = doc.Thin
}

// takeOverStored is [takeOver] for a reading of what is stored.
func takeOverStored(it registry.Item, r read, m memory, now time.Time) registry.Item {
	was := it.Watched
	it = takeOver(it, r, m, now)
	if is := &it.Watched; is.Key == was.Key && was.Broken != "" && was.BrokenRaw != r.raw {
		*is = was // what broke it is not what is stored
	}
	return it
}

// reprocessed is a stored capture as one of the present version, as which it has now been read. The item's
// history says so.
func (m memory) reprocessed(it *registry.Item, r read, capture snapshot.Capture, now time.Time) snapshot.Capture {
	run := m.rules.runID
	if it.RebuildPending && !m.forced {
		run = it.RebuildRun
	}
	it.Record(now, "reprocessed",
		fmt.Sprintf("read under %s, before under %s", m.rules.version, it.NormalizationVersion))
	m.noteCanonical(it, r.doc, now)
	capture.ContentHash, capture.TextHash, capture.MimeType = r.hash, r.doc.TextHash(), mimeType(r.doc.MimeType)
	capture.CanonicalURI, capture.NormalizationVersion = canonicalURI(it), m.rules.version.String()
	capture.RunID, capture.ReprocessedAt = run, now
	capture.Words = change.WordsOf(r.doc.Text).Bytes()
	said := r.doc.Metadata.Believable(now)
	capture.PublishedAt, capture.ModifiedAt = said.Published, said.Modified
	capture.Author, capture.SiteName = said.Author, said.SiteName
	return capture
}
