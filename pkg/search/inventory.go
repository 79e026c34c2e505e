package search

import (
	"context"
)

// Inventory is the part of an index that shows an audit what the index really holds.
type Inventory interface {
	// Inspect returns what the index holds of a page; NotFound when it holds nothing.
	Inspect(ctx context.Context, id string) (Stored, error)
	// IDs returns the ids of at most top pages that come after one, in order; "" comes before all. A page counts also
	// when only parts of it are left.
	IDs(ctx context.Context, after string, top int) ([]string, error)
}

// Stored is what an index holds of a page, as far as names go.
type Stored struct {
	Chunks map[string]string // uid by key
	Images map[string]bool   // by id
	Tags   []string          // of the page
}
