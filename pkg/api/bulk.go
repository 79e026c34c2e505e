package api

import "time"

// BulkRequest applies one operation to many items: those listed by id, or all that match a filter.
type BulkRequest struct {
	IDs    []string    `json:"ids,omitempty"` // ids of items, at most 1,000
	Filter *ItemFilter `json:"filter,omitempty"`
	Op     string      `json:"op"`            // tag, untag, check, pause, resume or remove
	Tag    string      `json:"tag,omitempty"` // the tag, for the operations tag and untag
}

// ItemFilter selects items. An item must match every field that is set.
type ItemFilter struct {
	Host   string `json:"host,omitempty"`
	Status Status `json:"status,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Paused bool   `json:"paused,omitempty"` // only paused items
	All    bool   `json:"all,omitempty"`    // selects every item; required when no other field is set
}

// BulkRun is the progress of a bulk operation.
type BulkRun struct {
	ID string `json:"id"`
	// as in the request, or replan, which reschedules the next checks of the items of a tag that has changed
	Op        string      `json:"op"`
	Tag       string      `json:"tag,omitempty"`
	Status    string      `json:"status"`           // running or done
	Items     int         `json:"items"`            // items examined so far
	Done      int         `json:"done"`             // examined items for which the operation succeeded
	Failed    int         `json:"failed"`           // examined items for which the operation failed
	Errors    []BulkError `json:"errors,omitempty"` // the first 20 errors
	StartedAt time.Time   `json:"startedAt,omitzero"`
	UpdatedAt time.Time   `json:"updatedAt,omitzero"`
	EndedAt   time.Time   `json:"endedAt,omitzero"`
}

// BulkError is an item for which the operation failed, and why.
type BulkError struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// BulkID identifies a bulk run.
type BulkID struct {
	ID string `json:"-" path:"id"` // The run.
}
