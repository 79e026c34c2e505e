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
		c.CaptureCount++
	}
	if c.OldestCapture.IsZero() {
		c.OldestCapture = saved.Replaced
	}
	return saved, nil
}

// prune drops captures that need not be kept any longer. What the item's row names stays, and what
// it will name once this check is committed: until then either may come to stand.
func (c *check) prune(ctx context.Context) error {
	kept := snapshot.Kept{Count: c.CaptureCount, Oldest: c.OldestCapture}
	if !c.o.Retention.Due(kept, c.o.Clock()) {
		return nil
	}
	kept, err := c.snaps.Prune(ctx, c.ID, c.o.Retention, c.o.Clock(), c.RawHash, c.rawBefore)
	if err == nil {
		c.CaptureCount, c.OldestCapture = kept.Count, kept.Oldest
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
