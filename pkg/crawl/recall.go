package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/change"
)

// recall loads what a body with news is compared with: the words of the body, and the words that the item last had.
// The rows read here are not read again when the capture is stored.
func (c *check) recall(ctx context.Context, got verdict.Answer, r *verdict.Reading) (err error) {
	it, b := &c.item, &c.basis
	if !b.ComparesContent(it, got, *r, c.now()) {
		return nil
	}
	if r.Words = change.WordsOf(r.Doc.Text); it.RawHash != "" {
		b.Last, err = c.in.Snapshots.Last(ctx, it.ID, b.Rules.Version.String())
	}
	return err
}
