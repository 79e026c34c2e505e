package search

import (
	"context"
)

// Inventory is the part of an index that shows an audit what the index actually holds.
type Inventory interface {
	// Inspect returns what the index holds of a page. Errors: NotFound when it holds nothing.
	Inspect(ctx context.Context, id string) (Stored, error)
	// IDs returns page ids in ascending order, starting with the first one that is greater than the argument after;
	// "" is less than all ids. The argument top is the maximum number of ids. A page is included even if the index
	// holds only parts of it.
	IDs(ctx context.Context, after string, top int) ([]string, error)
}

// Stored lists the keys, ids and tags that an index holds of a page.
type Stored struct {
	Chunks map[string]string // uids of the chunks, by key
	Images map[string]bool   // the set of image ids
	Tags   []string          // tags of the page
}
