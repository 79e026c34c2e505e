package placement

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// Prepare readies the entry that waits: what the index holds of it already, its vectors, and the
// manifest of what it will hold.
func (p *Placer) Prepare(ctx context.Context, it *registry.Item, to *verdict.Placement) (err error) {
	if to.Entry == nil {
		return nil
	}
	page := &to.Entry.Page
	if to.Refused = page.Check(); to.Refused != nil {
		return nil // before a vector is computed or anything is stored for it
	}
	if page.Known, err = p.contentsOf(ctx, it, *page); err != nil {
		return err
	}
	// Vectors are not made with the others of the batch: that may take as long as asking a site, and the
	// end of a lock is the commit's.
	if v := p.in.Vectors; v != nil {
		if err := v.Embed(ctx, page); err != nil {
			to.Refused = fault.New(fault.Unavailable, "%w", err) // whatever it was, the page is not at fault
			p.o.Log.WarnContext(ctx, "page without vectors not indexed", "id", it.ID, "err", err)
			return nil
		}
	}
	if to.Manifest, err = p.in.Manifests.Save(ctx, *to.Entry); fault.Refused(err) {
		to.Refused, err = err, nil
	}
	return err
}

// contentsOf is what the index is known to contain of the page; nil when that is not certain. It is not certain for an
// item that is forced or rebuilt: that is asked for when the index is in doubt.
func (p *Placer) contentsOf(ctx context.Context, it *registry.Item, page search.Page) (*search.Contents, error) {
	certain := it.Manifest != "" && it.IndexedHash != "" && it.IndexedHash != registry.Outdated
	if !certain || p.basis.Forced || it.RebuildPending || it.Interrupted {
		return nil, nil
	}
	return p.in.Manifests.Contents(ctx, page, it.Manifest)
}

// remove takes the page out of the index: everything that is known to be there, even what the index itself
// does not show yet.
func (p *Placer) remove(ctx context.Context, it *registry.Item) error {
	known, err := p.contentsOf(ctx, it, search.Page{ID: string(it.ID)})
	if err != nil {
		return err
	}
	return p.in.Index.Remove(ctx, string(it.ID), known)
}

// RemoveAgain makes sure that the index holds nothing of a page that has left it. Nothing else of such a page
// can be wrong.
func (p *Placer) RemoveAgain(ctx context.Context, it *registry.Item) error {
	if err := p.lock.Locked(); err != nil {
		return err
	}
	return p.remove(ctx, it)
}

// removeFromIndex takes the item's documents out of the index, and ends any pending index. The index is asked even if
// nothing is known to be there, because a worker may have died between index and commit. Only in that case may the
// index be down: the next check asks it again.
func (p *Placer) removeFromIndex(ctx context.Context, it *registry.Item) error {
	known := it.IndexedHash != ""
	if err := p.RemoveAgain(ctx, it); err != nil && (known || !fault.Down(err)) {
		return err
	}
	it.IndexPending, it.IndexedHash, it.LastIndexedDocID, it.ImageCount, it.AliasOf = false, "", "", 0, ""
	it.Manifest = ""
	if known {
		it.Record(p.o.Clock(), "unindexed", "taken out of the index")
	}
	return nil
}
