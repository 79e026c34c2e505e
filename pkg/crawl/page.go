package crawl

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/extract"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/robots"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/snapshot"
)

// Exclusions that the page wishes, by where it says so; of the page itself and of its images.
const (
	exclusionNoIndex     = "noindex"
	exclusionHeader      = "noindex by X-Robots-Tag"
	exclusionNoImages    = "noimageindex"
	exclusionImageHeader = "noimageindex by X-Robots-Tag"
)

// notModified takes note of an answer without a body. Its header may forbid indexing what was
// allowed: a site's configuration changes without its pages.
func (c *check) notModified(ctx context.Context, resp fetch.Response) error {
	if c.knowsUnreadable() {
		c.failAsBefore()
		return nil
	}
	said := c.directives(resp.Header.Values("X-Robots-Tag"))
	if c.Exclusion == "" && said.NoIndex {
		c.Exclusion, c.outcome = exclusionHeader, schedule.Unchanged
		return c.keepOut(ctx, exclusionHeader)
	}
	if c.ImageCount > 0 && said.NoImageIndex {
		return c.dropImages(ctx)
	}
	why := WhyNotModified
	if resp.Status == http.StatusOK {
		why = WhyValidators
	}
	return c.stays(ctx, why)
}

func (c *check) directives(values []string) robots.Directives {
	return robots.ParseDirectives(values, c.o.Agent, c.o.Clock())
}

// dropImages indexes the page that the index holds once more, without its images: a header forbids
// them now. The text comes from the snapshot, for there is no body.
func (c *check) dropImages(ctx context.Context) error {
	c.answered()
	c.ImageExclusion, c.outcome = exclusionImageHeader, schedule.Unchanged
	doc, found, err := c.stored(ctx)
	if err != nil || !found {
		return err
	}
	c.Record(c.o.Clock(), "images", exclusionImageHeader)
	return c.place(ctx, c.judge(doc, c.RawHash, nil))
}

// compare decides what a body means: the same bytes, the same content, or something new.
func (c *check) compare(ctx context.Context, resp fetch.Response) error {
	if resp.Encoding != "" {
		c.fail("the body is in a content encoding that is not known: %.100q", resp.Encoding)
		return nil
	}
	raw := snapshot.Hash(resp.Body)
	// The header may speak about the same bytes differently; then the exclusion decides below.
	spoken := c.headerExcludes() || resp.Header.Get("X-Robots-Tag") != ""
	// A relative rel=canonical means something else at another address.
	if raw == c.RawHash && !spoken && c.conditional() && finalURL(resp) == c.HTTPFinalURL {
		c.noteValidators(resp)
		c.Unreadable = registry.Unreadable{}
		return c.stays(ctx, WhySameBytes)
	}
	if c.isUnreadable(resp, raw) {
		c.noteItsValidators(resp)
		c.failAsBefore()
		return nil
	}
	doc, readable, err := c.read(ctx, resp.Body, resp.Header.Get("Content-Type"), resp.FinalURL)
	switch {
	case err != nil:
		return err
	case !readable:
		c.noteUnreadable(resp, raw, c.unread)
		return nil
	}
	c.Unreadable = registry.Unreadable{}
	return c.weigh(ctx, resp, doc, raw)
}

// weigh decides what a document means that is not what we hold to the byte.
func (c *check) weigh(ctx context.Context, resp fetch.Response, doc extract.Document, raw string) error {
	c.ImageExclusion = "" // a body says all that the page says now
	r := c.judge(doc, raw, resp.Header.Values("X-Robots-Tag"))
	if c.same(r) && c.canonicalURL(doc) == c.HTTPCanonicalURL {
		c.noteValidators(resp)
		c.ImageExclusion = r.imageExclusion
		if err := c.snaps.Verify(ctx, c.ID, c.RawHash, c.o.Clock()); err != nil {
			return err
		}
		return c.stays(ctx, WhySameContent)
	}
	why, mark, err := c.softMissing(ctx, resp, r)
	switch {
	case err != nil:
		return err
	case why != "":
		return c.missing(ctx, why)
	}
	c.compared(mark)
	return c.adopt(ctx, resp, r)
}

