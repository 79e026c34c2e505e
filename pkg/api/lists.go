package api

import "time"

// ListImportRequest imports a list of addresses. A request whose media type is not JSON has the list itself as its
// body.
type ListImportRequest struct {
	Content string `json:"content"` // content of the list's file, with at most 10,000 addresses
	// opml, bookmarks (as browsers export them), csv or jsonl; detected from the content if omitted.
	Format string `json:"format,omitempty"`
}

// ListImport is the import of a list of addresses. It continues in the background.
type ListImport struct {
	ID       string           `json:"id"`
	Format   string           `json:"format"`
	Total    int              `json:"total"`    // addresses in the list, each counted once
	Done     int              `json:"done"`     // the sum of added, known and refused
	Added    int              `json:"added"`    // new items
	Known    int              `json:"known"`    // addresses that were already registered; their items are unchanged
	Refused  int              `json:"refused"`  // addresses that were rejected
	Refusals []RefusedAddress `json:"refusals"` // the first 100 rejected addresses
	// Warning says what is not as one may expect of addresses in the list.
	Warning string `json:"warning,omitempty"`

	StartedAt time.Time `json:"startedAt"`
	EndedAt   time.Time `json:"endedAt,omitzero"` // left out while the import runs
}

// RefusedAddress is an address that was rejected.
type RefusedAddress struct {
	Source string `json:"source"`
	Error  string `json:"error"`
}

// ListImportID identifies the import of a list.
type ListImportID struct {
	ID string `json:"-" path:"id"` // The import.
}
