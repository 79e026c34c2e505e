package search

import (
	"context"
)

// Inventory is the part of an index that tells an auditor what is really there.
type Inventory interface {
	// Inspect is what the index holds of a page; NotFound when that is nothing.
	Inspect(ctx context.Context, id string) (Stored, error)
	// IDs are the ids of at most top pages that come after one, in order; "" comes before all. A page
	// of which only parts are left counts.
	IDs(ctx context.Context, after string, top int) ([]string, error)
}

// Stored is what an index holds of a page, as far as names go.
type Stored struct {
	Chunks map[string]string // uid by key
	Images map[string]bool   // by id
	Tags   []string          // of the page
}
