package crawl

import (
	"context"

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
