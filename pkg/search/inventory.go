package search

import (
	"context"
)

// Inventory is the part of an index that an audit uses to see the actual contents.
type Inventory interface {
	// Inspect returns the contents of the index for a page. Errors: NotFound if there are none.
	Inspect(ctx context.Context, id string) (Stored, error)
	// IDs returns page ids in ascending order, starting after the given id; "" is less than all ids. It returns at
	// most top ids. A page is included even if the index holds only parts of it.
	IDs(ctx context.Context, after string, top int) ([]string, error)
}

// Stored lists the keys, ids and tags that an index holds of a page.
type Stored struct {
	Chunks map[string]string // uids of the chunks, by key
	Images map[string]bool   // the set of image ids
	Tags   []string          // tags of the page
}
