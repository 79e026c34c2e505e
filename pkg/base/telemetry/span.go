package telemetry

import "time"

// These are the outcomes of invocations, as used in labels.
const (
	OutcomeOK      = "ok"
	OutcomeRefused = "refused" // the caller is at fault
	OutcomeDropped = "dropped" // a message that can never be read or processed
	OutcomeFailed  = "failed"  // Tidemark itself is at fault
)

// Span describes an invocation that has ended, with the names by which its log lines are found.
type Span struct {
	Scope
	Began   time.Time
	Took    time.Duration
	Outcome string // one of the constants above
}
