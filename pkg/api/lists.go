package api

import "time"

// ListImportRequest brings a list of addresses. A request whose Content-Type is not JSON is the content itself.
type ListImportRequest struct {
	Content string `json:"content"` // the file: at most 10,000 addresses
	// opml, bookmarks (as browsers export them), csv or jsonl; told by how the content begins unless given.
	Format string `json:"format,omitempty"`
}

// ListImport is the import of a list of addresses, which goes on by itself.
type ListImport struct {
	ID       string           `json:"id"`
	Format   string           `json:"format"`
	Total    int              `json:"total"`    // addresses of the list, each once
	Done     int              `json:"done"`     // of which the next three are all
	Added    int              `json:"added"`    // new items
	Known    int              `json:"known"`    // items that there were; they are left as they are
	Refused  int              `json:"refused"`  // addresses that were not taken
	Refusals []RefusedAddress `json:"refusals"` // the first 100

	StartedAt time.Time `json:"startedAt"`
	EndedAt   time.Time `json:"endedAt,omitzero"` // missing while it goes on
}

// RefusedAddress is an address that was not taken.
type RefusedAddress struct {
	Source string `json:"source"`
	Error  string `json:"error"`
}

// ListImportID names an import of a list.
type ListImportID struct {
	ID string `json:"-" path:"id"` // The import.
}
