package crawl

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"golang.org/x/sync/errgroup"
)

// This file puts an item's content where it belongs: into the index as a page of its own, out of the index,
// or behind another item that stands for it. When an item is purged, it also removes everything that is
// stored for the item.
//
// Changes to an item that others can see happen under the item's [lock]. Rows of other items change before the item's
// own commit. So when a worker dies in between, the item's next check repeats the work.

// lock is the lock on the items of a batch.
type lock interface {
	// Locked returns nil while the lock holds.
	Locked(ctx context.Context) error
	// Until returns when the lock ends.
	Until() time.Time
}

// Indexer is the part of [search.Index] that changes the index.
type Indexer interface {
	Put(ctx context.Context, pages ...search.Page) error
	Remove(ctx context.Context, id string, known *search.Contents) error
}

// Embedder sets the vectors of a page's chunks. When it returns any error, the page is unchanged and is tried again
// later.
type Embedder interface {
	Embed(ctx context.Context, p *search.Page) error
}

// PlacementStores hold content, and the rows that record where the content belongs.
type PlacementStores struct {
	Items     *registry.Items
	Aliases   *registry.Aliases
	Moves     *registry.Moves
	Snapshots *snapshot.Store
	Fields    *registry.FieldLog
	Manifests *index.Manifests
	Index     Indexer  // [search.None] if no index is configured
	Vectors   Embedder // when nil, chunks get no vectors
}

// PlacementOptions adjust a service. The zero value works.
type PlacementOptions struct {
	Clock func() time.Time
	Log   *slog.Logger
}

// Placement places the content of all items. It is safe for concurrent use.
type Placement struct {
	in PlacementStores
	o  PlacementOptions
}

// NewPlacement returns a service over stores.
func NewPlacement(in PlacementStores, o PlacementOptions) *Placement {
	defaults.Clock(&o.Clock)
	defaults.Log(&o.Log)
	return &Placement{in: in, o: o}
}

// indexes reports whether an index is configured. Without one, no page is indexed, and a removal changes only the
// rows.
func (s *Placement) indexes() bool {
	_, none := s.in.Index.(search.None)
	return !none
}

// placer places the content of one item, under the item's lock and on the basis of its check. It is not safe for
// concurrent use.
type placer struct {
	in    PlacementStores
	o     PlacementOptions
	lock  lock
	basis *verdict.Basis
}

// placer returns the placer of one check.
func (s *Placement) placer(lock lock, b *verdict.Basis) *placer {
	return &placer{in: s.in, o: s.o, lock: lock, basis: b}
}

// purge removes everything that is stored for the item outside its rows; the commit then removes the rows. If the
// worker dies in between, the item is still due to be purged. If such an item is registered again before that, it
// starts afresh. When the index is down, Purge returns an error, because the index would not be asked again later.
func (p *placer) purge(ctx context.Context, it *registry.Item) error {
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
func (p *placer) purgeCaptures(ctx context.Context, it *registry.Item) error {
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

// put writes pages to the index in one call, while the lock on their items holds. It never panics: a page that makes
// the index panic is refused.
func (s *Placement) put(ctx context.Context, lock lock, pages ...search.Page) (err error) {
	if len(pages) == 0 {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			stack := string(debug.Stack())
			s.o.Log.ErrorContext(ctx, "index panicked", "pages", len(pages), "panic", p, "stack", stack)
			err = fault.New(fault.Invalid, "the page could not be processed: %v", p)
		}
	}()
	if err = lock.Locked(ctx); err == nil {
		err = s.in.Index.Put(ctx, pages...)
	}
	if err != nil && !fault.Refused(err) {
		s.o.Log.ErrorContext(ctx, "index not written", "host", pages[0].Host, "pages", len(pages), "err", err)
	}
	return err
}

// manifest identifies a manifest of an item.
type manifest struct {
	Item   source.ID
	Digest string
}

// drop removes, in parallel, manifests that no item has referred to since the last commit. If a manifest cannot be
// removed, it remains until its item is purged.
func (s *Placement) drop(ctx context.Context, stale []manifest) {
	var g errgroup.Group
	g.SetLimit(8)
	for _, m := range stale {
		g.Go(func() error {
			if err := s.in.Manifests.Drop(ctx, m.Item, m.Digest); err != nil {
				s.o.Log.WarnContext(ctx, "old manifest not removed", "id", m.Item, "err", err)
			}
			return nil
		})
	}
	_ = g.Wait() // failures are only logged
}
