package placement

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
)

// StandBehind takes the page out of the index in favour of another item. That item may have
// changed during this check, so a new alias is checked again soon.
func (p *Placer) StandBehind(ctx context.Context, it *registry.Item, s Resolution) (verdict.Placement, error) {
	was := it.AliasOf
	to := verdict.Placement{
		Kind: verdict.BehindAlias, Alias: s.Alias.ID, Why: s.why, NewAlias: was != s.Alias.ID, Soon: was == "",
	}
	if to.NewAlias {
		// The pages that this one stood for are to stand behind the same item.
		if err := p.removeAliases(ctx, it); err != nil {
			return to, err
		}
		if err := p.in.Aliases.Point(ctx, s.Alias, it); err != nil {
			return to, err
		}
	}
	return to, p.removeFromIndex(ctx, it)
}

// StandAlone prepares the page to be indexed as itself. The entry waits for the others of its batch, because an
// index has far less to do when it is given many pages at once. Without an index there is no entry, and the page stays
// at Crawled. Its snapshot has everything that an index needs: once one is configured, the page is indexed.
func (p *Placer) StandAlone(
	ctx context.Context, it *registry.Item, s Resolution, r verdict.Reading,
) (*index.Prepared, error) {
	now := p.o.Clock()
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
	e := index.Prepare(it, verdict.FilePath(it), r.Doc, r.Images, now)
	if address(&e.Page, it, p.basis.Rules.Sources); s.loop {
		e.Page.URL = it.DisplaySource // where it redirects to is found by itself
	}
	e.Page.Content = r.Hash
	return &e, nil
}

// removeAlias ends the alias: the item that stands for the page no longer leads to it.
func (p *Placer) removeAlias(ctx context.Context, it *registry.Item) error {
	if it.AliasOf == "" {
		return nil
	}
	err := p.in.Aliases.Drop(ctx, it.AliasOf, it)
	it.AliasOf = ""
	return err
}

// removeAliases is [Placer.removeAlias] for a page that leaves the index: the checks of the pages that it
// stands for are brought forward. They are due when the lock ends: by then it is committed that the page has left. If
// the worker dies before that, the next check of the page does this again.
func (p *Placer) removeAliases(ctx context.Context, it *registry.Item) error {
	if it.IndexedHash != "" {
		if err := p.in.Aliases.Expedite(ctx, it, p.lock.Until()); err != nil {
			return err
		}
	}
	return p.removeAlias(ctx, it)
}

// Deindex takes a page out of the index for which no other stands.
func (p *Placer) Deindex(ctx context.Context, it *registry.Item) error {
	if err := p.removeAliases(ctx, it); err != nil {
		return err
	}
	return p.removeFromIndex(ctx, it)
}

// forceVariants brings the checks of variants forward that the page is to stand for. Variants that entered the index
// after the page was registered know of it already; the others would learn of it only when their content changes. So
// this is needed once, when the page enters the index for the first time. It comes before that, because the worker may
// die afterwards.
func (p *Placer) forceVariants(ctx context.Context, it *registry.Item) error {
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
