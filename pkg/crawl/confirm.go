package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// confirm decides whether a missing page counts as missing, guarded or gone. The page is gone after enough missing
// answers in a row (A14). It is guarded instead if too many pages of the host went missing at once. If the source was
// never fetched successfully, its removal does not count as a loss.
func (c *check) confirm(ctx context.Context, o verdict.Outcome) (verdict.Outcome, error) {
	it, config := &c.item, c.basis.Rules.Schedule
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
