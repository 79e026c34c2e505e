package crawl

import (
	"context"
	"runtime/debug"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/search"
	"golang.org/x/sync/errgroup"
)

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
