package crawl

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/extract"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/source"
)

// payDebt indexes the stored snapshot, as the present rules read it (B5): nothing is fetched twice
// because the index was down or is rebuilt. It is no check of the site, so the schedule goes on as
// if it had not happened. Whatever goes wrong with the page ends the debt, and the next check
// fetches it again.
func (c *check) payDebt(ctx context.Context) error {
	if !c.IndexPending {
		c.ResumeAt = time.Time{} // interrupted: the look at the site that was to come follows at once
	}
	c.paid, c.IndexPending, c.outcome = true, false, schedule.Unchanged
	if c.leftIndex() {
		return c.stayOut(ctx)
	}
	doc, found, err := c.load(ctx)
	if err != nil {
		return err
	}
	if !found && c.Status == registry.Error && c.IndexedHash == "" {
		return c.stayOut(ctx) // nothing of it was ever indexed
	}
	if !found {
		if c.RawHash == "" {
			// Nothing is held, so the site is asked at once: by another job, for which the due row moves.
			c.unkept, c.ResumeAt = true, c.o.Clock().Add(time.Millisecond)
			c.Record(c.o.Clock(), "notIndexed", snapshotGone)
		}
		return nil
	}
	r := c.judge(doc, c.RawHash, nil)
	if old := c.NormalizationVersion; old != lineage.Current.String() {
		c.Record(c.o.Clock(), "reprocessed", fmt.Sprintf("read under %s, before under %s", lineage.Current, old))
	}
	c.takeOver(r)
	if r.exclusion != "" {
		return c.keepOut(ctx, r.exclusion)
	}
	return c.place(ctx, r)
}

const snapshotGone = "the snapshot to be indexed is gone"

// stored extracts the snapshot that the item points at. When it cannot, the check has failed and
// the next one fetches the page again.
func (c *check) stored(ctx context.Context) (doc extract.Document, found bool, err error) {
	if doc, found, err = c.load(ctx); c.RawHash == "" && err == nil {
		c.fail(snapshotGone)
	}
	return doc, found, err
}

// load is stored, but a snapshot that is gone is no failure yet: it is not pointed at any more, so
// the next check fetches the page.
func (c *check) load(ctx context.Context) (doc extract.Document, found bool, err error) {
	if c.RawHash == "" {
		return doc, false, nil
	}
	capture, body, err := c.snaps.Load(ctx, c.ID, c.RawHash)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) { // of what was never read, the hash is no digest
		c.RawHash = ""
		return doc, false, nil
	}
	if err != nil {
		return doc, false, err
	}
	return c.read(ctx, body, capture.ContentType(), c.baseURL())
}

// baseURL is what the addresses in the snapshot are relative to.
func (c *check) baseURL() string {
	if c.Type != source.File {
		return cmp.Or(c.HTTPFinalURL, c.fetchURL())
	}
	place, err := placeOf(&c.Item)
	if err != nil {
		return "" // Unreachable: the file was read from there.
	}
	return baseOf(place)
}

// leftIndex reports whether the page has left the index for a reason that is not in its body. What
// somebody asked for before it left is void then. The status alone does not tell: a page that is
// forbidden, or gone, may have failed since, or have been registered again.
func (c *check) leftIndex() bool {
	forbidden := !c.HTTPRobotsAllowed || c.Exclusion == exclusionHeader
	return c.Status == registry.OutOfScope || c.IndexedHash == "" && (forbidden || !c.GoneSince.IsZero())
}

// stayOut sees to it that the index holds nothing of a page that has left it, which is all that there is to
// be made right.
func (c *check) stayOut(ctx context.Context) error {
	if err := c.holds(); err != nil {
		return err
	}
	return c.remove(ctx)
}

// keepsStatus reports whether the item's status speaks of the site, which paying a debt does not
// ask: that of a page that fails or is gone while the index still holds it.
func (c *check) keepsStatus() bool {
	return c.paid && c.Status != registry.Crawled && c.Status != registry.Indexed
}
