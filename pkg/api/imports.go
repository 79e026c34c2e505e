package api

import "time"

// ImportRequest imports the mails of an mbox file. Fields that are nil or empty take their defaults.
type ImportRequest struct {
	// path of a file below EMAIL_IMPORT_ROOT: absolute, or relative to that folder
	MboxPath         string `json:"mbox_path"`
	BatchSize        *int   `json:"batch_size,omitempty"`        // entries in a tier 1 batch, 500 to 2,000; default 500
	InsertChunkSize  *int   `json:"insert_chunk_size,omitempty"` // mails inserted together, 1 to 500; default 200
	CompletionWindow string `json:"completion_window,omitempty"` // 24h is the only value
}

// The states of an import.
const (
	ImportReading    = "reading"    // mails are being read and inserted
	ImportEnqueueing = "enqueueing" // the file has been read; entries wait to be enqueued for tier 1
	ImportDone       = "done"
	ImportFailed     = "failed" // the import stopped before the end of the file
)

// Import is an mbox import. It continues in the background.
type Import struct {
	ID          string          `json:"import_id"`
	Status      string          `json:"status"`
	Message     string          `json:"message,omitempty"` // why the import failed
	Schema      string          `json:"schema"`            // schema into which entries are written
	MboxPath    string          `json:"mbox_path"`
	Bytes       int64           `json:"bytes"` // bytes of Size that have been processed
	Size        int64           `json:"size"`
	Mails       int             `json:"mails"` // the sum of inserted, skipped, updated and failed
	Inserted    int             `json:"inserted"`
	Skipped     int             `json:"skipped"`
	Updated     int             `json:"updated"`
	Failed      int             `json:"failed"`
	Failures    []ImportFailure `json:"failures"`     // the first 100 failures
	Enqueued    int             `json:"enqueued"`     // entries sent to tier 1, which skips those that it has described with the same text
	Batches     int             `json:"batches"`      // number of tier 1 batches with the enqueued entries
	NotEnqueued int             `json:"not_enqueued"` // entries that tier 1 did not accept
	Note        string          `json:"note,omitempty"`
	StartedAt   time.Time       `json:"started_at,omitzero"`
	UpdatedAt   time.Time       `json:"updated_at,omitzero"`
	EndedAt     time.Time       `json:"ended_at,omitzero"`
}

// ImportFailure is a mail that was not imported.
type ImportFailure struct {
	Offset    int64  `json:"offset"` // position of the mail in the file
	MessageID string `json:"message_id,omitempty"`
	Reason    string `json:"reason"`
}

// Imports lists imports, newest first, without their failures.
type Imports struct {
	Imports []Import `json:"imports"`
}

// Over reports whether an import has ended.
func (i Import) Over() bool { return i.Status == ImportDone || i.Status == ImportFailed }

// ImportQuery lists the latest imports.
type ImportQuery struct {
	Top int `json:"top,omitempty" default:"20" min:"1" max:"100"` // The largest number returned.
}

// ImportID identifies an import.
type ImportID struct {
	ID string `json:"-" path:"id"` // The import.
}
