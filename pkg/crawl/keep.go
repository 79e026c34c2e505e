package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/storage"
)

// What an item's history says about checks that are "unchanged". With the first two the server said
// so, with the third the same body came again; archives have records for these.
const (
	WhyNotModified = "304: the site says nothing has changed"
	WhyValidators  = "HEAD: the validators are those we know"
	WhySameBytes   = "the same bytes as before"
	WhySameContent = "other bytes, the same content"
)

// keep has the body and its capture stored.
func (c *check) keep(ctx context.Context, resp fetch.Response) (snapshot.Saved, error) {
	saved, err := c.snaps.Save(ctx, c.capture(resp), resp.Body, c.rawBefore)
	if err != nil {
		return saved, err
	}
	if saved.Added {
		kept := c.kept().Added(int64(len(resp.Body)))
		c.CaptureCount, c.CaptureBytes = kept.Count, kept.Bytes
	}
	if c.OldestCapture.IsZero() {
		c.OldestCapture = saved.Replaced
	}
	return saved, nil
}

// kept is what is kept of the item, as far as we know.
func (c *check) kept() snapshot.Kept {
	return snapshot.Kept{Count: c.CaptureCount, Bytes: c.CaptureBytes, Oldest: c.OldestCapture}
}

// prune drops captures that need not be kept any longer. What the item's row names stays, and what
// it will name once this check is committed: until then either may come to stand.
func (c *check) prune(ctx context.Context) error {
	if !c.o.Retention.Due(c.kept(), c.o.Clock()) {
		return nil
	}
	kept, err := c.snaps.Prune(ctx, c.ID, c.o.Retention, c.o.Clock(), c.RawHash, c.rawBefore)
	if err == nil {
		c.CaptureCount, c.CaptureBytes, c.OldestCapture = kept.Count, kept.Bytes, kept.Oldest
	}
	return err
}

// changeReason says how content differs from what the item had: first is that it had none.
func changeReason(first, returned bool, saved snapshot.Saved) string {
	switch {
	case first:
		return "fetched for the first time"
	case returned:
		return "the content is that of " + storage.FormatTime(saved.Since) + " again"
	default:
		return "the content is different"
	}
}
