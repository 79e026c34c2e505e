package api

import "time"

// BulkRequest asks for one thing to be done to many items: those of ids, or those of a filter.
type BulkRequest struct {
	IDs    []string    `json:"ids,omitempty"` // at most 1,000
	Filter *ItemFilter `json:"filter,omitempty"`
	Op     string      `json:"op"`            // tag, untag, check, pause, resume or remove
	Tag    string      `json:"tag,omitempty"` // of tag and untag
}

// ItemFilter says which items are meant; those of which all is true that it says.
type ItemFilter struct {
	Host   string `json:"host,omitempty"`
	Status Status `json:"status,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Paused bool   `json:"paused,omitempty"` // only paused ones
	All    bool   `json:"all,omitempty"`    // to be given where nothing else is: all items are meant
}

// BulkRun is how far it is.
type BulkRun struct {
	ID        string      `json:"id"`
	Op        string      `json:"op"` // replan: a tag has changed, and the next checks of its items are planned anew
	Tag       string      `json:"tag,omitempty"`
	Status    string      `json:"status"`           // running or done
	Items     int         `json:"items"`            // looked at
	Done      int         `json:"done"`             // of these, it was done to
	Failed    int         `json:"failed"`           // of these, it could not be done to
	Errors    []BulkError `json:"errors,omitempty"` // the first 20
	StartedAt time.Time   `json:"startedAt,omitzero"`
	UpdatedAt time.Time   `json:"updatedAt,omitzero"`
	EndedAt   time.Time   `json:"endedAt,omitzero"`
}

// BulkError is an item to which it could not be done, and why.
type BulkError struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// BulkID names a run of a bulk action.
type BulkID struct {
	ID string `json:"-" path:"id"` // The run.
}
