package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Request asks a model for one answer.
type Request struct {
	Model  string // as the service knows it, such as a route of LiteLLM
	System string // what the model is to do
	User   string // with what
	Schema Schema // what the answer has to be
	// MaxTokens bounds the answer, what the model only thinks included; the service's bound when 0.
	MaxTokens int
}

// Schema is a JSON schema that an answer has to follow strictly: every object closed and all of its
// properties required, and no more keywords than services know.
// (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas)
type Schema struct {
	Name string // letters, digits, - and _
	JSON json.RawMessage
}

// Finish says why a model stopped.
type Finish string

// Why models stop.
const (
	Complete  Finish = "complete"
	Truncated Finish = "truncated" // at MaxTokens, or at a bound of the model; the text is a beginning
	Refused   Finish = "refused"   // by the model, or by a filter; the text says why, or is empty
)

// Answer is what a model said. That it follows the schema is to be seen.
type Answer struct {
	Text   string
	Finish Finish
	Model  string // that answered, as the service says; behind a route it may be any
	Usage  Usage
	// Attempts is how many requests it took, and Latency how long with the pauses between them. Both
	// are zero in a batch.
	Attempts int
	Latency  time.Duration
}

// Usage is what an answer is charged for.
type Usage struct {
	In   int     `col:"tokensIn"`  // tokens of the question
	Out  int     `col:"tokensOut"` // tokens of the answer
	Cost float64 `col:"cost"`      // in US dollars, where the service says so; else 0
}

// Add is both together.
func (u Usage) Add(v Usage) Usage {
	return Usage{In: u.In + v.In, Out: u.Out + v.Out, Cost: u.Cost + v.Cost}
}

// Chatter answers requests at once.
type Chatter interface {
	// Chat asks once, and retries what may be retried. It may be called concurrently.
	// Kinds: Invalid for a request that the service will never answer, with the setting or field to
	// look at; Blocked when it refuses the key; Throttled, with the pause that it asks for;
	// Unavailable, also for an answer that cannot be read.
	Chat(ctx context.Context, r Request) (Answer, error)
}
