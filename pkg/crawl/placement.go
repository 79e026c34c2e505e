package crawl

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/fieldlog"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
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
	Fields    *fieldlog.Store
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

// Placer places the content of one item, under the item's lock and on the basis of its check. It is not safe for
// concurrent use.
type Placer struct {
	in    PlacementStores
	o     PlacementOptions
	lock  lock
	basis *verdict.Basis
}

// placer returns the placer of one check.
func (s *Placement) placer(lock lock, b *verdict.Basis) *Placer {
	return &Placer{in: s.in, o: s.o, lock: lock, basis: b}
}
