package search

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

var _ Index = None{}

// None is the index to use when no index is configured. It holds nothing. Put and Search return Unavailable, with an
// error that names the settings to configure. Package crawl never puts a page into None.
type None struct{}

// errNone is shown in the answer to a search. Its text names the missing settings for the operator.
var errNone = fault.New(fault.Unavailable,
	"no search index is configured: set SEARCH_ENDPOINT to the address of an Azure AI Search, and what was crawled "+
		"enters it by itself")

// Create does nothing.
func (None) Create(context.Context) error { return nil }

// Put returns Unavailable.
func (None) Put(context.Context, ...Page) error { return errNone }

// Remove does nothing.
func (None) Remove(context.Context, string, *Contents) error { return nil }

// Search returns Unavailable, with an error that says what to configure. A query that the port refuses is Invalid
// instead.
func (None) Search(_ context.Context, q Query) (Results, error) {
	if err := q.Check(); err != nil {
		return Results{}, err
	}
	return Results{}, errNone
}

// Suggest returns Unavailable, with an error that says what to configure.
func (None) Suggest(context.Context, string) ([]string, error) { return nil, errNone }

// Texts returns nothing.
func (None) Texts(context.Context, string, []string) (map[string]string, error) { return nil, nil }

// Count returns 0.
func (None) Count(context.Context) (int, error) { return 0, nil }

// Ping returns nil.
func (None) Ping(context.Context) error { return nil }

// Inspect returns NotFound.
func (None) Inspect(_ context.Context, id string) (Stored, error) {
	return Stored{}, fault.New(fault.NotFound, "there is no index that could hold page %s", id)
}

// IDs returns nothing.
func (None) IDs(context.Context, string, int) ([]string, error) { return nil, nil }

// Close does nothing.
func (None) Close() error { return nil }
