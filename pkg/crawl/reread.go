package crawl

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Hashes belong to one normalization version, and those of two versions are never compared. So the
// first check of an item under another version reads its stored capture once more before it asks the
// site: what the site answers is then compared under one version, and a change of the rules does not
// look like a change of the page. A rebuild does the same without the site; see [check.pending].

// reread reads what is stored by the present rules, ours and those of what is watched, where it was read by others.
// The item takes it over before the site is asked, so that a site that fails costs no second reading. A capture that
// cannot be read leaves nothing to compare with: the site is asked for everything.
func (c *check) reread(ctx context.Context) error {
	it := &c.item
	if it.NormalizationVersion == "" || it.RawHash == "" || !c.memory.outdated(it) && !c.memory.watch.otherRules(it) {
		return nil
	}
	defer c.room.end() // or this check might wait for a large body while it keeps others waiting
	s, err := c.job.w.load(ctx, it, &c.room, c.memory.watch)
	switch {
	case err != nil:
		return err
	case s.gone, s.unreadable != nil:
		it.Watched = registry.Watched{}
		if w := c.memory.watch; w != nil {
			it.Watched.Key = w.key // and nothing to compare with
		}
	}
	switch {
	case s.gone:
		it.Record(c.now(), "reprocessed",
			fmt.Sprintf("not compared: the snapshot that was read under %s is gone", it.NormalizationVersion))
		return nil
	case s.unreadable != nil:
		it.Record(c.now(), "reprocessed",
			fmt.Sprintf("not compared: the snapshot cannot be read under %s: %v", c.memory.rules.version, s.unreadable))
		return nil
	}
	r := c.reading(s)
	if it.Exclusion == exclusionHeader { // a snapshot does not say that this is over
		r.exclusion = cmp.Or(r.exclusion, exclusionHeader)
	}
	c.known, c.memory.reread = &s, true
	return c.takeOverStored(ctx, r, s.capture)
}

// otherRules reports whether what is watched of an item is known by other rules than the present ones.
func (w *watching) otherRules(it *registry.Item) bool {
	if w == nil {
		return it.Watched.Key != ""
	}
	return it.Watched.Key != w.key
}

// takeOverStored takes over what was read in the stored capture. Where that is of another version, it
// is stored as a capture of ours (B5).
func (c *check) takeOverStored(ctx context.Context, r read, capture snapshot.Capture) error {
	it, m, now := &c.item, c.memory, c.now()
	if m.outdated(it) {
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
		if err := c.job.w.snaps.Reprocess(ctx, capture); err != nil {
			return err
		}
	}
	was := it.Watched
	c.item = takeOver(c.item, r, m, now)
	if is := &c.item.Watched; is.Key == was.Key && was.Broken != "" && was.BrokenRaw != r.raw {
		*is = was // what broke it is not what is stored
	}
	return nil
}

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
