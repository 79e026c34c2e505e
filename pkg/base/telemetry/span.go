package telemetry

import "time"

// Outcomes of invocations, as they are counted.
const (
	OutcomeOK      = "ok"
	OutcomeRefused = "refused" // the caller's fault
	OutcomeDropped = "dropped" // a message that cannot be read or done, ever
	OutcomeFailed  = "failed"  // by a fault of Tidemark itself
)

// Span is an invocation that has come to its end, under the names that its log lines have.
type Span struct {
	Scope
	Began   time.Time
	Took    time.Duration
	Outcome string // one of the constants
}
