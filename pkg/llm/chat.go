package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Request is a request to a model for one answer.
type Request struct {
	Model  string // the service's name for it, such as a route of LiteLLM
	System string // the instructions
	User   string // the text to work on
	Schema Schema // of the answer
	// MaxTokens bounds the answer, including the tokens of the model's reasoning; 0 means the service's bound.
	MaxTokens int
}

// Schema is a JSON schema that an answer must follow strictly. Every object must be closed with all of its properties
// required, and only keywords that services support are allowed.
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
	Truncated Finish = "truncated" // at MaxTokens, or at a bound of the model; the text is incomplete
	Refused   Finish = "refused"   // by the model, or by a filter; the text says why, or is empty
)

// Answer is a model's answer. Callers must check that it follows the schema.
type Answer struct {
	Text   string
	Finish Finish
	Model  string // the model that answered, according to the service; a route may choose any
	Usage  Usage
	// Attempts is the number of requests, and Latency their duration including the pauses between them. Both are zero
	// in a batch.
	Attempts int
	Latency  time.Duration
}

// Usage is what the service charges for an answer.
type Usage struct {
	In   int     `col:"tokensIn"`  // tokens of the question
	Out  int     `col:"tokensOut"` // tokens of the answer
	Cost float64 `col:"cost"`      // in US dollars; 0 when the service does not report it
}

// Add returns the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{In: u.In + v.In, Out: u.Out + v.Out, Cost: u.Cost + v.Cost}
}

// Chatter answers requests immediately.
type Chatter interface {
	// Chat sends one request, with retries where they may help. It may be called concurrently. Errors: Invalid,
	// naming the setting or field, for a request that the service will never answer; Blocked when the service refuses
	// the key; Throttled, with the pause that it asks for; Unavailable, also for an answer that cannot be read.
	Chat(ctx context.Context, r Request) (Answer, error)
}
