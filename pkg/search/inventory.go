package search

import (
	"context"
)

// Inventory is the part of an index that shows an audit what the index actually holds.
type Inventory interface {
	// Inspect returns what the index holds of a page. Errors: NotFound when it holds nothing.
	Inspect(ctx context.Context, id string) (Stored, error)
	// IDs returns up to top page ids that sort after the given one, in order; "" sorts before all. A page is included
	// even if only parts of it are left.
	IDs(ctx context.Context, after string, top int) ([]string, error)
}

// Stored lists the names of what an index holds of a page.
type Stored struct {
	Chunks map[string]string // uid by key
	Images map[string]bool   // by id
	Tags   []string          // of the page
}
