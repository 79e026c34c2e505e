package api

import "time"

// ImportRequest asks to import the mails of an mbox file. What is nil or empty has its default.
type ImportRequest struct {
	MboxPath         string `json:"mbox_path"`                   // below EMAIL_IMPORT_ROOT, or from there on
	BatchSize        *int   `json:"batch_size,omitempty"`        // entries of a batch for tier 1, 500 to 2,000; 500
	InsertChunkSize  *int   `json:"insert_chunk_size,omitempty"` // mails that are inserted together, 1 to 500; 200
	CompletionWindow string `json:"completion_window,omitempty"` // 24h, there is no other
}

// The states of an import.
const (
	ImportReading    = "reading"    // mails are being read and inserted
	ImportEnqueueing = "enqueueing" // the file is through; entries wait to be enqueued for tier 1
	ImportDone       = "done"
	ImportFailed     = "failed" // it ended before the end of the file
)

// Import is an import that was accepted, and goes on by itself.
type Import struct {
	ID          string          `json:"import_id"`
	Status      string          `json:"status"`
	Message     string          `json:"message,omitempty"` // why it failed
	Schema      string          `json:"schema"`            // that entries go to
	MboxPath    string          `json:"mbox_path"`
	Bytes       int64           `json:"bytes"` // that are through, of Size
	Size        int64           `json:"size"`
	Mails       int             `json:"mails"` // of which the next four are all
	Inserted    int             `json:"inserted"`
	Skipped     int             `json:"skipped"`
	Updated     int             `json:"updated"`
	Failed      int             `json:"failed"`
	Failures    []ImportFailure `json:"failures"`     // the first 100
	Enqueued    int             `json:"enqueued"`     // entries for tier 1
	Batches     int             `json:"batches"`      // that they are in
	NotEnqueued int             `json:"not_enqueued"` // entries that tier 1 did not take
	Note        string          `json:"note,omitempty"`
	StartedAt   time.Time       `json:"started_at,omitzero"`
	UpdatedAt   time.Time       `json:"updated_at,omitzero"`
	EndedAt     time.Time       `json:"ended_at,omitzero"`
}

// ImportFailure is a mail that was not imported.
type ImportFailure struct {
	Offset    int64  `json:"offset"` // in the file
	MessageID string `json:"message_id,omitempty"`
	Reason    string `json:"reason"`
}

// Imports is a list of imports, newest first, without their failures.
type Imports struct {
	Imports []Import `json:"imports"`
}

// Over reports whether an import has ended.
func (i Import) Over() bool { return i.Status == ImportDone || i.Status == ImportFailed }

// ImportQuery asks for the latest imports.
type ImportQuery struct {
	Top int `json:"top,omitempty" default:"20" min:"1" max:"100"` // At most so many.
}

// ImportID names an import.
type ImportID struct {
	ID string `json:"-" path:"id"` // The import.
}
