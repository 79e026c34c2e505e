package app

import (
	"context"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/search"
)

// A beginner is an index that may be new although items exist. The index on this machine may have been lost, or the
// configured index may replace another index, or none.
type beginner interface {
	// Begun returns the name of this index until Filled has been called with that name, and "" after that. All
	// processes that open the same index get the same name.
	Begun(ctx context.Context) (string, error)
	// Filled records that the index with that name is certain to be filled.
	Filled(ctx context.Context, name string) error
}

// fillIndex starts a run that rebuilds all items and entries when the index is new: its file was lost, damaged or of
// an older version, or the search service had no such index. The run is stored before Filled is called. The run is
// named after the index, so it starts only once even if processes die or start together.
func fillIndex(ctx context.Context, index search.Index, items *registry.Items, pushed *entries.Store,
	rebuilds *rebuild.Service) error {
	b, ok := index.(beginner)
	if !ok {
		return nil
	}
	name, err := b.Begun(ctx)
	if err != nil || name == "" {
		return err
	}
	empty, err := isEmpty(ctx, items, pushed)
	if err != nil {
		return err
	}
	if !empty {
		if _, err := rebuilds.Ensure(ctx, "rebuild-index-"+name, "the index was begun anew"); err != nil {
			return err
		}
	}
	return b.Filled(ctx, name)
}

// isEmpty reports whether there are neither items nor entries.
func isEmpty(ctx context.Context, items *registry.Items, pushed *entries.Store) (bool, error) {
	known, err := items.Knows(ctx, "")
	if err == nil && !known {
		known, err = pushed.Any(ctx)
	}
	return !known, err
}
