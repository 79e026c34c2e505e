package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// placeContent is the second half of a check: it brings the content to where it belongs. A check that found
// nothing new comes here, too, for the item that stands for the page may have changed all the same; a
// page for which no other was ever named costs nothing.
func (c *check) placeContent(
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
	case o.Kind == schedule.OutOfScope, o.Kind == schedule.Gone && !c.job.w.o.KeepGone:
		return verdict.Placement{Kind: verdict.OutOfIndex}, o, c.placer.deindex(ctx, it)
	case !o.Stands():
		return p, o, nil
	case it.Exclusion != "" && refresh:
		c.noteUnchanged(o)
		return verdict.Placement{Kind: verdict.OutOfIndex, Why: it.Exclusion}, o, c.placer.deindex(ctx, it)
	case it.Exclusion != "", !refresh && (b.IndexOnly || !b.Contested(it) && !b.HasMoved(it)):
		return p, o, nil
	}
	s, err := c.resolve(ctx, o.Kind)
	if err != nil {
		return p, o, err
	}
	if s.alias != nil {
		c.noteUnchanged(o)
		p, err = c.placer.standBehind(ctx, it, s)
		return p, o, err
	}
	p.Soon = s.takeNote(it, c.now())
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
	p.Entry, err = c.placer.standAlone(ctx, it, s, r)
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

// standBehind takes the page out of the index in favour of another item. That one may have
// changed while we looked, so a new alias is checked again soon.
func (p *placer) standBehind(ctx context.Context, it *registry.Item, s resolution) (verdict.Placement, error) {
	was := it.AliasOf
	to := verdict.Placement{
		Kind: verdict.BehindAlias, Alias: s.alias.ID, Why: s.why, NewAlias: was != s.alias.ID, Soon: was == "",
	}
	if to.NewAlias {
		// The pages that this one stood for shall stand behind the same item.
		if err := p.leaveAliases(ctx, it); err != nil {
			return to, err
		}
		if err := p.job.w.reg.Aliases.Point(ctx, s.alias, it); err != nil {
			return to, err
		}
	}
	return to, p.leaveIndex(ctx, it)
}

// standAlone has the page indexed as itself: the entry waits for the others of its batch, because an
// index that is asked for many pages at once has far less to do. Where no index is configured there is
// none, and the page stays at Crawled: what it would be searched by is in its snapshot, and once an
// index is configured everything is indexed that is not.
func (p *placer) standAlone(
	ctx context.Context, it *registry.Item, s resolution, r verdict.Reading,
) (*index.Prepared, error) {
	now := p.job.w.o.Clock()
	if it.AliasOf != "" {
		if err := p.leaveAlias(ctx, it); err != nil {
			return nil, err
		}
		it.Record(now, "unaliased", "the page stands for itself again")
	}
	if err := p.forceVariants(ctx, it); err != nil {
		return nil, err
	}
	it.ImageExclusion, it.ImagesHash = r.ImageExclusion, r.ImagesHash
	if !p.basis.Rules.Indexes {
		return nil, nil
	}
	e := index.Prepare(it, verdict.FilePath(it), r.Doc, r.Images, now)
	if address(&e.Page, it, p.basis.Rules.Sources); s.loop {
		e.Page.URL = it.DisplaySource // where it redirects to is found by itself
	}
	e.Page.Content = r.Hash
	return &e, nil
}

// leaveAlias has the item that stands for the page, if one does, lead to it no longer.
func (p *placer) leaveAlias(ctx context.Context, it *registry.Item) error {
	if it.AliasOf == "" {
		return nil
	}
	err := p.job.w.reg.Aliases.Drop(ctx, it.AliasOf, it)
	it.AliasOf = ""
	return err
}

// leaveAliases is [placer.leaveAlias] for a page that leaves the index: the checks of the pages that it
// stands for are brought forward. They are due when our lock ends: by then it is committed that the
// page has left. If we die before that, the next check of the page does this again.
func (p *placer) leaveAliases(ctx context.Context, it *registry.Item) error {
	if it.IndexedHash != "" {
		if err := p.job.w.reg.Aliases.Expedite(ctx, it, p.job.batch.Until); err != nil {
			return err
		}
	}
	return p.leaveAlias(ctx, it)
}

// deindex takes a page out of the index for which no other stands.
func (p *placer) deindex(ctx context.Context, it *registry.Item) error {
	if err := p.leaveAliases(ctx, it); err != nil {
		return err
	}
	return p.leaveIndex(ctx, it)
}

// forceVariants has variants that we shall stand for checked again. Those that were written to the index
// since we were registered know of us; the others would not before their content changes. So it
// is enough to ask when a page enters the index for the first time, and before it does, because
// afterwards we might die.
func (p *placer) forceVariants(ctx context.Context, it *registry.Item) error {
	if !it.LastIndexed.IsZero() || p.basis.IndexOnly {
		return nil
	}
	_, worse := verdict.VariantsOf(it, p.basis.Rules.Sources)
	for _, v := range worse {
		other, found, err := p.job.w.reg.Items.Lookup(ctx, v.Source)
		maySame := other.ContentHash == it.ContentHash || !verdict.ReadAlike(&other, it)
		if found && other.Status == registry.Indexed && maySame {
			err = p.job.w.reg.Items.ForceCheck(ctx, other)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
