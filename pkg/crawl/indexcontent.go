package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// indexContent is the second half of a check: it decides where the content belongs and prepares the change. It also
// runs when the check found nothing new, because the item that stands for the page may have changed. If no other item
// was ever a candidate to stand for the page, this costs nothing.
func (c *check) indexContent(
	ctx context.Context, o verdict.Outcome, r verdict.Reading,
) (p verdict.Placement, _ verdict.Outcome, err error) {
	// A single missing answer may be an accident. It must be confirmed before the page is removed.
	if o.Kind == schedule.Missing || o.Kind == verdict.LooksMissing {
		if o, err = c.confirm(ctx, o); err != nil {
			return p, o, err
		}
	}
	it, b := &c.item, c.basis
	refresh := o.Refresh || b.Reread
	if o.Kind == schedule.Collapsed {
		r = verdict.Reading{} // not gone: the known content is placed as before
	}
	// Most checks need no further work. A page that must not, or no longer, be searched is removed from the index
	// first.
	switch {
	case o.Kind == schedule.OutOfScope, o.Kind == schedule.Gone && !c.o.KeepGone:
		return verdict.Placement{Kind: verdict.OutOfIndex}, o, c.placer.deindex(ctx, it)
	case !o.Stands():
		return p, o, nil
	case it.Exclusion != "" && refresh:
		noteUnchanged(it, o, c.now())
		return verdict.Placement{Kind: verdict.OutOfIndex, Why: it.Exclusion}, o, c.placer.deindex(ctx, it)
	case it.Exclusion != "", !refresh && (b.IndexOnly || !b.Contested(it) && !b.HasMoved(it)):
		return p, o, nil
	}
	// A search must not find the same content twice. So if another item stands for the page, that item takes
	// precedence.
	s, err := c.placer.resolve(ctx, it, o.Kind, r.Words)
	if err != nil {
		return p, o, err
	}
	if s.Alias != nil {
		noteUnchanged(it, o, c.now())
		p, err = c.placer.standBehind(ctx, it, s)
		return p, o, err
	}
	p.Soon = s.applyNote(it, c.now())
	if !refresh && it.AliasOf == "" && (!b.HasMoved(it) || it.IndexedHash == "") {
		return p, o, nil
	}
	if r.Hash == "" { // the site sent no body
		var known stored
		var failure verdict.Outcome
		if known, failure, err = c.storedDocument(ctx); err != nil || failure.Decided() {
			return verdict.Placement{}, failure, err
		}
		r = c.reading(known)
	}
	if b.Reread {
		noteUnchanged(it, o, c.now())
	}
	// No other item stands for the page, so it is indexed itself.
	p.Entry, err = c.placer.standAlone(ctx, it, s, r)
	p.Kind = verdict.OnItsOwn
	return p, o, err
}

// noteUnchanged records in the history that the content equals the stored content. It must be called before later
// steps record where the content goes.
func noteUnchanged(it *registry.Item, o verdict.Outcome, now time.Time) {
	if o.Kind == schedule.Unchanged && o.Why != "" {
		it.Record(now, "unchanged", o.Why)
	}
}
