package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// keep stores the body and its capture.
func (c *check) keep(ctx context.Context, got fetched, r read, o outcome) error {
	it := &c.item
	had := snapshot.Had{RawHash: c.memory.rawBefore, Verified: it.LastVerified, Last: c.memory.last}
	capture := captureOf(it, got, c.memory.rules.runID, c.now())
	capture.Words, capture.Change = r.words.Bytes(), snapshot.ChangeOf(o.news.kind, o.news.extent)
	saved, err := c.job.w.snaps.Save(ctx, capture, got.resp.Body, had)
	if err != nil {
		return err
	}
	returned := got.raw != c.memory.rawBefore && !saved.Added
	c.item = noteSaved(c.item, saved, o, returned, int64(len(got.resp.Body)), c.now())
	return nil
}

// captureOf describes a body that is new, from its item, which has taken over what it says.
func captureOf(it *registry.Item, got fetched, runID string, now time.Time) snapshot.Capture {
	return snapshot.Capture{
		ItemID: it.ID, RawHash: it.RawHash, ContentHash: it.ContentHash, TextHash: it.TextHash,
		CanonicalURI: canonicalURI(it), FetchURL: it.HTTPFinalURL, MimeType: it.MimeType,
		StatusCode: got.resp.Status, Header: keptHeaders(got.resp), Bytes: int64(len(got.resp.Body)),
		NormalizationVersion: it.NormalizationVersion, RunID: runID, CapturedAt: now,
		PublishedAt: it.PublishedAt, ModifiedAt: it.ModifiedAt, Author: it.Author, SiteName: it.SiteName,
	}
}

// noteSaved takes note of what is stored now, and says in the history what is new. Returned is that
// the item had this body before.
func noteSaved(
	it registry.Item, saved snapshot.Saved, o outcome, returned bool, bytes int64, now time.Time,
) registry.Item {
	if saved.Added {
		kept := keptOf(&it).Added(bytes)
		it.CaptureCount, it.CaptureBytes = kept.Count, kept.Bytes
	}
	if it.OldestCapture.IsZero() {
		it.OldestCapture = saved.Replaced
	}
	n := o.news
	if e := saved.Change.Extent(); e.Measured && !n.extent.Measured { // by an earlier try
		n.why = n.kind.Why(e)
	}
	if n.silenced != "" {
		it.Record(now, "silenced", n.silenced)
		return it
	}
	switch n.kind {
	case change.New:
		it.Record(now, "changed", n.why)
	case change.Content, change.Reverted:
		if returned {
			n.why = "the content is that of " + storage.FormatTime(saved.Since) + " again"
		}
		it.Record(now, map[bool]string{true: "changed", false: "reverted"}[n.kind == change.Content], n.why)
	case change.Title, change.Images, change.Metadata:
		if n.why != "" {
			it.Record(now, string(n.kind), n.why)
		}
	}
	return it
}

// keptOf is what is stored of the item, as far as we know.
func keptOf(it *registry.Item) snapshot.Kept {
	return snapshot.Kept{Count: it.CaptureCount, Bytes: it.CaptureBytes, Oldest: it.OldestCapture}
}

// prune drops captures that need not be stored any longer. What the item's row names stays, and what
// it will name once this check is committed: until then either may come to stand.
func (c *check) prune(ctx context.Context) error {
	it, retention := &c.item, c.job.w.o.Retention
	if !retention.Due(keptOf(it), c.now()) {
		return nil
	}
	kept, err := c.job.w.snaps.Prune(ctx, it.ID, retention, c.now(), it.RawHash, c.memory.rawBefore)
	if err == nil {
		it.CaptureCount, it.CaptureBytes, it.OldestCapture = kept.Count, kept.Bytes, kept.Oldest
	}
	return err
}
