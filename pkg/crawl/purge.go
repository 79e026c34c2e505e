package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/registry"
)

// purge removes everything that is stored for the item outside its rows; the commit then removes the rows. If the
// worker dies in between, the item is still due to be purged. If such an item is registered again before that, it
// starts afresh. When the index is down, Purge returns an error, because the index would not be asked again later.
func (p *Placer) purge(ctx context.Context, it *registry.Item) error {
	if err := p.lock.Locked(ctx); err != nil {
		return err
	}
	if err := p.removeAliases(ctx, it); err != nil {
		return err
	}
	if err := p.remove(ctx, it); err != nil {
		return err
	}
	if err := p.in.Manifests.Purge(ctx, it.ID); err != nil {
		return err
	}
	if it.MovedTo == "" { // otherwise the captures belong to the item that this one moved to
		if err := p.purgeCaptures(ctx, it); err != nil {
			return err
		}
	}
	if err := p.in.Aliases.DropAll(ctx, it); err != nil {
		return err
	}
	p.o.Log.InfoContext(ctx, "item purged", "id", it.ID, "requested", it.RemoveRequested, "moved", it.MovedTo)
	return nil
}

// purgeCaptures removes the captures of the item and the history of its fields, and those of items that have moved to
// it.
func (p *Placer) purgeCaptures(ctx context.Context, it *registry.Item) error {
	formers, err := p.in.Moves.Formers(ctx, it)
	if err != nil {
		return err
	}
	for _, id := range append(formers, it.ID) {
		if err := p.in.Snapshots.Purge(ctx, id); err != nil {
			return err
		}
		if err := p.in.Fields.Purge(ctx, id); err != nil {
			return err
		}
	}
	return p.in.Moves.Drop(ctx, it)
}
