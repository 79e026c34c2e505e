package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/policy/change"
)

// recall brings what a body with news is compared with: its words, and those that the item was last found to
// have. What is read of the item for that is not read again when the capture is stored.
func (c *check) recall(ctx context.Context, got fetched, r *read) (err error) {
	it, m := &c.item, &c.memory
	if !m.comparesContent(it, got, *r, c.now()) {
		return nil
	}
	if r.words = change.WordsOf(r.doc.Text); it.RawHash != "" {
		m.last, err = c.job.w.snaps.Last(ctx, it.ID, m.rules.version.String())
	}
	return err
}
