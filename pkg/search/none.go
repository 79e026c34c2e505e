package search

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

var _ Index = None{}

// None stands for an index where none is configured. It holds nothing. Put and Search are Unavailable, and the error
// says what to configure. Package crawl gives it no page.
type None struct{}

// errNone tells an operator, in the answer to a search, what is missing.
var errNone = fault.New(fault.Unavailable,
	"no search index is configured: set SEARCH_ENDPOINT to the address of an Azure AI Search, and what was crawled "+
		"enters it by itself")

// Create does nothing.
func (None) Create(context.Context) error { return nil }

// Put refuses.
func (None) Put(context.Context, ...Page) error { return errNone }

// Remove does nothing.
func (None) Remove(context.Context, string, *Contents) error { return nil }

// Search tells what to configure; a query that the port refuses is refused first.
func (None) Search(_ context.Context, q Query) (Results, error) {
	if err := q.Check(); err != nil {
		return Results{}, err
	}
	return Results{}, errNone
}

// Suggest tells what to configure.
func (None) Suggest(context.Context, string) ([]string, error) { return nil, errNone }

// Count is 0.
func (None) Count(context.Context) (int, error) { return 0, nil }

// Ping finds nothing wrong.
func (None) Ping(context.Context) error { return nil }

// Inspect is NotFound.
func (None) Inspect(_ context.Context, id string) (Stored, error) {
	return Stored{}, fault.New(fault.NotFound, "there is no index that could hold page %s", id)
}

// IDs returns nothing.
func (None) IDs(context.Context, string, int) ([]string, error) { return nil, nil }

// Close does nothing.
func (None) Close() error { return nil }
