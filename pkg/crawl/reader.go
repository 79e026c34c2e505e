package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"golang.org/x/net/html"
)

// reader reads bodies, both from sites and from storage.
type reader struct {
	moves     *registry.Moves
	snaps     *snapshot.Store
	documents *document.Reader
}

// extract reads a body. The function seen may be nil, or is that of [extract.Limits]. If the body cannot be read,
// unreadable is the reason (A17). The error err means that this worker's time is over.
func (w *reader) extract(
	ctx context.Context, r *room, body []byte, contentType, baseURL string, seen func(*html.Node, jsonld.Data),
) (doc extract.Document, unreadable, err error) {
	if err := r.begin(ctx, len(body)); err != nil {
		return doc, nil, err
	}
	doc, unreadable = w.documents.Extract(ctx, body, contentType, baseURL, extract.Limits{Tree: seen})
	if unreadable != nil && ctx.Err() != nil {
		return doc, nil, unreadable
	}
	return doc, unreadable, nil
}

// stored is the stored document of an item, read under the present rules.
type stored struct {
	doc        extract.Document // the part of the document that belongs in the index
	page       extract.Document // the whole page
	part       *part.Part       // the watched part of the page; nil if no part is watched
	capture    snapshot.Capture
	linked     bool  // a header gives the canonical address
	gone       bool  // the document is no longer stored, or never was
	unreadable error // why the document cannot be read
	fields     []field.Result
	noFields   string // why the fields were not read
	unreadData jsonld.Unread
}

// readAs is what is read of a stored page besides its text: the watched part, and fields, if any are named.
type readAs struct {
	watching *verdict.Watching
	fields   verdict.Fields
}

// load reads the capture that an item refers to: its own capture, or one of an item that has moved here. If the
// item's hash is not a digest, nothing is stored, because the body was never read.
func (w *reader) load(ctx context.Context, it *registry.Item, r *room, as readAs) (s stored, err error) {
	formers, err := w.moves.Formers(ctx, it)
	if err != nil {
		return s, err
	}
	capture, body, err := w.snaps.LoadOf(ctx, append([]source.ID{it.ID}, formers...), it.RawHash)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		return stored{gone: true}, nil
	}
	if err != nil {
		return s, err
	}
	return w.read(ctx, it, r, as, capture, body)
}

// loadTexts is like load, for a caller that needs only the texts of a document that is not to be indexed. If what was
// read of the item's last capture names the type of the body, the capture's row is not read.
func (w *reader) loadTexts(ctx context.Context, it *registry.Item, r *room, as readAs, last snapshot.Last) (
	stored, error) {
	contentType := last.ContentType(it.RawHash)
	if contentType == "" {
		return w.load(ctx, it, r, as)
	}
	body, err := w.snaps.Body(ctx, it.RawHash)
	if fault.Is(err, fault.NotFound) {
		return stored{gone: true}, nil
	}
	if err != nil {
		return stored{}, err
	}
	return w.read(ctx, it, r, as, snapshot.Capture{ItemID: it.ID, RawHash: it.RawHash, MimeType: contentType}, body)
}

// read reads a stored body.
func (w *reader) read(ctx context.Context, it *registry.Item, r *room, as readAs, capture snapshot.Capture,
	body []byte) (s stored, err error) {
	s.capture = capture
	fields := part.NewFieldReader(as.fields.Specs, verdict.BaseURL(it))
	seen := fields.Tree(nil)
	if as.fields.Specs == nil {
		seen = nil
	}
	s.doc, s.unreadable, err = w.extract(ctx, r, body, capture.ContentType(), verdict.BaseURL(it), seen)
	if s.page = s.doc; err == nil && s.unreadable == nil {
		if capture.PlainHash != "" {
			verdict.NoteShown(&s.doc, it.Rendering.PictureOnly)
		}
		s.linked = verdict.LinkCanonical(&s.doc, capture.Header, verdict.BaseURL(it))
		s.fields, s.noFields = fields.Results(s.doc, body, capture.ContentType())
		s.unreadData = fields.Unread()
		s.doc, s.part = as.watching.Read(s.doc, body, capture.ContentType(), verdict.BaseURL(it))
	}
	return s, err
}

const snapshotGone = "the snapshot to be indexed is gone"

// pending reads the stored snapshot under the present rules and indexes it (B5). Thus a page is not fetched again
// just because the index was down or is being rebuilt. The site is not checked, so the schedule continues as before.
// If the page has any fault, the item is no longer pending, and the next check fetches the page again.
func (c *check) pending(ctx context.Context) (o verdict.Outcome, r verdict.Reading, err error) {
	it := &c.item
	if !it.IndexPending {
		it.ResumeAt = time.Time{} // if the last check was interrupted, it is repeated at once
	}
	c.basis.IndexOnly, it.IndexPending = true, false
	nothing := verdict.Unchanged("")
	if verdict.LeftIndex(it) {
		return nothing, r, c.placer.removeAgain(ctx, it)
	}
	s, err := c.stored.load(ctx, it, &c.room, readAs{watching: c.basis.Watching})
	if err != nil {
		return o, r, err
	}
	switch {
	case s.unreadable != nil:
		if it.IndexedHash == "" {
			err = c.placer.removeAgain(ctx, it)
		}
		return verdict.Failed("%v", s.unreadable), r, err
	case s.gone && it.Status == registry.Error && it.IndexedHash == "":
		it.RawHash = ""
		return nothing, r, c.placer.removeAgain(ctx, it) // no content of the item was ever indexed
	case s.gone:
		// The snapshot is gone, so the page must be fetched at once. Another job fetches it: the item becomes due
		// again now.
		c.basis.Unstored, it.RawHash, it.ResumeAt = true, "", c.now().Add(time.Millisecond)
		it.Record(c.now(), "notIndexed", snapshotGone)
		return nothing, r, nil
	}
	r = c.reading(s)
	return verdict.Outcome{Kind: schedule.Unchanged, Refresh: true}, r, c.applyStored(ctx, r, s.capture)
}
