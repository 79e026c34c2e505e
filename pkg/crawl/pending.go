package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// pending indexes the stored snapshot, as the present rules read it (B5): nothing is fetched twice
// because the index was down or is rebuilt. It is no check of the site, so the schedule goes on as
// if it had not happened. Whatever goes wrong with the page ends the pending index, and the next check
// fetches the page again.
func (c *check) pending(ctx context.Context) (o verdict.Outcome, r verdict.Reading, err error) {
	it := &c.item
	if !it.IndexPending {
		it.ResumeAt = time.Time{} // interrupted: the check of the site that was to come follows at once
	}
	c.basis.IndexOnly, it.IndexPending = true, false
	nothing := verdict.Unchanged("")
	if verdict.LeftIndex(it) {
		return nothing, r, c.placer.RemoveAgain(ctx, it)
	}
	s, err := c.stored.load(ctx, it, &c.room, c.basis.Watching)
	if err != nil {
		return o, r, err
	}
	switch {
	case s.unreadable != nil:
		if it.IndexedHash == "" {
			err = c.placer.RemoveAgain(ctx, it)
		}
		return verdict.Failed("%v", s.unreadable), r, err
	case s.gone && it.Status == registry.Error && it.IndexedHash == "":
		it.RawHash = ""
		return nothing, r, c.placer.RemoveAgain(ctx, it) // nothing of it was ever indexed
	case s.gone:
		// Nothing is stored, so the site is asked at once: by another job, for which the due row moves.
		c.basis.Unstored, it.RawHash, it.ResumeAt = true, "", c.now().Add(time.Millisecond)
		it.Record(c.now(), "notIndexed", snapshotGone)
		return nothing, r, nil
	}
	r = c.reading(s)
	return verdict.Outcome{Kind: schedule.Unchanged, Refresh: true}, r, c.applyStored(ctx, r, s.capture)
}
