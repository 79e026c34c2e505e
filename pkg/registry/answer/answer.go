// Package answer answers queries from the index, with pages that were checked as lately as was asked for, and finds the
// passages of several queries that fit into a budget.
//
// The index holds what a page said when it was written there. The registry knows when the page was last found to be so,
// and the history which capture that was, so that an answer can be cited.
package answer

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/search"
)

// Entries knows when entries were written.
type Entries interface {
	// Written is the time of an entry's last change; NotFound if there is no such entry.
	Written(ctx context.Context, id string) (time.Time, error)
}

// Chunks knows what the index was given of items.
type Chunks interface {
	// Records are the chunks of a manifest of an item.
	Records(ctx context.Context, id source.ID, manifest string) ([]chunk.Record, error)
}

// Answers answers queries.
type Answers struct{ Options }

// Options are what queries are answered from.
type Options struct {
	Index   search.Index
	Items   *registry.Items
	Entries Entries
	Chunks  Chunks
	History *history.History
	Log     *slog.Logger
}

// New makes an Answers.
func New(o Options) *Answers { return &Answers{o} }

// Search answers queries side by side, whatever the age of the pages.
func (a *Answers) Search(ctx context.Context, queries []search.Query) ([]search.Results, error) {
	found := make([]search.Results, len(queries))
	g, ctx := errgroup.WithContext(ctx)
	for i, q := range queries {
		g.Go(func() (err error) {
			found[i], err = a.Index.Search(ctx, q)
			return err
		})
	}
	return found, g.Wait()
}
