package verdict

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// apply copies a document's content and metadata into its item.
func apply(it registry.Item, r Reading, b Basis, now time.Time) registry.Item {
	b.NoteCanonical(&it, r.Doc, now)
	if r.Hash != it.ContentHash || it.Language == "" {
		it.Language = r.Doc.Language // A22: the language is set once per content
	}
	it.States, it.MainState = b.states(&it, r), r.Main[:]
	it.RawHash, it.ContentHash, it.TextHash = r.Raw, r.Hash, r.Doc.TextHash()
	it.ImageExclusion, it.ImagesHash = r.ImageExclusion, r.ImagesHash
	it.NormalizationVersion = b.Rules.Version.String()
	it.MimeType, it.Title, it.Exclusion = mimeType(r.Doc.MimeType), r.Doc.Title, r.Exclusion
	it.Claim.Header = r.Linked
	it.Watched = b.watched(&it, r, now)
	noteThin(&it, r.Doc, now)
	noteCut(&it, r.Doc, now)
	noteUncompared(&it, r, it.TextHash, false, now)
	noteMetadata(&it, r.Doc, now)
	return it
}

// noteMetadata records the metadata of a page.
func noteMetadata(it *registry.Item, doc extract.Document, now time.Time) {
	said := doc.Metadata.Believable(now)
	it.PublishedAt, it.ModifiedAt, it.Author, it.SiteName = said.Published, said.Modified, said.Author, said.SiteName
}

// noteThin records why a page has little text. The page is indexed all the same. Its history gets one entry about
// this.
func noteThin(it *registry.Item, doc extract.Document, now time.Time) {
	if doc.Thin != "" && doc.Thin != it.Thin {
		it.Record(now, "thin", doc.Thin)
	}
	it.Thin = doc.Thin
}

// NoteShown replaces what the document of a rendered page says of its scripts, which have run.
func NoteShown(doc *extract.Document, pictureOnly bool) {
	switch {
	case pictureOnly:
		doc.Thin = "a browser shows a picture and hardly any text; what the picture says is not read"
	case doc.Thin != "", strings.TrimSpace(doc.VisibleText) == "":
		doc.Thin = "it has hardly any text in a browser, too"
	}
}

// noteUncompared records what is not compared of a page. The hash is that of all visible text. If same is true,
// everything else is as before.
func noteUncompared(it *registry.Item, r Reading, hash string, same bool, now time.Time) {
	u := it.Uncompared.See(hash, same, now)
	u.Folded, u.Unread = r.Folded, r.Doc.Unread.String()
	it.Uncompared = u
}

// noteCut records which part of a text was not read. The history gets one entry about this.
func noteCut(it *registry.Item, doc extract.Document, now time.Time) {
	cut := doc.CutWhy()
	if cut != "" && cut != it.Cut {
		it.Record(now, "cut", cut)
	}
	it.Cut = cut
}

// ApplyStored is like [apply], for a reading of the snapshot. The site gets no request.
func ApplyStored(it registry.Item, r Reading, b Basis, now time.Time) registry.Item {
	it.Watched = b.Watching.renewed(it.Watched, it.NormalizationVersion)
	was := it.Watched
	it = apply(it, r, b, now)
	if is := &it.Watched; is.Key == was.Key && was.Broken != "" && was.BrokenRaw != r.Raw {
		*is = was // the answer in which the part was broken is not the stored one
	}
	return it
}

// Reprocessed returns the capture that replaces a capture of another version. The two are equal, except that the new
// one has a reading under the present version. The item's history records this.
func (b Basis) Reprocessed(it *registry.Item, r Reading, capture snapshot.Capture, now time.Time) snapshot.Capture {
	run := b.Rules.RunID
	if it.RebuildPending && !b.Forced {
		run = it.RebuildRun
	}
	it.Record(now, "reprocessed",
		fmt.Sprintf("read under %s, before under %s", b.Rules.Version, it.NormalizationVersion))
	b.NoteCanonical(it, r.Doc, now)
	capture.ContentHash, capture.TextHash, capture.MimeType = r.Hash, r.Doc.TextHash(), mimeType(r.Doc.MimeType)
	capture.CanonicalURI, capture.NormalizationVersion = canonicalURI(it), b.Rules.Version.String()
	capture.RunID, capture.ReprocessedAt = run, now
	capture.Words = change.WordsOf(r.Doc.MainText()).Bytes()
	said := r.Doc.Metadata.Believable(now)
	capture.PublishedAt, capture.ModifiedAt = said.Published, said.Modified
	capture.Author, capture.SiteName = said.Author, said.SiteName
	return capture
}
