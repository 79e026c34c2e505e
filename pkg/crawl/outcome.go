package crawl

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/schedule"
)

// fail records that the check came to nothing. What the index holds stays.
func (c *check) fail(format string, args ...any) {
	c.outcome = schedule.Failed
	c.Status = registry.Error
	c.SetError(fmt.Sprintf(format, args...))
	c.Record(c.o.Clock(), "error", c.ErrorMessage)
}

// unchanged records that the source still has the content we hold.
func (c *check) unchanged(why string) {
	c.outcome = schedule.Unchanged
	c.Status = c.statusHeld()
	c.ErrorMessage = ""
	c.Record(c.o.Clock(), "unchanged", why)
}

// statusHeld is the status that the content we hold deserves.
func (c *check) statusHeld() registry.Status {
	switch {
	case c.Exclusion == exclusionNoIndex:
		return registry.OutOfScope
	case c.Exclusion != "":
		return registry.Crawled
	default:
		return registry.Indexed
	}
}

// missing records a 404 or 410. Enough of them in a row are believed (A14): the documents leave
// the index before the status says so.
func (c *check) missing(ctx context.Context, status int) error {
	c.outcome = schedule.Missing
	if c.Status == registry.Gone {
		c.outcome = schedule.Gone
	}
	d := c.o.Schedule.Next(c.Schedule(), c.outcome, 0, c.o.Clock(), 0)
	if !d.Gone {
		if c.Status == registry.Pending {
			c.Status = registry.Error // nothing of it was ever fetched
		}
		c.SetError(fmt.Sprintf("HTTP %d: missing on %d of %d checks", status, d.State.Missing, c.o.Schedule.GoneAfter))
		c.Record(c.o.Clock(), "missing", c.ErrorMessage)
		return nil
	}
	if !c.o.KeepGone {
		if err := c.leaveIndex(ctx); err != nil {
			return err
		}
	}
	if c.Status != registry.Gone {
		c.Record(c.o.Clock(), "gone", fmt.Sprintf("HTTP %d on %d checks in a row", status, d.State.Missing))
	}
	c.Status = registry.Gone
	c.SetError(fmt.Sprintf("HTTP %d", status))
	return nil
}

// exclude records that a rule forbids the source.
func (c *check) exclude(ctx context.Context, why string) error {
	if err := c.leaveIndex(ctx); err != nil {
		return err
	}
	c.outcome = schedule.OutOfScope
	c.Status = registry.OutOfScope
	c.SetError(why)
	c.Record(c.o.Clock(), "outOfScope", why)
	return nil
}

// leaveIndex takes the item's documents out of the index.
func (c *check) leaveIndex(ctx context.Context) error {
	if c.IndexedHash == "" {
		return nil
	}
	if err := c.index.Remove(ctx, string(c.ID)); err != nil {
		return err
	}
	c.IndexedHash, c.LastIndexedDocID = "", ""
	c.Record(c.o.Clock(), "unindexed", "taken out of the index")
	return nil
}

// finding closes the check: schedule, force flags and times.
func (c *check) finding() registry.Finding {
	now := c.o.Clock()
	d := c.o.Schedule.Next(c.Schedule(), c.outcome, c.retryAfter, now, c.o.Jitter())
	c.Reschedule(d)
	if c.IndexPending {
		c.Bring(now.Add(c.o.Schedule.ErrorBase)) // the site is not asked, so soon is not rude
	}
	c.LastChecked = now
	failed := c.outcome == schedule.Failed
	if !failed {
		// A force that failed stays asked for: the next try ignores the validators, too.
		c.ReindexRequested = false
		c.ProcessedGeneration = c.ReindexGeneration
	}
	c.Record(now, "scheduled", d.Reason)
	return registry.Finding{Item: c.Item, Changed: c.outcome == schedule.Changed, Failed: failed}
}
