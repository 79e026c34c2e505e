package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// A result is the answer that the host expects. Outputs may be empty, but the field must be present.
type result struct {
	Outputs     map[string]any
	Logs        []string
	ReturnValue any
}

func (s *server) serveTrigger(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		r, e, err := s.envelope(withFunction(r, name))
		var report string
		if err == nil {
			report, err = s.invoke(r, e, name)
		}
		status, outcome := http.StatusOK, telemetry.OutcomeOK
		switch kind := fault.KindOf(err); kind {
		case "":
		case fault.Invalid, fault.NotFound, fault.Blocked, fault.TooLarge:
			s.Log.ErrorContext(r.Context(), "message dropped", "kind", kind, "err", err)
			outcome, report = telemetry.OutcomeDropped, err.Error()
		default:
			s.Log.ErrorContext(r.Context(), "invocation failed", "kind", kind, "err", err)
			status, outcome, report = http.StatusInternalServerError, telemetry.OutcomeFailed, err.Error()
		}
		if err != nil {
			s.Metrics.Errors.Add(1, "invocation", string(fault.KindOf(err)))
		}
		if strings.HasSuffix(name, "Poison") {
			s.Metrics.Failures.Add(1, "poisoned")
		}
		s.over(r, began, outcome)
		res := result{Outputs: map[string]any{}, Logs: []string{}}
		if report != "" {
			res.Logs = append(res.Logs, report)
		}
		wire.JSON(w, status, res)
	}
}

// envelope reads the envelope of a call. If the envelope has a message, the invocation continues
// the trace of the message's sender. Otherwise, it continues the host's trace.
func (s *server) envelope(r *http.Request) (*http.Request, wire.Envelope, error) {
	var e wire.Envelope
	if err := json.NewDecoder(r.Body).Decode(&e); fault.Is(err, fault.Unavailable) {
		return r, e, err // the envelope is incomplete, so the message must stay queued
	} else if err != nil {
		return r, e, fault.New(fault.Invalid, "envelope: %v", err)
	}
	scope := telemetry.From(r.Context())
	if age, ok := e.Age(time.Now()); ok {
		s.Metrics.QueueAge.Observe(age.Seconds(), scope.Function)
	}
	if sent, ok := e.SentBy(); ok {
		scope.Trace = sent.Child()
		r = r.WithContext(telemetry.With(r.Context(), scope))
	}
	return r, e, nil
}

// invoke calls the trigger. It turns a panic into an error, because the host expects the same JSON
// answer after a panic as after an error.
func (s *server) invoke(r *http.Request, e wire.Envelope, name string) (report string, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.ErrorContext(r.Context(), "trigger panicked", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			report, err = "", fmt.Errorf("panic: %v", p)
		}
	}()
	services, err := s.open(r.Context())
	if err != nil {
		return "", fault.New(fault.Unavailable, "services: %w", err)
	}
	defer services.flush(r.Context(), s.Log)
	report, err = services.triggers[name](r.Context(), e)
	return report, services.flushed(r.Context(), err)
}

// invocationHeader is the header with the host's id of the invocation. The host replaces any value
// that a client sends.
const invocationHeader = "X-Azure-Functions-InvocationId"

// scoped records the invocation and the trace that a request belongs to. A request that the
// dashboard makes to show a page belongs to the invocation for that page, and its span is a child
// of the page's span.
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

// counted counts the invocations of an HTTP function by the status of their answers. An invocation
// that panics has no status and counts as failed.
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
