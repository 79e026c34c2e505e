package item

import "time"

// Unreadable describes the last answer of an item's source if no text could be extracted from it, with what is needed
// to recognize the same answer again. The zero value means that the last answer was readable.
type Unreadable struct {
	RawHash      string    `json:"rawHash"` // sha256:<hex> of the body, which is not kept
	Type         string    `json:"type,omitempty"`
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"lastModified,omitempty"`
	Length       int64     `json:"length,omitempty"`   // of a file
	FinalURL     string    `json:"finalUrl,omitempty"` // the URL that the validators belong to
	Version      string    `json:"version"`            // of the rules with which it was read
	Since        time.Time `json:"since"`              // when it was last tried
	Why          string    `json:"why"`
}
