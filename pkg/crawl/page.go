package crawl

import (
	"context"
	"fmt"
	"net/http"

	"github.com/tidemark/tidemark/pkg/extract"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/robots"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/snapshot"
)

// Exclusions that the page wishes, by where it says so.
const (
	exclusionNoIndex = "noindex"
	exclusionHeader  = "noindex by X-Robots-Tag"
)

// notModified takes note of an answer without a body. Its header may forbid indexing what was
// allowed: a site's configuration changes without its pages.
func (c *check) notModified(ctx context.Context, resp fetch.Response) error {
	if c.Exclusion == "" && c.noIndex(resp.Header.Values("X-Robots-Tag")) {
		c.Exclusion, c.outcome = exclusionHeader, schedule.Unchanged
		return c.keepOut(ctx, exclusionHeader)
	}
	why := "304: the site says nothing has changed"
	if resp.Status == http.StatusOK {
		why = "HEAD: the validators are those we know"
	}
	c.unchanged(why)
	return nil
}

func (c *check) noIndex(values []string) bool {
	return robots.ParseDirectives(values, c.o.Agent, c.o.Clock()).NoIndex
}

// compare decides what a body means: the same bytes, the same content, or something new.
func (c *check) compare(ctx context.Context, resp fetch.Response) error {
	if resp.Encoding != "" {
		c.fail("the body is in a content encoding that is not known: %.100q", resp.Encoding)
		return nil
	}
	raw := snapshot.Hash(resp.Body)
	// The header may speak about the same bytes differently; then the exclusion decides below.
	spoken := c.Exclusion == exclusionHeader || resp.Header.Get("X-Robots-Tag") != ""
	if raw == c.RawHash && !spoken && c.conditional() {
		c.noteValidators(resp)
		c.unchanged("the same bytes as before")
		return nil
	}
	doc, readable, err := c.read(ctx, resp.Body, resp.Header.Get("Content-Type"), resp.FinalURL)
	if err != nil || !readable {
		return err
	}
	hash := doc.ContentHash()
	exclusion := c.exclusionOf(doc, resp)
	if hash == c.ContentHash && exclusion == c.Exclusion && c.conditional() {
		c.noteValidators(resp)
		c.unchanged("other bytes, the same content")
		return c.snaps.Verify(ctx, c.ID, c.RawHash, c.o.Clock())
	}
	return c.adopt(ctx, resp, doc, raw, exclusion)
}

// read extracts a document. One that cannot be read is recorded as failing (A17); the error is our
// own time running out.
func (c *check) read(ctx context.Context, body []byte, contentType, baseURL string) (doc extract.Document, readable bool, err error) {
	doc, err = c.o.Documents.Extract(ctx, body, contentType, baseURL, extract.Limits{})
	if err != nil && ctx.Err() != nil {
		return doc, false, err
	}
	if err != nil {
		c.fail("%v", err)
		return doc, false, nil
	}
	return doc, true, nil
}

// exclusionOf says why a document that was fetched is kept out of the index; "" if it is not.
func (c *check) exclusionOf(doc extract.Document, resp fetch.Response) string {
	switch {
	case c.noIndex(doc.MetaRobots):
		return exclusionNoIndex
	case c.noIndex(resp.Header.Values("X-Robots-Tag")):
		return exclusionHeader
	case doc.Unsupported:
		return fmt.Sprintf("text cannot be extracted from %s yet", doc.MimeType)
	default:
		return ""
	}
}

// adopt takes over new content: body, capture, index, item, in this order.
func (c *check) adopt(ctx context.Context, resp fetch.Response, doc extract.Document, raw, exclusion string) error {
	now := c.o.Clock()
	first, changed := c.ContentHash == "", doc.ContentHash() != c.ContentHash
	c.noteValidators(resp)
	c.takeOver(doc, raw, exclusion)
	if err := c.snaps.Save(ctx, c.capture(resp), resp.Body); err != nil {
		return err
	}
	c.outcome = schedule.Unchanged
	if changed {
		c.outcome = schedule.Changed
		c.LastChanged = now
		c.Record(now, "changed", changeReason(first))
	}
	if exclusion != "" {
		return c.keepOut(ctx, exclusion)
	}
	c.enterIndex(doc)
	return nil
}

func changeReason(first bool) string {
	if first {
		return "fetched for the first time"
	}
	return "the content is different"
}

// takeOver copies what the document says into the item.
func (c *check) takeOver(doc extract.Document, raw, exclusion string) {
	hash := doc.ContentHash()
	if hash != c.ContentHash || c.Language == "" {
		c.Language = doc.Language // A22: once per content
	}
	c.RawHash, c.ContentHash, c.TextHash = raw, hash, doc.TextHash()
	c.NormalizationVersion = lineage.Current.String()
	c.MimeType, c.Title, c.Exclusion = mimeType(doc.MimeType), doc.Title, exclusion
	c.HTTPCanonicalURL = ""
	if doc.Canonical != "" {
		if s, err := c.o.Rules.ParseURL(doc.Canonical); err == nil {
			c.HTTPCanonicalURL = s.Normalized
		}
	}
}

func (c *check) capture(resp fetch.Response) snapshot.Capture {
	uri := c.HTTPCanonicalURL
	if uri == "" {
		uri = c.NormalizedSource
	}
	return snapshot.Capture{
		ItemID: c.ID, RawHash: c.RawHash, ContentHash: c.ContentHash, TextHash: c.TextHash, CanonicalURI: uri,
		MimeType: c.MimeType, StatusCode: resp.Status, Header: keptHeaders(resp), Bytes: int64(len(resp.Body)),
		NormalizationVersion: c.NormalizationVersion, RunID: c.o.RunID, CapturedAt: c.o.Clock(),
	}
}

// keepOut leaves content that must not, or cannot, be searched out of the index.
func (c *check) keepOut(ctx context.Context, why string) error {
	if err := c.leaveIndex(ctx); err != nil {
		return err
	}
	c.Status = c.statusHeld()
	c.ErrorMessage = ""
	c.Record(c.o.Clock(), "notIndexed", why)
	return nil
}

// payDebt indexes the stored snapshot: nothing is fetched twice because the index was down. It is
// no check of the site, so the schedule goes on as if it had not happened. Whatever goes wrong
// with the page ends the debt, and the next check fetches it again.
func (c *check) payDebt(ctx context.Context) error {
	c.paid, c.IndexPending = true, false
	capture, body, err := c.snaps.Load(ctx, c.ID, c.RawHash)
	if fault.Is(err, fault.NotFound) {
		c.RawHash = "" // purged meanwhile
		c.fail("the snapshot to be indexed is gone")
		return nil
	}
	if err != nil {
		return err
	}
	doc, readable, err := c.read(ctx, body, capture.ContentType(), c.fetchURL())
	if err != nil || !readable {
		return err
	}
	c.outcome = schedule.Unchanged
	c.enterIndex(doc)
	return nil
}
