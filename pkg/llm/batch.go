package llm

import (
	"context"
	"iter"
	"time"
)

// MaxLineID bounds the id of a [Line], in bytes of printable ASCII.
const MaxLineID = 64

// Line is one request of a batch.
type Line struct {
	ID string // identifies its result; unique in the batch
	Request
}

// BatchState is the state of a batch.
type BatchState string

// The states of a batch. All but Working are final.
const (
	Working   BatchState = "working"   // being validated, processed, assembled or cancelled
	Completed BatchState = "completed" // every line has a result
	Failed    BatchState = "failed"    // the file was refused as a whole; no line was processed
	Expired   BatchState = "expired"   // the window is over; processed lines have a result
	Cancelled BatchState = "cancelled" // processed lines have a result
)

// Batch is a file of requests that a service processes when it has time.
type Batch struct {
	ID        string
	Label     string // from the order
	State     BatchState
	Status    string   // the service's name for the state
	Input     string   // id of the file of its lines
	Files     []string // ids of the files of results and errors that exist
	Message   string   // why it failed
	Total     int      // number of lines, as the service counts
	Done      int      // of these, with an answer
	Failed    int      // of these, without an answer
	CreatedAt time.Time
}

// Order describes a batch to start.
type Order struct {
	File   string
	Window time.Duration // within which it must be done; services offer 24 hours
	// Label identifies the batch in the list when the answer to Start was lost.
	Label string
}

// Result is the result of a line: an answer, or an error with its kind. A retry of Invalid will fail again; one of
// Throttled or Unavailable (also for a line that the batch had no time for) may succeed. Cancelled lines are
// Conflict.
type Result struct {
	ID     string
	Answer Answer
	Err    error
}

// Output is a file of results. Broken lines are only counted, because they cannot be matched with a request.
type Output struct {
	Results []Result
	Broken  int // number of broken lines
}

// Batcher processes requests when the service has time, at most services for half the price. Errors have the kinds of
// [Chatter], and NotFound for an unknown file or batch.
type Batcher interface {
	// Upload sends the lines and returns the file's id. A file that is never used remains until the service deletes
	// it.
	Upload(ctx context.Context, name string, lines []Line) (file string, err error)
	// Start starts a batch. It is never retried, because it must not happen twice. After Unavailable the batch may or
	// may not exist; callers must search Recent for its label.
	Start(ctx context.Context, o Order) (Batch, error)
	// Batch returns the current state of a batch.
	Batch(ctx context.Context, id string) (Batch, error)
	// Recent lists all batches, the newest first. It stops at the first error.
	Recent(ctx context.Context) iter.Seq2[Batch, error]
	// Cancel requests the end of a batch. Lines that were processed by then have results.
	Cancel(ctx context.Context, id string) (Batch, error)
	// Results reads one of the files of a batch.
	Results(ctx context.Context, file string) (Output, error)
	// Delete removes a file, of lines or of results, from the service.
	Delete(ctx context.Context, file string) error
}
