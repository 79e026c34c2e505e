package telemetry

import "time"

// These are the outcomes of invocations, as they are counted.
const (
	OutcomeOK      = "ok"
	OutcomeRefused = "refused" // the caller is at fault
	OutcomeDropped = "dropped" // a message that can never be read or processed
	OutcomeFailed  = "failed"  // Tidemark itself is at fault
)

// Span is an invocation that has ended, with the names that its log lines have.
type Span struct {
	Scope
	Began   time.Time
	Took    time.Duration
	Outcome string // one of the constants
}
