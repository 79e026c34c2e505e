package crawl

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/schedule"
)

// missing records that the site says the page does not exist, and how it said so. Enough of these
// in a row are believed (A14), unless too much of the host went missing at once: the documents
// leave the index before the status says so.
func (c *check) missing(ctx context.Context, how string) error {
	c.FetchSource = "" // a spelling that is gone says nothing about the source itself
	outcome, l, err := c.miss(ctx)
	if err != nil {
		return err
	}
	c.outcome = outcome
	times := c.o.Schedule.Next(c.Schedule(), c.outcome, 0, c.o.Clock(), 0).State.Missing
	switch c.outcome {
	case schedule.Missing:
		c.stay("missing", fmt.Sprintf("%s: missing on %d of %d checks", how, times, c.o.Schedule.GoneAfter))
		return nil
	case schedule.Held:
		c.stay("held", fmt.Sprintf("%s: held: %d of %d pages of the host went missing within a day; a second look follows",
			how, l.Gone+l.Reserved+1, l.Items))
		return nil
	}
	if !c.o.KeepGone {
		if err := c.depart(ctx); err != nil {
			return err
		}
	}
	if c.Status != registry.Gone {
		c.Record(c.o.Clock(), "gone", fmt.Sprintf("%s on %d checks in a row", how, times))
	}
	c.Status = registry.Gone
	c.SetError(how)
	return nil
}

// stay leaves the item as it is, with a note why.
func (c *check) stay(what, why string) {
	if c.Status == registry.Pending {
		c.Status = registry.Error // nothing of it was ever fetched
	}
	c.SetError(why)
	c.Record(c.o.Clock(), what, why)
}

// miss decides what the item's next miss makes of it, and takes room for a tombstone where that needs
// any. A source of which nothing was ever fetched is no loss.
func (c *check) miss(ctx context.Context) (o schedule.Outcome, l schedule.Losses, err error) {
	s, now := c.Schedule(), c.o.Clock()
	o = c.o.Schedule.Miss(s, 0, now)
	if o != schedule.Held {
		return o, l, nil
	}
	room := true
	if c.ContentHash != "" {
		l, room, err = c.reg.TakeRoom(ctx, c.batch, c.o.Schedule)
	}
	if room {
		o = schedule.Gone
	}
	return o, l, err
}
