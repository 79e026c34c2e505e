package item

import "time"

// Unreadable is the last answer of an item's source that no text could be extracted from, with what
// tells that the next one is the same. The zero value is that there was none since something could.
type Unreadable struct {
	RawHash      string    `json:"rawHash"` // sha256:<hex> of the body, which is not kept
	Type         string    `json:"type,omitempty"`
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"lastModified,omitempty"`
	Length       int64     `json:"length,omitempty"`   // of a file
	FinalURL     string    `json:"finalUrl,omitempty"` // what the validators belong to
	Version      string    `json:"version"`            // of the rules it was read by
	Since        time.Time `json:"since"`              // when it was last tried
	Why          string    `json:"why"`
}
