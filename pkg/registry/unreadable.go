package registry

import "time"

// Unreadable describes the last answer of an item's source if no text could be extracted from it. It contains what is
// needed to recognize the same answer again. The zero value means that the last answer was readable.
type Unreadable struct {
	RawHash      string    `json:"rawHash"` // sha256:<hex> of the body, which is not stored
	Type         string    `json:"type,omitempty"`
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"lastModified,omitempty"`
	Length       int64     `json:"length,omitempty"`   // length of the body of a file
	FinalURL     string    `json:"finalUrl,omitempty"` // the URL that sent the validators
	Version      string    `json:"version"`            // version of the rules under which no text could be extracted
	Since        time.Time `json:"since"`              // the last time that extracting the text was tried
	Why          string    `json:"why"`
}