// same reports whether a reading has nothing for the index that it would not hold already.
func (c *check) same(r reading) bool {
	return r.hash == c.ContentHash && r.exclusion == c.Exclusion && r.imagesHash == c.ImagesHash && c.conditional()
}

// read extracts a document. One that cannot be read is recorded as failing (A17); the error is our
// own time running out.
func (c *check) read(ctx context.Context, body []byte, contentType, baseURL string) (doc extract.Document, readable bool, err error) {
	doc, err = c.o.Documents.Extract(ctx, body, contentType, baseURL, extract.Limits{})
	if err != nil && ctx.Err() != nil {
		return doc, false, err
	}
	if err != nil {
		c.unread = err
		c.fail("%v", err)
		return doc, false, nil
	}
	return doc, true, nil
}

// headerExcludes reports whether only a header keeps something out of the index. A 304 need not
// repeat X-Robots-Tag, so it cannot say that this is over.
func (c *check) headerExcludes() bool {
	return c.Exclusion == exclusionHeader || c.ImageExclusion == exclusionImageHeader
}

// adopt takes over new content: body, capture, index, item, in this order.
func (c *check) adopt(ctx context.Context, resp fetch.Response, r reading) error {
	now := c.o.Clock()
	first, changed := c.ContentHash == "", r.hash != c.ContentHash
	images, renamed := r.imagesHash != c.ImagesHash, c.same(r) // but for its rel=canonical
	c.noteValidators(resp)
	c.takeOver(r)
	saved, err := c.keep(ctx, resp)
	if err != nil {
		return err
	}
	c.outcome = schedule.Unchanged
	if changed {
		c.outcome = schedule.Changed
		c.LastChanged = now
		c.Record(now, "changed", changeReason(first, r.raw != c.rawBefore && !saved.Added, saved))
	} else if images {
		// Pictures are part of what is found, but a page is not checked more often for them.
		c.Record(now, "images", imagesReason(r))
	}
	if r.exclusion != "" {
		return c.keepOut(ctx, r.exclusion)
	}
	if renamed && !c.o.ReindexOnCanonical {
		return c.keepPlace(ctx, "only rel=canonical has changed")
	}
	return c.place(ctx, r)
}

func imagesReason(r reading) string {
	if r.imageExclusion != "" {
		return r.imageExclusion
	}
	return "the images are different, the text is not"
}

// takeOver copies what the document says into the item.
func (c *check) takeOver(r reading) {
	c.noteCanonical(r.doc)
	if r.hash != c.ContentHash || c.Language == "" {
		c.Language = r.doc.Language // A22: once per content
	}
	c.RawHash, c.ContentHash, c.TextHash = r.raw, r.hash, r.doc.TextHash()
	c.ImageExclusion, c.ImagesHash = r.imageExclusion, r.imagesHash
	c.NormalizationVersion = lineage.Current.String()
	c.MimeType, c.Title, c.Exclusion = mimeType(r.doc.MimeType), r.doc.Title, r.exclusion
}

func (c *check) capture(resp fetch.Response) snapshot.Capture {
	uri := c.HTTPCanonicalURL
	if uri == "" {
		uri = c.NormalizedSource
	}
	return snapshot.Capture{
		ItemID: c.ID, RawHash: c.RawHash, ContentHash: c.ContentHash, TextHash: c.TextHash, CanonicalURI: uri,
		FetchURL: c.HTTPFinalURL,
		MimeType: c.MimeType, StatusCode: resp.Status, Header: keptHeaders(resp), Bytes: int64(len(resp.Body)),
		NormalizationVersion: c.NormalizationVersion, RunID: c.o.RunID, CapturedAt: c.o.Clock(),
	}
}

// keepOut leaves content that must not, or cannot, be searched out of the index.
func (c *check) keepOut(ctx context.Context, why string) error {
	if err := c.depart(ctx); err != nil {
		return err
	}
	c.Status = c.statusHeld()
	c.ErrorMessage = ""
	c.Record(c.o.Clock(), "notIndexed", why)
	return nil
}
