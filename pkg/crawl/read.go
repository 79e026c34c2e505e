package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// read has a body read in a child process where its format needs that. An error means that our time
// is over.
func (c *check) read(ctx context.Context, got fetched) (read, error) {
	header := got.resp.Header
	doc, unreadable, err := c.job.w.extract(ctx, &c.room, got.resp.Body, header.Get("Content-Type"), got.resp.FinalURL)
	if err != nil || unreadable != nil {
		return read{unreadable: unreadable}, err
	}
	page := doc.Text
	doc, watched := c.memory.watch.of(doc, got.resp.Body, header.Get("Content-Type"), got.resp.FinalURL)
	r := readingOf(&c.item, doc, got.raw, header.Values("X-Robots-Tag"), "", c.memory.rules, c.now())
	r.page, r.part = page, watched
	return r, nil
}

// extract reads a body. Unreadable is why it cannot be read (A17); err is that our own time ran out.
func (w *Worker) extract(
	ctx context.Context, r *room, body []byte, contentType, baseURL string,
) (doc extract.Document, unreadable, err error) {
	if err := r.begin(ctx, len(body)); err != nil {
		return doc, nil, err
	}
	doc, unreadable = w.o.Documents.Extract(ctx, body, contentType, baseURL, extract.Limits{})
	if unreadable != nil && ctx.Err() != nil {
		return doc, nil, unreadable
	}
	return doc, unreadable, nil
}

// stored is what is stored of an item, as the present rules read it.
type stored struct {
	doc        extract.Document // what of it is indexed
	page       string           // the text of the page
	part       *part.Part       // of the page, where one is watched
	capture    snapshot.Capture
	gone       bool  // it is not stored any more, or never was
	unreadable error // why it cannot be read
}

// load reads the capture that an item points at: its own, or that of an item that has moved here.
// What was never read has no digest for a hash, and so is not stored.
func (w *Worker) load(ctx context.Context, it *registry.Item, r *room, as *watching) (s stored, err error) {
	formers, err := w.reg.Moves.Formers(ctx, it)
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
	s.capture = capture
	s.doc, s.unreadable, err = w.extract(ctx, r, body, capture.ContentType(), baseURL(it))
	if s.page = s.doc.Text; err == nil && s.unreadable == nil {
		s.doc, s.part = as.of(s.doc, body, capture.ContentType(), baseURL(it))
	}
	return s, err
}

// reading is what may be indexed of a stored document.
func (c *check) reading(s stored) read {
	r := readingOf(&c.item, s.doc, c.item.RawHash, nil, c.item.ImageExclusion, c.memory.rules, c.now())
	r.page, r.part = s.page, s.part
	return r
}

const snapshotGone = "the snapshot to be indexed is gone"

// storedDocument reads what is stored of the item, at most once. When that cannot be read, the outcome
// is decided, and the next check fetches the page again.
func (c *check) storedDocument(ctx context.Context) (stored, outcome, error) {
	if c.known != nil {
		return *c.known, outcome{}, nil
	}
	s, err := c.job.w.load(ctx, &c.item, &c.room, c.memory.watch)
	switch {
	case err != nil:
		return s, outcome{}, err
	case s.gone:
		c.item.RawHash = ""
		return s, failed(snapshotGone), nil
	case s.unreadable != nil:
		return s, failed("%v", s.unreadable), nil
	}
	c.known = &s
	return s, outcome{}, nil
}

// Images are those that the index shows of an item, in page order, read from its snapshot under the
// present rules; none where the index holds nothing of it. It asks no site, and writes nothing: it
// costs a read of the capture and one of its blob.
func (w *Worker) Images(ctx context.Context, it registry.Item) ([]search.Image, error) {
	if it.IndexedHash == "" || it.ImageCount == 0 {
		return nil, nil
	}
	r := room{of: w.o.Room}
	defer r.end()
	set, err := w.reg.Tags.Effective(ctx, &it)
	if err != nil {
		return nil, err
	}
	s, err := w.load(ctx, &it, &r, watchingOf(set.Watch, w.rules().version.String()))
	if err != nil || s.gone || s.unreadable != nil {
		return nil, err
	}
	return readingOf(&it, s.doc, it.RawHash, nil, it.ImageExclusion, w.rules(), w.o.Clock()).images, nil
}
