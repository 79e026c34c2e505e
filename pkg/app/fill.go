package app

import (
	"context"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/search"
)

// beginner is an index that can be lost, because it lives on this machine, or that begins because it
// is configured where others were, or none.
type beginner interface {
	// Begun names this index while nobody has seen to it that it is filled; "" after that. All who open the same index
	// are told the same name.
	Begun(ctx context.Context) (string, error)
	// Filled is told when it is certain that the index of that name will be filled.
	Filled(ctx context.Context, name string) error
}

// fillIndex starts a rebuild of all items and entries when the index is new: its file was lost, damaged, or of an
// older version, or the search service had no such index. The run is durable before the index is marked, and is named
// after the index, so that it starts once even if processes die or start together.
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

// isEmpty reports whether nothing is registered, and nothing was pushed in.
func isEmpty(ctx context.Context, items *registry.Items, pushed *entries.Store) (bool, error) {
	known, err := items.Knows(ctx, "")
	if err == nil && !known {
		known, err = pushed.Any(ctx)
	}
	return !known, err
}
