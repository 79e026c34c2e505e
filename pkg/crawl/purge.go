package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/registry"
)

// purge removes what is stored of the item elsewhere; the commit then removes its rows. Whoever dies
// in between leaves an item that is still to be purged, or, if it is registered before, that
// begins anew. The index must have done its part: nobody would ask it again.
func (p *placer) purge(ctx context.Context, it *registry.Item) error {
	w := p.job.w
	if err := p.job.lease.Locked(); err != nil {
		return err
	}
	if err := p.leaveAliases(ctx, it); err != nil {
		return err
	}
	if err := p.remove(ctx, it); err != nil {
		return err
	}
	if err := w.manifests.Purge(ctx, it.ID); err != nil {
		return err
	}
	if it.MovedTo == "" { // the item that it moved to has its captures
		if err := p.purgeCaptures(ctx, it); err != nil {
			return err
		}
	}
	if err := w.reg.Aliases.DropAll(ctx, it); err != nil {
		return err
	}
	w.o.Log.InfoContext(ctx, "item purged", "id", it.ID, "requested", it.RemoveRequested, "moved", it.MovedTo)
	return nil
}

// purgeCaptures removes the captures of the item, and of those that have moved there.
func (p *placer) purgeCaptures(ctx context.Context, it *registry.Item) error {
	formers, err := p.job.w.reg.Moves.Formers(ctx, it)
	if err != nil {
		return err
	}
	for _, id := range append(formers, it.ID) {
		if err := p.job.w.snaps.Purge(ctx, id); err != nil {
			return err
		}
	}
	return p.job.w.reg.Moves.Drop(ctx, it)
}
