package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Reading has a body read in a child process where its format needs that. An error means that our time
// is over.
func (c *check) read(ctx context.Context, got verdict.Answer) (verdict.Reading, error) {
	header := got.Response.Header
	body, address := got.Response.Body, got.Response.FinalURL
	doc, unreadable, err := c.job.w.extract(ctx, &c.room, body, header.Get("Content-Type"), address)
	if err != nil || unreadable != nil {
		return verdict.Reading{Unreadable: unreadable}, err
	}
	page := doc.Text
	doc, watched := c.basis.Watching.Read(doc, body, header.Get("Content-Type"), address)
	r := verdict.ReadingOf(&c.item, doc, got.Raw, header.Values("X-Robots-Tag"), "", c.basis.Rules, c.now())
	r.Page, r.Part = page, watched
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
func (w *Worker) load(ctx context.Context, it *registry.Item, r *room, as *verdict.Watching) (s stored, err error) {
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
	s.doc, s.unreadable, err = w.extract(ctx, r, body, capture.ContentType(), verdict.BaseURL(it))
	if s.page = s.doc.Text; err == nil && s.unreadable == nil {
		s.doc, s.part = as.Read(s.doc, body, capture.ContentType(), verdict.BaseURL(it))
	}
	return s, err
}

// reading is what may be indexed of a stored document.
func (c *check) reading(s stored) verdict.Reading {
	r := verdict.ReadingOf(&c.item, s.doc, c.item.RawHash, nil, c.item.ImageExclusion, c.basis.Rules, c.now())
	r.Page, r.Part = s.page, s.part
	return r
}

const snapshotGone = "the snapshot to be indexed is gone"

// storedDocument reads what is stored of the item, at most once. When that cannot be read, the outcome
// is decided, and the next check fetches the page again.
func (c *check) storedDocument(ctx context.Context) (stored, verdict.Outcome, error) {
	if c.known != nil {
		return *c.known, verdict.Outcome{}, nil
	}
	s, err := c.job.w.load(ctx, &c.item, &c.room, c.basis.Watching)
	switch {
	case err != nil:
		return s, verdict.Outcome{}, err
	case s.gone:
		c.item.RawHash = ""
		return s, verdict.Failed(snapshotGone), nil
	case s.unreadable != nil:
		return s, verdict.Failed("%v", s.unreadable), nil
	}
	c.known = &s
	return s, verdict.Outcome{}, nil
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
	s, err := w.load(ctx, &it, &r, verdict.WatchingOf(set.Watch, w.rules().Version.String()))
	if err != nil || s.gone || s.unreadable != nil {
		return nil, err
	}
	return verdict.ReadingOf(&it, s.doc, it.RawHash, nil, it.ImageExclusion, w.rules(), w.o.Clock()).Images, nil
}

// readAnswer reads what the site sent, and remembers what the host shows for pages that do not exist where
// the document has to be compared with that. The check has its permit until it is certain that the host
// is not asked for such a page: who waited for another permit could wait for those who wait for the
// memory that this check has. The error is our own storage's, or that our time is over.
func (c *check) readAnswer(ctx context.Context, got verdict.Answer) (r verdict.Reading, err error) {
	defer c.answered()
	o, compared := c.compared(got)
	shown, known := c.prober().Remembered(o)
	if known || !compared {
		c.answered()
	}
	if r, err = c.read(ctx, got); err != nil {
		return r, err
	}
	if !compared || !c.basis.IsNews(&c.item, r, c.now()) || r.Doc.Unsupported ||
		r.Doc.VisibleText == "" {
		return r, nil
	}
	if !known {
		shown, err = c.prober().Current(ctx, o)
	}
	c.basis.Soft404 = shown
	return r, err
}

// compared reports whether an answer may have to be compared with what its origin shows for pages that do
// not exist.
func (c *check) compared(got verdict.Answer) (o politeness.Origin, ok bool) {
	if !c.basis.Rules.Soft404 || got.File != nil || verdict.IsRoot(c.item.NormalizedSource) {
		return o, false
	}
	o, err := politeness.OriginOf(verdict.FetchURL(&c.item))
	return o, err == nil
}

// prober finds out what the item's host shows for pages that do not exist.
func (c *check) prober() politeness.Prober {
	read := func(ctx context.Context, resp fetch.Response) (extract.Document, error, error) {
		return c.job.w.extract(ctx, &c.room, resp.Body, resp.Header.Get("Content-Type"), resp.FinalURL)
	}
	return c.site.Prober(c.basis.Rules.Version, read)
}
