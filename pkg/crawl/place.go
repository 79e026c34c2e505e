package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
)

// standBehind removes the page from the index in favour of another item, whose alias the page
// becomes. That item may have changed during this check, so a new alias is checked again soon.
func (p *placer) standBehind(ctx context.Context, it *registry.Item, s resolution) (verdict.Placement, error) {
	was := it.AliasOf
	to := verdict.Placement{
		Kind: verdict.BehindAlias, Alias: s.Alias.ID, Why: s.why, NewAlias: was != s.Alias.ID, Soon: was == "",
	}
	if to.NewAlias {
		// The aliases of this page must now become aliases of the item that stands for this page.
		if err := p.removeAliases(ctx, it); err != nil {
			return to, err
		}
		if err := p.in.Aliases.Point(ctx, s.Alias, it); err != nil {
			return to, err
		}
	}
	return to, p.removeFromIndex(ctx, it)
}

// standAlone prepares the page to be indexed as a page of its own. The prepared page waits for the
// other pages of its batch, because it is far less work for an index to write many pages at once.
// Without an index nothing is prepared, and the page stays at Crawled. When an index is configured
// later, the page is indexed from its snapshot.
func (p *placer) standAlone(
	ctx context.Context, it *registry.Item, s resolution, r verdict.Reading,
) (*index.Prepared, error) {
	now := p.o.Clock()
	// An alias is ended now, because rows of other items must change before this item is committed.
	if it.AliasOf != "" {
		if err := p.removeAlias(ctx, it); err != nil {
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
	e := index.Prepare(it, verdict.FileName(it, p.basis.Rules.FileRoot), r.Doc, r.Images, now)
	if address(&e.Page, it, p.basis.Rules.Sources); s.loop {
		e.Page.URL = it.DisplaySource // the redirect's target is a separate item
	}
	e.Page.Content = r.Hash
	return &e, nil
}

// removeAlias ends the alias: it removes the row by which the other item finds this one.
func (p *placer) removeAlias(ctx context.Context, it *registry.Item) error {
	if it.AliasOf == "" {
		return nil
	}
	err := p.in.Aliases.Drop(ctx, it.AliasOf, it)
	it.AliasOf = ""
	return err
}

// removeAliases is called for a page that leaves the index. It brings forward the checks of the
// page's aliases. They become due when the lock ends, because by then the removal is committed. If
// the worker dies before that, the next check of this page calls removeAliases again.
func (p *placer) removeAliases(ctx context.Context, it *registry.Item) error {
	if it.IndexedHash != "" {
		if err := p.in.Aliases.Expedite(ctx, it, p.lock.Until()); err != nil {
			return err
		}
	}
	return p.removeAlias(ctx, it)
}

// deindex removes a page from the index when no other item stands for it.
func (p *placer) deindex(ctx context.Context, it *registry.Item) error {
	if err := p.removeAliases(ctx, it); err != nil {
		return err
	}
	return p.removeFromIndex(ctx, it)
}

// forceVariants brings forward the checks of variants that will become aliases of the page. A
// variant that was indexed after the page was registered already knows the page. Any other variant
// would find the page only when its own content changes. So forceVariants is needed once, before
// the page is indexed for the first time. It must be called before the write to the index, because
// the worker may die after that write.
func (p *placer) forceVariants(ctx context.Context, it *registry.Item) error {
	if !it.LastIndexed.IsZero() || p.basis.IndexOnly {
		return nil
	}
	_, worse := verdict.VariantsOf(it, p.basis.Rules.Sources)
	for _, v := range worse {
		other, found, err := p.in.Items.Lookup(ctx, v.Source)
		maySame := other.ContentHash == it.ContentHash || !verdict.ReadAlike(&other, it)
		if found && other.Status == registry.Indexed && maySame {
			err = p.in.Items.ForceCheck(ctx, other)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
