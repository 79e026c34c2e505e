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
	ID string // by which its result is known; unique in the batch
	Request
}

// BatchState is how far a batch is.
type BatchState string

// The states of a batch. All but Working are final.
const (
	Working   BatchState = "working"   // being checked, done, put together or cancelled
	Completed BatchState = "completed" // every line has a result
	Failed    BatchState = "failed"    // the file was refused as a whole; no line was done
	Expired   BatchState = "expired"   // the window is over; what was done has a result
	Cancelled BatchState = "cancelled" // likewise
)

// Batch is a file of requests that a service does when it has time.
type Batch struct {
	ID        string
	Label     string // as it was ordered
	State     BatchState
	Status    string   // in the service's own word
	Input     string   // the file of its lines
	Files     []string // of results, of errors or both, as far as there are any
	Message   string   // why it failed
	Total     int      // lines, as the service counts
	Done      int      // of these, with an answer
	Failed    int      // of these, without
	CreatedAt time.Time
}

// Order is a batch to be made.
type Order struct {
	File   string
	Window time.Duration // within which it is to be done; services know 24 hours
	// Label finds the batch again in the list, when the answer to Start was lost.
	Label string
}

// Result is what became of a line: an answer, or an error with its kind. Invalid will fail again,
// Throttled and Unavailable (also for a line that the batch had no time for) may not; Cancelled
// lines are Conflict.
type Result struct {
	ID     string
	Answer Answer
	Err    error
}

// Output is a file of results. What in it is no result is counted, for nobody knows whose it is.
type Output struct {
	Results []Result
	Broken  int // lines
}

// Batcher has requests done when the service has time, at half the price with most. Errors have the
// kinds of [Chatter], and NotFound for a file or batch that the service does not have.
type Batcher interface {
	// Upload hands over the lines and gives the file's id. A file that is not used lies there until
	// the service deletes it.
	Upload(ctx context.Context, name string, lines []Line) (file string, err error)
	// Start begins a batch. It is never tried again, for it must not happen twice: after Unavailable
	// nobody knows whether there is a batch, and Recent has to be asked for its label.
	Start(ctx context.Context, o Order) (Batch, error)
	// Batch tells how far a batch is.
	Batch(ctx context.Context, id string) (Batch, error)
	// Recent lists batches, newest first, as many as there are. It stops at the first error.
	Recent(ctx context.Context) iter.Seq2[Batch, error]
	// Cancel asks for the end of a batch. What was done by then has results.
	Cancel(ctx context.Context, id string) (Batch, error)
	// Results reads one of the files of a batch.
	Results(ctx context.Context, file string) (Output, error)
	// Delete removes a file, of lines or of results, from the service.
	Delete(ctx context.Context, file string) error
}
