package llm

import (
	"context"
	"encoding/json"
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

// Request asks a model for one answer.
type Request struct {
	Model  string // the model's name at the service, such as a route of LiteLLM
	System string // the instructions
	User   string // the text to work on
	Schema Schema // schema of the answer
	// MaxTokens bounds the tokens of the answer, including those of the model's reasoning; 0 means the service's
	// bound.
	MaxTokens int
}

// Schema is a JSON schema that an answer must follow strictly. Every object in the schema must be closed and must
// require all of its properties. Only keywords that services support are allowed.
// (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas)
type Schema struct {
	Name string // letters, digits, - and _
	JSON json.RawMessage
}

// Finish is the reason why a model stopped.
type Finish string

// The reasons why models stop.
const (
	Complete  Finish = "complete"
	Truncated Finish = "truncated" // the model stopped at MaxTokens or at its own limit, and the text is incomplete
	Refused   Finish = "refused"   // the model or a filter refused; the text is the reason, or empty
)

// Answer is a model's answer. Callers must check that it follows the schema.
type Answer struct {
	Text   string
	Finish Finish
	Model  string // the model that answered, according to the service, because a route may choose any model
	Usage  Usage
	// Attempts is the number of requests. Latency is their duration, including the pauses between them. Both are zero
	// for an answer in a batch.
	Attempts int
	Latency  time.Duration
}

// Usage is what the service charges for an answer.
type Usage struct {
	In   int     `col:"tokensIn"`  // number of tokens in the question
	Out  int     `col:"tokensOut"` // number of tokens in the answer
	Cost float64 `col:"cost"`      // in US dollars; 0 if the service does not report it
}

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{In: u.In + v.In, Out: u.Out + v.Out, Cost: u.Cost + v.Cost}
}

// Chatter answers requests immediately.
type Chatter interface {
	// Chat sends one request, with retries where they may help. It may be called concurrently. Errors: Invalid, with
	// the name of the setting or field, for a request that the service will never answer; Blocked if the service
	// refuses the key; Throttled, with the pause that the service asks for; Unavailable if the service fails or its
	// answer cannot be read.
	Chat(ctx context.Context, r Request) (Answer, error)
}
