package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// keep stores the body, and a capture that describes the body.
func (c *check) keep(ctx context.Context, got verdict.Answer, r verdict.Reading, o verdict.Outcome) error {
	it := &c.item
	had := snapshot.Had{RawHash: c.basis.RawBefore, Verified: it.LastVerified, Last: c.basis.Last}
	if body := it.Validators.Body; body != "" { // what was served last is another body with the text of RawBefore
		if err := c.in.Snapshots.Verify(ctx, it.ID, snapshot.Had{RawHash: body, Verified: it.LastVerified}); err != nil {
			return err
		}
		it.Validators.Body, had.Verified = "", time.Time{}
	}
	capture := verdict.CaptureOf(it, got, r, c.basis.Rules.RunID, c.now())
	capture.Words, capture.Change = r.Words.Bytes(), snapshot.ChangeOf(o.News.Kind, o.News.Extent)
	capture.Change.Fields = o.News.FieldsText(c.now())
	saved, err := c.in.Snapshots.Save(ctx, capture, got.Response.Body, had)
	if err != nil {
		return err
	}
	returned := got.Raw != c.basis.RawBefore && !saved.Added
	c.item = verdict.NoteSaved(c.item, saved, o, returned, int64(len(got.Response.Body)), c.now())
	return nil
}

// keepSame stores a body that has other bytes than those that the site served until now, and the same text.
func (c *check) keepSame(ctx context.Context, got verdict.Answer, r verdict.Reading) error {
	it, most := &c.item, c.o.Retention.SameText
	if got.Raw == c.basis.Served {
		return nil
	}
	capture := verdict.CaptureOf(it, got, r, c.basis.Rules.RunID, c.now())
	capture.RawHash, capture.TextHash, capture.SameTextAs = got.Raw, r.Doc.TextHash(), it.RawHash
	known := got.Raw == it.RawHash
	if most == 0 && !known { // the first body with other declared values is kept all the same
		var err error
		if known, err = c.in.Snapshots.Known(ctx, capture); err != nil {
			return err
		}
	}
	if known && it.Validators.Body == "" {
		return nil
	}
	if err := c.lease.Locked(ctx); err != nil {
		return err
	}
	had := snapshot.Had{RawHash: c.basis.Served, Verified: it.LastVerified}
	if known {
		it.Validators.Body = ""
		return c.in.Snapshots.Verify(ctx, it.ID, had)
	}
	it.Validators.Body = got.Raw
	kept, err := c.in.Snapshots.SaveSame(ctx, capture, got.Response.Body, had, most)
	return c.noteKept(kept, err)
}

// noteKept records on the item which captures are kept of it, if no error prevented that.
func (c *check) noteKept(kept snapshot.Kept, err error) error {
	if it := &c.item; err == nil {
		it.CaptureCount, it.CaptureBytes, it.OldestCapture = kept.Count, kept.Bytes, kept.Oldest
	}
	return err
}

// prune drops captures that are no longer needed. It keeps the captures that the item's row refers to now, and those
// that the row will refer to after this check is committed. If the commit fails, the present row stays.
func (c *check) prune(ctx context.Context) error {
	it, retention := &c.item, c.o.Retention
	if !retention.Due(verdict.KeptOf(it), c.now()) {
		return nil
	}
	kept, err := c.in.Snapshots.Prune(ctx, it.ID, retention, c.now(), it.RawHash, c.basis.RawBefore,
		it.Validators.Body, c.basis.Served)
	return c.noteKept(kept, err)
}
