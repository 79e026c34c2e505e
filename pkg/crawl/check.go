package crawl

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// check takes one item through the stages. Each stage takes values and returns values: the item as
// it is to be stored, what was found out about it, and where it belongs.
type check struct {
	job      *job
	item     registry.Item // becomes the finding's
	memory   memory
	site     asker
	placer   placer
	room     room
	answered func()         // gives the permit back: the site is not asked any more
	known    *stored        // of the item, once it has been read
	passages []feed.Passage // that are new, for the feed
	ignored  []feed.Ignored // what is new and does not count
}

// memory is what a check knows beside its item and the answer: the rules, and how the item stood when
// the check began.
type memory struct {
	rules     rules
	options   options.Effective // that people have set for the item
	watch     *watching         // what counts of it
	forced    bool              // somebody insists: nothing that is stored counts
	indexOnly bool              // the site is not asked: what was fetched before is indexed
	reread    bool              // what is stored was read under another version, and now again under ours
	unstored  bool              // what was to be indexed is not stored any more: another check has to ask the site
	rawBefore string
	manifest  string        // of what the index held
	movedTo   string        // where permanent redirects led
	soft404   fingerprint   // what the host shows for pages that do not exist
	last      snapshot.Last // what the item was last found to have
	// How the source was reached at the check before.
	redirects   []string
	fetchSource string
}

// checked is an item after the stages, before the index has its page. It becomes a finding by [record].
type checked struct {
	item    registry.Item
	memory  memory
	outcome outcome
	place   place
	purged  bool // nothing is left of the item but its rows
	ended   time.Time
	// passages that differ, where the text does, and what does not count of it
	passages []feed.Passage
	ignored  []feed.Ignored
}

// check runs the stages on an item. Its error is our own fault, and the item is given back as it was;
// a panic is the page's fault, and is recorded on it.
func (j *job) check(ctx context.Context, it registry.Item, release func()) (done checked, err error) {
	rules := j.w.rules()
	set, err := j.w.reg.Tags.Effective(ctx, &it)
	if err != nil {
		return done, err
	}
	c := &check{
		job: j, item: it, answered: release, room: room{of: j.w.o.Room},
		memory: memory{
			rules: rules, options: set, watch: watchingOf(set.Watch, rules.version.String()),
			forced: it.Forced(), rawBefore: it.RawHash, manifest: it.Manifest,
			movedTo: movedAddress(&it, rules.sources), redirects: it.HTTPRedirectChain, fetchSource: it.FetchSource,
		},
	}
	c.site = asker{job: j, room: &c.room, session: hostSession{w: j.w}}
	c.site.session.ask, c.placer = c.site.waitAt, placer{j, &c.memory}
	defer c.room.end()
	defer func() {
		if p := recover(); p != nil {
			j.w.o.Log.ErrorContext(ctx, "check panicked", "id", it.ID, "panic", p, "stack", string(debug.Stack()))
			done, err = c.end(failed("the page could not be processed: %v", p), place{}), nil
		}
	}()
	if purgeDue(&c.item, rules, c.now()) {
		release()
		err = c.placer.purge(ctx, &c.item)
		done = c.end(outcome{}, place{})
		done.purged = true
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
func (c *check) find(ctx context.Context) (o outcome, r read, err error) {
	if c.item.Deadly {
		return c.blame(ctx), r, nil
	}
	if err := c.job.tryAlone(ctx, &c.item); err != nil {
		return o, r, err
	}
	if (c.item.IndexPending || interrupted(&c.item)) && !c.memory.forced {
		c.answered()
		return c.pending(ctx)
	}
	got, o, err := c.fetch(ctx)
	if err != nil || o.decided() {
		return o, r, err
	}
	if c.item, o = compareAnswer(c.item, got, c.memory, c.now()); !o.decided() {
		c.answered()
		if r, err = c.read(ctx, got); err != nil {
			return o, r, err
		}
		if c.memory.soft404, err = c.fingerprint(ctx, got, r); err != nil {
			return o, r, err
		}
		if err = c.recall(ctx, got, &r); err != nil {
			return o, r, err
		}
		was := c.item
		c.item, o = compare(c.item, got, r, c.memory, c.now())
		if k := o.news.kind; k == change.Content || k == change.Reverted {
			if err = tell(ctx, c, was, r, &o); err != nil {
				return o, r, err
			}
		}
	}
	switch {
	case o.store:
		err = c.keep(ctx, got, r, o)
	case o.kind == schedule.Unchanged && !o.refresh:
		o, err = c.reconsider(ctx, o)
	}
	return o, r, err
}

// end closes the check.
func (c *check) end(o outcome, p place) checked {
	return checked{item: c.item, memory: c.memory, outcome: o, place: p, ended: c.now(), passages: c.passages,
		ignored: c.ignored}
}

func (c *check) now() time.Time { return c.job.w.o.Clock() }

// fetch asks the source, unless something forbids that.
func (c *check) fetch(ctx context.Context) (fetched, outcome, error) {
	if c.item.Type == source.File {
		return c.fetchFile(ctx)
	}
	return c.fetchPage(ctx)
}
