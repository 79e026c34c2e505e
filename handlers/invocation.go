package handlers

import (
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// invocationHeader is the header with the host's id of the invocation. The host replaces any value that a client
// sends.
const invocationHeader = "X-Azure-Functions-InvocationId"

// scoped records the invocation and the trace that a request belongs to. A request that the dashboard makes to show a
// page belongs to the invocation for that page, and its span is a child of the page's span.
func scoped(r *http.Request) *http.Request {
	scope := telemetry.From(r.Context())
	asked := scope.Trace
	if asked.ID == "" {
		scope.Invocation = r.Header.Get(invocationHeader)
		asked, _ = telemetry.ParseTrace(r.Header.Get("traceparent"))
	}
	scope.Trace = asked.Child()
	return r.WithContext(telemetry.With(r.Context(), scope))
}

// withFunction records which function a request is for.
func withFunction(r *http.Request, function string) *http.Request {
	scope := telemetry.From(r.Context())
	scope.Function = function
	return r.WithContext(telemetry.With(r.Context(), scope))
}

// over counts an invocation that has ended, and reports it to [Options.Ended].
func (s *server) over(r *http.Request, began time.Time, outcome string) {
	span := telemetry.Span{Scope: telemetry.From(r.Context()), Began: began, Took: time.Since(began), Outcome: outcome}
	s.Metrics.Invocations.Add(1, span.Function, outcome)
	s.Metrics.Duration.Observe(span.Took.Seconds(), span.Function)
	if s.Ended != nil {
		s.Ended(span)
	}
}

// counted counts the invocations of an HTTP function by the status of their answers. An invocation that panics has no
// status and counts as failed.
func (s *server) counted(function string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began, answer := time.Now(), &noted{ResponseWriter: w, outcome: telemetry.OutcomeFailed}
		r = withFunction(r, function)
		defer func() { s.over(r, began, answer.outcome) }()
		next(answer, r)
	}
}

// A noted writer remembers the status of an answer.
type noted struct {
	http.ResponseWriter
	outcome string
	begun   bool
}

// Write implements [io.Writer]. If no status was written before, the status is 200.
func (n *noted) Write(b []byte) (int, error) {
	if !n.begun {
		n.WriteHeader(http.StatusOK)
	}
	return n.ResponseWriter.Write(b)
}

func (n *noted) WriteHeader(status int) {
	n.begun = true
	switch {
	case status < http.StatusBadRequest:
		n.outcome = telemetry.OutcomeOK
	case status < http.StatusInternalServerError:
		n.outcome = telemetry.OutcomeRefused
	}
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the underlying writer, for [http.ResponseController].
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }
