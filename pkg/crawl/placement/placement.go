// Package placement brings an item's content to where it belongs: into the index as a page of its own, behind another
// item that stands for it, or out of the index; and it removes what is stored of an item that is purged.
//
// Everything that changes what others see of an item is done under its [Lock]. Rows of other items change before the
// item's own commit: a worker that dies in between leaves work that the item's next check does again.
package placement

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Lock is the lock on the items of a batch.
type Lock interface {
	// Locked is nil while the lock holds.
	Locked() error
	// Until is when the lock ends.
	Until() time.Time
}

// Indexer is the part of [search.Index] that is written to.
type Indexer interface {
	Put(ctx context.Context, pages ...search.Page) error
	Remove(ctx context.Context, id string, known *search.Contents) error
}

// Embedder gives the chunks of a page their vectors. A page that gets an error is unchanged, and is
// tried again later, whatever the error's kind.
type Embedder interface {
	Embed(ctx context.Context, p *search.Page) error
}

// Stores are where content, and rows about where it belongs, are kept.
type Stores struct {
	Items     *registry.Items
	Aliases   *registry.Aliases
	Moves     *registry.Moves
	Snapshots *snapshot.Store
	Manifests *index.Manifests
	Index     Indexer  // [search.None] if none is configured
	Vectors   Embedder // without it, chunks have none
}

// Options adjust a service. The zero value works.
type Options struct {
	Clock func() time.Time
	Log   *slog.Logger
}

// Service places the content of all items. It is safe for concurrent use.
type Service struct {
	in Stores
	o  Options
}

// New makes a service over stores.
func New(in Stores, o Options) *Service {
	defaults.Clock(&o.Clock)
	defaults.Log(&o.Log)
	return &Service{in: in, o: o}
}

// Indexes reports whether an index is configured. Without one, no page enters it, and what is removed is removed from
// the rows only.
func (s *Service) Indexes() bool {
	_, none := s.in.Index.(search.None)
	return !none
}

// Placer places the content of one item, under the lock on it, by what its check is based on. It is not for concurrent
// use.
type Placer struct {
	in    Stores
	o     Options
	lock  Lock
	basis *verdict.Basis
}

// Placer makes the placer of one check.
func (s *Service) Placer(lock Lock, b *verdict.Basis) *Placer {
	return &Placer{in: s.in, o: s.o, lock: lock, basis: b}
}
