// Package answer answers queries from the index. A caller can require that all pages in an answer were checked
// recently enough. For several queries, it can ask for the best passages that together fit into a budget of tokens.
//
// The index has the content of a page as of the last write. The registry records when a check last confirmed that
// content. The history records which capture the content came from, so an answer can be cited.
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

// Entries reports when entries were written.
type Entries interface {
	// Written returns the time of an entry's last change. Errors: NotFound.
	Written(ctx context.Context, id string) (time.Time, error)
}

// Chunks reads the chunks of items that were written to the index.
type Chunks interface {
	// Records returns the chunks that a manifest of an item lists.
	Records(ctx context.Context, id source.ID, manifest string) ([]chunk.Record, error)
}

// Answers answers queries.
type Answers struct{ Options }

// Options are the dependencies of [Answers].
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

// Search answers queries concurrently, without regard to the age of the pages.
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
