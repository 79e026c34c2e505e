package llm

import (
	"context"
	"errors"
	"iter"
	"time"
)

// MaxLineID is the maximum length of the id of a [Line], in bytes of printable ASCII.
const MaxLineID = 64

// Line is one request of a batch.
type Line struct {
	ID string // identifies the result of the line; unique in the batch
	Request
}

// BatchState is the state of a batch.
type BatchState string

// The states of a batch. All states but Working are final.
const (
	Working   BatchState = "working"   // being validated, processed, assembled or cancelled
	Completed BatchState = "completed" // every line has a result
	Failed    BatchState = "failed"    // the file was refused as a whole, and no line was processed
	Expired   BatchState = "expired"   // the time of the window is over; processed lines have a result
	Cancelled BatchState = "cancelled" // the batch was cancelled; processed lines have a result
)

// Batch is a file of requests that a service processes when it has time.
type Batch struct {
	ID        string
	Label     string // the label of the order; see [Order]
	State     BatchState
	Status    string   // the service's name for the state
	Input     string   // id of the file with the batch's lines
	Files     []string // ids of the files with results and with errors, as far as they exist
	Message   string   // the reason why the batch failed
	Total     int      // number of lines, as counted by the service
	Done      int      // number of lines with an answer
	Failed    int      // number of lines that ended without an answer
	CreatedAt time.Time
}

// Order describes a batch to be started.
type Order struct {
	File   string
	Window time.Duration // time within which the batch must finish; services offer 24 hours
	// Label identifies the batch. If the answer to Start was lost, callers search the list of batches for the label.
	Label string
}

// Result is the result of a line: an answer, or an error with its kind. After Invalid, a retry will fail again. After
// Throttled or Unavailable, a retry may succeed. Unavailable includes a line that the batch had no time for. The
// error of a cancelled line is Conflict.
type Result struct {
	ID     string
	Answer Answer
	Err    error
}

// Output is a file of results. Broken lines are only counted, because they cannot be matched with requests.
type Output struct {
	Results []Result
	Broken  int // number of broken lines
}

// ErrPending is the error of a batch that was not started, because the service is still processing its file.
var ErrPending = errors.New("the service is still processing the file")

// Batcher processes requests when the service has time. Most services charge half the price for this. Its errors have
// the same kinds as those of [Chatter]. In addition, an unknown file or batch is NotFound.
type Batcher interface {
	// Upload sends the lines and returns the id of the file. A file that is never used remains until the service
	// deletes it.
	Upload(ctx context.Context, name string, lines []Line) (file string, err error)
	// Named lists the files with a name.
	Named(ctx context.Context, name string) (files []string, err error)
	// Start starts a batch. It is never retried, because the batch must not be started twice. After Unavailable the
	// batch may or may not exist. Callers must then search Recent for its label. While the service is still processing
	// the file, the error is [ErrPending].
	Start(ctx context.Context, o Order) (Batch, error)
	// Batch returns the current state of a batch.
	Batch(ctx context.Context, id string) (Batch, error)
	// Recent lists all batches, newest first. It stops at the first error.
	Recent(ctx context.Context) iter.Seq2[Batch, error]
	// Cancel requests the end of a batch. Lines that are processed before the batch ends have results.
	Cancel(ctx context.Context, id string) (Batch, error)
	// Results reads one of the files of a batch.
	Results(ctx context.Context, file string) (Output, error)
	// Delete deletes a file from the service, with lines or with results.
	Delete(ctx context.Context, file string) error
}
