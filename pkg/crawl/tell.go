package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
)

// compareTexts finds the differences between the item's stored text, as it was before this check, and a reading.
// Texts that were read by other rules have been read again before.
func (c *check) compareTexts(
	ctx context.Context, was *registry.Item, r verdict.Reading, o verdict.Outcome,
) (verdict.Outcome, error) {
	old := c.known
	if old == nil {
		s, err := c.stored.load(ctx, was, &c.room, c.basis.Watching)
		if err != nil || s.gone || s.unreadable != nil {
			return o, err
		}
		old = &s
	}
	o, c.differences = verdict.Differing(old.page, old.part, r, o)
	return o, nil
}
