package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/change"
)

// recall loads what [verdict.Compare] needs for a body with new content: the words of the body, and the words of the
// item's last content. When the capture is stored, the rows that recall has read are not read again.
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
