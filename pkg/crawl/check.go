package crawl

import (
	"context"
	"runtime/debug"
	"time"

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
	job         *job
	item        registry.Item // becomes the finding's
	basis       verdict.Basis
	site        *politeness.Asker
	placer      placer
	room        room
	answered    func()              // gives the permit back: the site is not asked any more
	known       *stored             // of the item, once it has been read
	differences verdict.Differences // from what was stored before, where the text has changed
}

// check runs the stages on an item. Its error is our own fault, and the item is given back as it was;
// a panic is the page's fault, and is recorded on it.
func (j *job) check(ctx context.Context, it registry.Item, release func()) (done verdict.Checked, err error) {
	rules := j.w.rules()
	set, err := j.w.reg.Tags.Effective(ctx, &it)
	if err != nil {
		return done, err
	}
	c := &check{
		job: j, item: it, answered: release, room: room{of: j.w.o.Room}, basis: verdict.BasisOf(&it, rules, set),
	}
	c.site, c.placer = j.lease.Asker(c.room.large), placer{j, &c.basis}
	defer c.room.end()
	defer func() {
		if p := recover(); p != nil {
			j.w.o.Log.ErrorContext(ctx, "check panicked", "id", it.ID, "panic", p, "stack", string(debug.Stack()))
			done, err = c.end(verdict.Failed("the page could not be processed: %v", p), verdict.Placement{}), nil
		}
	}()
	if verdict.PurgeDue(&c.item, rules, c.now()) {
		release()
		err = c.placer.purge(ctx, &c.item)
		done = c.end(verdict.Outcome{}, verdict.Placement{})
		done.Purged = true
		return done, err
	}
	o, r, err := c.find(ctx)
	if err != nil {
		return done, err
	}
	p, o, err := c.placeContent(ctx, o, r)
	if err != nil {
		return done, err
	}
	if err := c.placer.prepare(ctx, &c.item, &p); err != nil {
		return done, err
	}
	err = c.prune(ctx)
	return c.end(o, p), err
}

// find is the first half of a check: fetch, read, compare. A stage that finds out what the item's
// outcome is ends it.
func (c *check) find(ctx context.Context) (o verdict.Outcome, r verdict.Reading, err error) {
	if c.item.Deadly {
		return c.blame(ctx), r, nil
	}
	if err := c.job.tryAlone(ctx, &c.item); err != nil {
		return o, r, err
	}
	if (c.item.IndexPending || verdict.Interrupted(&c.item)) && !c.basis.Forced {
		c.answered()
		return c.pending(ctx)
	}
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

func (c *check) now() time.Time { return c.job.w.o.Clock() }

// fetch asks the source, unless something forbids that.
func (c *check) fetch(ctx context.Context) (verdict.Answer, verdict.Outcome, error) {
	if c.item.Type == source.File {
		return c.fetchFile(ctx)
	}
	return c.fetchPage(ctx)
}
