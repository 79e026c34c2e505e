package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
)

// compareTexts finds the differences between a reading and the text that was stored for the item before this check.
// If that text was read under other rules, it has been read again by now.
func (c *check) compareTexts(
	ctx context.Context, was *registry.Item, r verdict.Reading, o verdict.Outcome,
) (verdict.Outcome, error) {
	old := c.known
	if old == nil {
		s, err := c.stored.loadTexts(ctx, was, &c.room, c.basis.Watching, c.basis.Last)
		if err != nil || s.gone || s.unreadable != nil {
			return o, err
		}
		old = &s
	}
	o, c.differences = verdict.Differing(old.page, old.part, r, o)
	if o.News.Silenced == "" {
		o.News.Why += verdict.NoteMoving(&c.item, c.differences)
	}
	return o, nil
}
