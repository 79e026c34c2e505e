package llm

import (
	"context"
	"encoding/json"
	"time"
)

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
