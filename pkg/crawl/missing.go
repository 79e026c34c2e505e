package crawl

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// confirm decides what it means that the source says the page does not exist. Enough of these in a
// row are believed (A14), unless too much of the host went missing at once. A source of which nothing
// was ever fetched is no loss.
func (c *check) confirm(ctx context.Context, o outcome) (outcome, error) {
	it, config := &c.item, c.memory.rules.schedule
	it.FetchSource = "" // a spelling that is gone says nothing about the source itself
	kind := config.Miss(it.Schedule(), 0, c.now())
	var losses schedule.Losses
	if kind == schedule.Guarded {
		room, err := true, error(nil)
		if it.ContentHash != "" {
			if losses, room, err = c.job.w.reg.Hosts.ReserveLoss(ctx, c.job.lease, config); err != nil {
				return o, err
			}
		}
		if room {
			kind = schedule.Gone
		}
	}
	times := config.Next(it.Schedule(), kind, 0, c.now(), 0).State.Missing
	return miss(kind, o.why, times, config.GoneAfter, losses), nil
}

// miss words what a missing page becomes: times is how often in a row it was missing.
func miss(kind schedule.Outcome, how string, times, goneAfter int, l schedule.Losses) outcome {
	o := outcome{kind: kind, why: how}
	switch kind {
	case schedule.Missing:
		o.why = fmt.Sprintf("%s: missing on %d of %d checks", how, times, goneAfter)
	case schedule.Guarded:
		o.why = fmt.Sprintf("%s: held: %d of %d pages of the host went missing within a day; a second check follows",
			how, l.Gone+l.Reserved+1, l.Items)
	case schedule.Gone:
		o.note = fmt.Sprintf("%s on %s in a row", how, words.Count(times, "check"))
	}
	return o
}
