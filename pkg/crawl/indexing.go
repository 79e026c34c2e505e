package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// prepare prepares a page to be written to the index: it loads the known contents of the page in the index, computes
// the vectors, and saves the manifest of the new contents.
func (p *placer) prepare(ctx context.Context, it *registry.Item, to *verdict.Placement) (err error) {
	if to.Entry == nil {
		return nil
	}
	page := &to.Entry.Page
	if to.Refused = page.Check(); to.Refused != nil {
		return nil // before anything is computed or stored
	}
	// If the contents of the page in the index are known, only the difference must be written.
	if page.Known, err = p.contentsOf(ctx, it, *page); err != nil {
		return err
	}
	// Vectors are computed for each page now, not for the whole batch later: this may take as long as a request to a
	// site, and the time at the end of the lock belongs to the commit.
	if v := p.in.Vectors; v != nil {
		if err := v.Embed(ctx, page); err != nil {
			to.Refused = fault.New(fault.Unavailable, "%w", err) // whatever the error, the page is not at fault
			p.o.Log.WarnContext(ctx, "page without vectors not indexed", "id", it.ID, "err", err)
			return nil
		}
	}
	// The manifest is stored before the page is indexed, so that the commit can record it on the item.
	if to.Manifest, err = p.in.Manifests.Save(ctx, *to.Entry); fault.Refused(err) {
		to.Refused, err = err, nil
	}
	return err
}

// contentsOf returns the known contents of the page in the index; nil when they are not certain. For a forced or
// rebuilt item they are never certain, because people force a check or a rebuild when they doubt the index.
func (p *placer) contentsOf(ctx context.Context, it *registry.Item, page search.Page) (*search.Contents, error) {
	certain := it.Manifest != "" && it.IndexedHash != "" && it.IndexedHash != registry.Outdated
	if !certain || p.basis.Forced || it.RebuildPending || it.Interrupted {
		return nil, nil
	}
	return p.in.Manifests.Contents(ctx, page, it.Manifest)
}

// remove removes the page from the index, with all contents that the manifest lists. These include contents that the
// index does not show yet.
func (p *placer) remove(ctx context.Context, it *registry.Item) error {
	known, err := p.contentsOf(ctx, it, search.Page{ID: string(it.ID)})
	if err != nil {
		return err
	}
	return p.in.Index.Remove(ctx, string(it.ID), known)
}

// removeAgain makes sure that the index contains nothing of a page that was removed from the index. Leftover contents
// are the only error that the index can have about such a page.
func (p *placer) removeAgain(ctx context.Context, it *registry.Item) error {
	if err := p.lock.Locked(ctx); err != nil {
		return err
	}
	return p.remove(ctx, it)
}

// removeFromIndex removes the item's documents from the index, and records that the item no longer waits to be
// indexed. The index is asked even when no documents are known, because a worker may have died after it wrote to the
// index and before its commit. If no documents are known and the index is down, removeFromIndex returns no error: the
// next check asks the index again.
func (p *placer) removeFromIndex(ctx context.Context, it *registry.Item) error {
	known := it.IndexedHash != ""
	if err := p.removeAgain(ctx, it); err != nil && (known || !fault.Down(err)) {
		return err
	}
	it.IndexPending, it.IndexedHash, it.LastIndexedDocID, it.ImageCount, it.AliasOf = false, "", "", 0, ""
	it.Manifest = ""
	if known {
		it.Record(p.o.Clock(), "unindexed", "taken out of the index")
	}
	return nil
}
