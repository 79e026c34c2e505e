package crawl

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/placement"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// check takes one item through the stages. Each stage takes values and returns values: the item as
// it is to be stored, what was found out about it, and where it belongs.
type check struct {
	*checker
	shared
	item        registry.Item // becomes the finding's
	basis       verdict.Basis
	site        *politeness.Asker
	placer      *placement.Placer
	room        room
	release     func()              // gives the permit back, any number of times: the site is not asked any more
	known       *stored             // of the item, once it has been read
	differences verdict.Differences // from what was stored before, where the text has changed
}

// shared is what the checks of a batch share.
type shared struct {
	batch *registry.Batch
	lease *politeness.Lease
	// tryAlone writes down that nothing but a suspect is in work.
	tryAlone func(context.Context, *registry.Item) error
}

// check runs the stages on an item. After an error, which is this program's own, the item is given back as it was.
// A panic is the page's fault, and is recorded on it.
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
	c.site, c.placer = of.lease.Asker(c.room.large), w.pages.Placer(of.lease, &c.basis)
	defer c.room.end()
	defer func() {
		if p := recover(); p != nil {
			w.o.Log.ErrorContext(ctx, "check panicked", "id", it.ID, "panic", p, "stack", string(debug.Stack()))
			done, err = c.end(verdict.Failed("the page could not be processed: %v", p), verdict.Placement{}), nil
		}
	}()
	// An item that is to be removed, or has moved, is not asked for again.
	if verdict.PurgeDue(&c.item, rules, c.now()) {
		release()
		err = c.placer.Purge(ctx, &c.item)
		done = c.end(verdict.Outcome{}, verdict.Placement{})
		done.Purged = true
		return done, err
	}
	// Find out what became of the page, then bring what is known of it to where it belongs. Nothing is committed yet: a
	// worker that dies here leaves an item that is checked again.
	o, r, err := c.find(ctx)
	if err != nil {
		return done, err
	}
	p, o, err := c.indexContent(ctx, o, r)
	if err != nil {
		return done, err
	}
	// The entry waits for the others of the batch, so whatever may take long is done for it now.
	if err := c.placer.Prepare(ctx, &c.item, &p); err != nil {
		return done, err
	}
	err = c.prune(ctx)
	return c.end(o, p), err
}

// find is the first half of a check: fetch, read, compare. A stage that finds out what the item's
// outcome is ends it.
func (c *check) find(ctx context.Context) (o verdict.Outcome, r verdict.Reading, err error) {
	// An item that has killed its worker while it was alone is not tried again.
	if c.item.Deadly {
		return c.recordSuspect(ctx), r, nil
	}
	// This must come before all work on a suspect: if the worker dies of it, that has to be known.
	if err := c.tryAlone(ctx, &c.item); err != nil {
		return o, r, err
	}
	// What is stored, but not in the index, is indexed without asking the site.
	if (c.item.IndexPending || verdict.Interrupted(&c.item)) && !c.basis.Forced {
		c.release()
		return c.pending(ctx)
	}
	// Ask the site, and compare as little as tells that nothing has changed: the status, then the bytes, then the text.
	got, o, err := c.fetch(ctx)
	if err != nil || o.Decided() {
		return o, r, err
	}
	if c.item, o = verdict.CompareAnswer(c.item, got, c.basis, c.now()); !o.Decided() {
		if r, err = c.readAnswer(ctx, got); err != nil {
			return o, r, err
		}
		if err = c.recall(ctx, got, &r); err != nil {
			return o, r, err
		}
		was := c.item
		c.item, o = verdict.Compare(c.item, got, r, c.basis, c.now())
		if k := o.News.Kind; k == change.Content || k == change.Reverted {
			if o, err = c.compareTexts(ctx, &was, r, o); err != nil {
				return o, r, err
			}
		}
	}
	// A body with news is stored before it is placed: what the index holds can then always be read again.
	switch {
	case o.Store:
		err = c.keep(ctx, got, r, o)
	case o.Kind == schedule.Unchanged && !o.Refresh:
		o, err = c.reconsider(ctx, o)
	}
	return o, r, err
}

// end closes the check.
func (c *check) end(o verdict.Outcome, p verdict.Placement) verdict.Checked {
	return verdict.Checked{
		Item: c.item, Basis: c.basis, Outcome: o, Placement: p, Ended: c.now(), Differences: c.differences,
	}
}

func (c *check) now() time.Time { return c.o.Clock() }

// fetch asks the source, unless something forbids that.
func (c *check) fetch(ctx context.Context) (verdict.Answer, verdict.Outcome, error) {
	if c.item.Type == source.File {
		return c.fetchFile(ctx)
	}
	return c.fetchPage(ctx)
}

// recordSuspect records that the item killed its worker. It is not known what the worker had written to the index, so
// the next check asks for the whole page. A snapshot that is to be indexed, or to be read by other rules, may be what
// kills: it is not read again.
func (c *check) recordSuspect(ctx context.Context) verdict.Outcome {
	it := &c.item
	c.release()
	c.o.Log.ErrorContext(ctx, "an item kills its worker",
		"id", it.ID, "url", it.NormalizedSource, "deaths", it.Deaths)
	it.IndexPending, it.NormalizationVersion = false, ""
	it.SetStale()
	return verdict.Failed("checking the page ended the program, also when nothing else was in work")
}
