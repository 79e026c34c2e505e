package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/change"
)

// recall loads what [verdict.Compare] needs for a body with new content: the words of the body, and the words of the
// item's last content. The rows that recall reads are not read again when the capture is stored.
func (c *check) recall(ctx context.Context, got verdict.Answer, r *verdict.Reading) (err error) {
	it, b := &c.item, &c.basis
	if !b.ComparesContent(it, got, *r, c.now()) {
		return nil
	}
	if r.Words = change.WordsOf(r.Doc.MainText()); it.RawHash != "" {
		b.Last, err = c.in.Snapshots.Last(ctx, it.ID, b.Rules.Version.String())
	}
	return err
}
