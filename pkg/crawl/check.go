package crawl

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// check takes one item through the stages. Each stage takes values and returns values: the item to store, the
// outcome, and where the content belongs.
type check struct {
	*checker
	shared
	item        registry.Item // the item, as changed by the stages so far; in the end it becomes part of the finding
	basis       verdict.Basis
	site        *politeness.Asker
	placer      *Placer
	room        room
	release     func()              // gives the permit back; further calls do nothing
	known       *stored             // the item's stored document, once it has been read
	differences verdict.Differences // what differs from the stored text, when the text has changed
	listed      []feed.Change       // the new entries of a list
	fields      verdict.FieldNews   // what was found of the fields
	texts       *verdict.Texts      // the texts that were compared; nil if none were
}

// shared is the data that the checks of a batch have in common.
type shared struct {
	batch *registry.Batch
	lease *politeness.Lease
	// noteBegun records that the check of an item begins, if that matters.
	noteBegun func(context.Context, *registry.Item) error
}

// check runs the stages on an item. An error means that this program failed, and that the item is given back
// unchanged. A panic counts as the page's fault and is recorded on the item.
func (w *checker) check(
	ctx context.Context, it registry.Item, of shared, release func(),
) (done verdict.Checked, err error) {
	rules := w.rules()
	set, err := w.in.Tags.Effective(ctx, &it)
	if err != nil {
		return done, err
	}
	c := &check{
		checker: w, shared: of, item: it, release: release, room: room{of: w.o.Room},
		basis: verdict.BasisOf(&it, rules, set),
	}
	c.site, c.placer = of.lease.Asker(c.room.large), w.pages.placer(of.lease, &c.basis)
	defer c.room.end()
	defer func() {
		if p := recover(); p != nil {
			w.o.Log.ErrorContext(ctx, "check panicked", "id", it.ID, "panic", p, "stack", string(debug.Stack()))
			done, err = c.end(verdict.Failed("the page could not be processed: %v", p), verdict.Placement{}), nil
		}
	}()
	// An item that is to be removed, or that has moved, needs no request. Its content is purged instead.
	if verdict.PurgeDue(&c.item, rules, c.now()) {
		release()
		err = c.placer.purge(ctx, &c.item)
		done = c.end(verdict.Outcome{}, verdict.Placement{})
		done.Purged = true
		return done, err
	}
	// The outcome must be known before the content is placed: it decides whether the page is indexed, becomes an
	// alias or leaves the index. Nothing is committed yet, so if the worker dies here, the item is checked again.
	o, r, err := c.find(ctx)
	if err != nil {
		return done, err
	}
	p, o, err := c.indexContent(ctx, o, r)
	if err != nil {
		return done, err
	}
	// The page is written to the index later, together with the other pages of the batch. Slow preparation, such as
	// computing vectors, is done now, because the time at the end of the lock is reserved for the commit.
	if err := c.placer.prepare(ctx, &c.item, &p); err != nil {
		return done, err
	}
	err = c.prune(ctx)
	return c.end(o, p), err
}

// find is the first half of a check: fetch, read, compare. It ends at the first stage that decides the outcome.
func (c *check) find(ctx context.Context) (o verdict.Outcome, r verdict.Reading, err error) {
	// An item that has killed its workers while it was tried alone would kill the next one, too, so it is not tried
	// again.
	if c.item.Deadly {
		return c.recordSuspect(ctx), r, nil
	}
	if c.item.Early {
		c.release()
		return verdict.PutOff(&c.item), r, nil
	}
	// This must come before all work on the item: if the worker dies, the record shows which items may have killed
	// it.
	if err := c.noteBegun(ctx, &c.item); err != nil {
		return o, r, err
	}
	// Stored content that is not in the index is indexed from its snapshot, so that an outage of the index costs the
	// site no request.
	if (c.item.IndexPending || verdict.Interrupted(&c.item)) && !c.basis.Forced {
		c.release()
		return c.pending(ctx)
	}
	// The cheapest evidence comes first: most checks find nothing new, and the status or the bytes alone often show
	// it. A body must be read and compared as text only when its bytes differ.
	got, o, err := c.fetch(ctx)
	if err != nil || o.Decided() {
		return o, r, err
	}
	skipped := c.item.Rendering.Skipped
	if c.item, o = verdict.CompareAnswer(c.item, got, c.basis, c.now()); c.item.Rendering.Skipped > skipped {
		c.o.Metrics.Spared.Add(1, "same")
	}
	was := c.item
	if !o.Decided() {
		if got, r, o, err = c.readAnswer(ctx, got); err != nil || o.Decided() {
			return o, r, err
		}
		if err = c.recall(ctx, got, &r); err != nil {
			return o, r, err
		}
		was = c.item
		c.item, o = verdict.Compare(c.item, got, r, c.basis, c.now())
		if err = c.readList(ctx, r, o); err != nil {
			return o, r, err
		}
		if k := o.News.Kind; k == change.Content || k == change.Beside || k == change.Reverted {
			if o, err = c.compareTexts(ctx, &was, r, o); err != nil {
				return o, r, err
			}
		}
	}
	if o, err = c.readFields(ctx, &was, got, r, o); err != nil {
		return o, r, err
	}
	// A body with new content is stored before its content is placed, so that everything in the index can be read
	// again from a snapshot.
	switch {
	case o.Store:
		err = c.keep(ctx, got, r, o)
	case o.Kind == schedule.Unchanged:
		c.item = verdict.NoteBareFields(c.item, o, c.now())
		if o.Known {
			err = c.keepSame(ctx, got, r)
		}
		if err == nil && !o.Refresh {
			o, err = c.reconsider(ctx, o)
		}
	}
	return o, r, err
}

// end returns the checked item with its outcome and placement.
func (c *check) end(o verdict.Outcome, p verdict.Placement) verdict.Checked {
	return verdict.Checked{
		Item: c.item, Basis: c.basis, Outcome: o, Placement: p, Ended: c.now(), Differences: c.differences,
		Listed: c.listed,
	}
}

func (c *check) now() time.Time { return c.o.Clock() }

// fetch requests the source, unless a rule forbids the request.
func (c *check) fetch(ctx context.Context) (verdict.Answer, verdict.Outcome, error) {
	if c.item.Type == source.File {
		return c.fetchFile(ctx)
	}
	return c.fetchPage(ctx)
}

// recordSuspect records that the item killed its worker. The worker may have changed the index before it died, so the
// next check fetches the whole page. That check does not use the snapshot, neither to index it nor to read it under
// new rules, because reading the snapshot may be what kills the worker.
func (c *check) recordSuspect(ctx context.Context) verdict.Outcome {
	it := &c.item
	c.release()
	c.o.Log.ErrorContext(ctx, "an item kills its worker",
		"id", it.ID, "url", it.NormalizedSource, "deaths", it.Deaths)
	it.IndexPending, it.NormalizationVersion = false, ""
	it.SetStale()
	return verdict.Failed("checking the page ended the program twice when nothing else was in work")
}
