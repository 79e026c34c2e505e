package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// indexContent is the second half of a check: it brings the content to where it belongs. A check that found
// nothing new comes here, too, for the item that stands for the page may have changed all the same; a
// page for which no other was ever named costs nothing.
func (c *check) indexContent(
	ctx context.Context, o verdict.Outcome, r verdict.Reading,
) (p verdict.Placement, _ verdict.Outcome, err error) {
	if o.Kind == schedule.Missing || o.Kind == verdict.LooksMissing {
		if o, err = c.confirm(ctx, o); err != nil {
			return p, o, err
		}
	}
	it, b := &c.item, c.basis
	refresh := o.Refresh || b.Reread
	if o.Kind == schedule.Collapsed {
		r = verdict.Reading{} // what is known stays, and is what is placed
	}
	switch {
	case o.Kind == schedule.OutOfScope, o.Kind == schedule.Gone && !c.o.KeepGone:
		return verdict.Placement{Kind: verdict.OutOfIndex}, o, c.placer.Deindex(ctx, it)
	case !o.Stands():
		return p, o, nil
	case it.Exclusion != "" && refresh:
		c.noteUnchanged(o)
		return verdict.Placement{Kind: verdict.OutOfIndex, Why: it.Exclusion}, o, c.placer.Deindex(ctx, it)
	case it.Exclusion != "", !refresh && (b.IndexOnly || !b.Contested(it) && !b.HasMoved(it)):
		return p, o, nil
	}
	s, err := c.placer.Resolve(ctx, it, o.Kind)
	if err != nil {
		return p, o, err
	}
	if s.Alias != nil {
		c.noteUnchanged(o)
		p, err = c.placer.StandBehind(ctx, it, s)
		return p, o, err
	}
	p.Soon = s.ApplyNote(it, c.now())
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
		c.noteUnchanged(o)
	}
	p.Entry, err = c.placer.StandAlone(ctx, it, s, r)
	p.Kind = verdict.OnItsOwn
	return p, o, err
}

// noteUnchanged says in the history that the content is the one that is stored, before what becomes of
// it.
func (c *check) noteUnchanged(o verdict.Outcome) {
	if o.Kind == schedule.Unchanged && o.Why != "" {
		c.item.Record(c.now(), "unchanged", o.Why)
	}
}
