package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/registry"
)

// compareTexts finds out what differs between what is stored of an item, as it was before this check, and a reading.
// What was read by other rules was read again by now.
func (c *check) compareTexts(ctx context.Context, was *registry.Item, r read, o outcome) (outcome, error) {
	old := c.known
	if old == nil {
		s, err := c.job.w.load(ctx, was, &c.room, c.memory.watch)
		if err != nil || s.gone || s.unreadable != nil {
			return o, err
		}
		old = &s
	}
	o, c.differences = differing(old.page, old.part, r, o)
	return o, nil
}
