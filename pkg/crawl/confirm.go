package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// confirm decides what it means that the source says the page does not exist. Enough of these in a
// row are believed (A14), unless too much of the host went missing at once. A source of which nothing
// was ever fetched is no loss.
func (c *check) confirm(ctx context.Context, o verdict.Outcome) (verdict.Outcome, error) {
	it, config := &c.item, c.basis.Rules.Schedule
	it.FetchSource = "" // a spelling that is gone says nothing about the source itself
	kind := config.Miss(it.Schedule(), 0, c.now())
	var losses schedule.Losses
	if kind == schedule.Guarded {
		room, err := true, error(nil)
		if it.ContentHash != "" {
			if losses, room, err = c.in.Hosts.ReserveLoss(ctx, c.batch, config); err != nil {
				return o, err
			}
		}
		if room {
			kind = schedule.Gone
		}
	}
	return verdict.Missed(it, kind, o.Why, config, losses, c.now()), nil
}
