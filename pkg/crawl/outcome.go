package crawl

import (
	"context"
	"fmt"
	"time"

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
	if c.Status == registry.Crawled && c.Exclusion == "" {
		c.noteRest()
	}
}

// statusHeld is the status that the content we hold deserves.
func (c *check) statusHeld() registry.Status {
	switch {
	case c.Exclusion == exclusionNoIndex || c.Exclusion == exclusionHeader || c.AliasOf != "":
		return registry.OutOfScope
	case c.Exclusion != "" || !c.indexes():
		return registry.Crawled
	default:
		return registry.Indexed
	}
}

// exclude records that a rule forbids the source.
func (c *check) exclude(ctx context.Context, why string) error {
	if err := c.depart(ctx); err != nil {
		return err
	}
	c.outcome = schedule.OutOfScope
	c.Status = registry.OutOfScope
	c.SetError(why)
	c.Record(c.o.Clock(), "outOfScope", why)
	return nil
}

// depart is [check.leaveIndex] of a page that nobody stands for.
func (c *check) depart(ctx context.Context) error {
	if err := c.handOver(ctx); err != nil {
		return err
	}
	if err := c.leaveAlias(ctx); err != nil {
		return err
	}
	return c.leaveIndex(ctx)
}

// leaveIndex takes the item's documents out of the index, and with them any debt of indexing. The
// index is asked even if we know of nothing there, because a worker may have died between index
// and commit; only then may it be down, for the next check asks again.
func (c *check) leaveIndex(ctx context.Context) error {
	if err := c.holds(); err != nil {
		return err
	}
	known := c.IndexedHash != ""
	err := c.remove(ctx)
	if err != nil && (known || !isDown(err)) {
		return err
	}
	c.manifest = ""
	c.replaceManifest()
	c.IndexPending, c.IndexedHash, c.LastIndexedDocID, c.ImageCount, c.AliasOf = false, "", "", 0, ""
	if known {
		c.Record(c.o.Clock(), "unindexed", "taken out of the index")
	}
	return nil
}

// schedule decides about the next check after one of the site.
func (c *check) schedule(now time.Time) {
	d := c.o.Schedule.Next(c.Schedule(), c.outcome, c.retryAfter, now, c.o.Jitter())
	c.Reschedule(d)
	c.LastChecked = now
	c.Record(now, "scheduled", d.Reason)
}

// settle makes the item come soon for a debt that is left; without one it owes nothing to a rebuild
// either, unless another check has to follow for that.
func (c *check) settle(now time.Time, failed bool) {
	if c.IndexPending {
		c.Bring(now.Add(c.o.Schedule.ErrorBase)) // the site is not asked, so soon is not rude
		return
	}
	c.ResumeAt = time.Time{}
	if !c.unkept {
		c.Rebuilt(c.entry != nil && !failed || c.forced && failed) // a force that failed stays asked for
	}
}

// finding closes the check: schedule, force flags and times.
func (c *check) finding() registry.Finding {
	if c.purged {
		return registry.Finding{Item: c.Item, Purge: true}
	}
	now := c.ended
	failed := c.outcome == schedule.Failed
	if c.paid && !failed {
		c.Bring(latest(now, c.ResumeAt))
	} else {
		c.schedule(now)
		c.ResumeAt = c.NextCrawlAt
	}
	c.settle(now, failed)
	if at := now.Add(c.o.Schedule.ErrorBase); c.soon && !failed && at.Before(c.NextCrawlAt) {
		c.Bring(at)
	}
	if !failed {
		// A force that failed stays asked for: the next try ignores the validators, too.
		c.ReindexRequested = false
		c.ProcessedGeneration = c.ReindexGeneration
	}
	return registry.Finding{Item: c.Item, Changed: c.outcome == schedule.Changed, Failed: failed, Unasked: c.paid}
}
