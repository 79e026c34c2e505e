package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// pending reads the stored snapshot under the present rules and indexes it (B5). Thus a page is not fetched again
// just because the index was down or is being rebuilt. The site is not checked, so the schedule continues as before.
// If the page has any fault, the item is no longer pending, and the next check fetches the page again.
func (c *check) pending(ctx context.Context) (o verdict.Outcome, r verdict.Reading, err error) {
	it := &c.item
	if !it.IndexPending {
		it.ResumeAt = time.Time{} // if the last check was interrupted, it is repeated at once
	}
	c.basis.IndexOnly, it.IndexPending = true, false
	nothing := verdict.Unchanged("")
	if verdict.LeftIndex(it) {
		return nothing, r, c.placer.removeAgain(ctx, it)
	}
	s, err := c.stored.load(ctx, it, &c.room, readAs{watching: c.basis.Watching})
	if err != nil {
		return o, r, err
	}
	switch {
	case s.unreadable != nil:
		if it.IndexedHash == "" {
			err = c.placer.removeAgain(ctx, it)
		}
		return verdict.Failed("%v", s.unreadable), r, err
	case s.gone && it.Status == registry.Error && it.IndexedHash == "":
		it.RawHash = ""
		return nothing, r, c.placer.removeAgain(ctx, it) // no content of the item was ever indexed
	case s.gone:
		// The snapshot is gone, so the page must be fetched at once. Another job fetches it: the item becomes due
		// again now.
		c.basis.Unstored, it.RawHash, it.ResumeAt = true, "", c.now().Add(time.Millisecond)
		it.Record(c.now(), "notIndexed", snapshotGone)
		return nothing, r, nil
	}
	r = c.reading(s)
	return verdict.Outcome{Kind: schedule.Unchanged, Refresh: true}, r, c.applyStored(ctx, r, s.capture)
}
