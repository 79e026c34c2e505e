package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"
)

// Trace is a position in a W3C trace: the trace, one span of it, and the parent of that span. The zero Trace means no
// trace.
type Trace struct {
	ID     string // 32 lower-case hexadecimal digits
	Span   string // 16 digits
	Parent string // 16 digits, or empty for the first span of a trace
	Flags  string // 2 digits, as received; "01" means sampled
}

// NewTrace begins a trace.
func NewTrace() Trace { return Trace{ID: random(16), Span: random(8), Flags: "01"} }

// ParseTrace reads a traceparent header (W3C Trace Context §3.2). The field Span of the result is the sender's span.
// As the standard requires, an invalid header is treated as no trace, and ok is false.
func ParseTrace(header string) (t Trace, ok bool) {
	parts := strings.Split(header, "-")
	if len(header) > 512 || len(parts) < 4 || !isHex(parts[0], 2) || parts[0] == "ff" || parts[0] == "00" &&
		len(parts) != 4 {
		return Trace{}, false
	}
	t = Trace{ID: parts[1], Span: parts[2], Flags: parts[3]}
	if !isHex(t.ID, 32) || !isHex(t.Span, 16) || !isHex(t.Flags, 2) || isZero(t.ID) || isZero(t.Span) {
		return Trace{}, false
	}
	return t, true
}

// Child returns a new span of the trace, whose parent is the span of t. For the zero Trace it begins a new trace.
func (t Trace) Child() Trace {
	if t.ID == "" {
		return NewTrace()
	}
	return Trace{ID: t.ID, Span: random(8), Parent: t.Span, Flags: t.Flags}
}

// String returns the traceparent header for the span, or "" for the zero Trace.
func (t Trace) String() string {
	if t.ID == "" {
		return ""
	}
	return "00-" + t.ID + "-" + t.Span + "-" + t.Flags
}

// random returns n random bytes as hexadecimal digits. The standard forbids all zeros, which are too improbable to
// check.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func isHex(s string, n int) bool { return len(s) == n && strings.Trim(s, "0123456789abcdef") == "" }

func isZero(s string) bool { return strings.Trim(s, "0") == "" }

// Scope says to which invocation the work under a context belongs.
type Scope struct {
	Function   string // the function of a trigger, or the route of an HTTP function; empty before it is known
	Invocation string // the host's id of the invocation
	Actor      string // the name of the caller's key; empty when no key was needed
	Trace      Trace
}

type scopeKey struct{}

// With returns a context whose work belongs to s.
func With(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// From returns the scope of a context, or the zero Scope when it has none.
func From(ctx context.Context) Scope {
	s, _ := ctx.Value(scopeKey{}).(Scope)
	return s
}

// TraceParent returns the traceparent header for a queue message sent under ctx, or "" when ctx has no trace.
func TraceParent(ctx context.Context) string { return From(ctx).Trace.String() }

// NewHandler returns a handler that adds the scope of the context to each record: function, invocationId, actor,
// traceId and spanId, where they are known.
func NewHandler(next slog.Handler) slog.Handler { return scoped{next} }

type scoped struct{ slog.Handler }

func (h scoped) Handle(ctx context.Context, r slog.Record) error {
	s := From(ctx)
	for _, a := range []slog.Attr{
		slog.String("function", s.Function), slog.String("invocationId", s.Invocation),
		slog.String("actor", s.Actor),
		slog.String("traceId", s.Trace.ID), slog.String("spanId", s.Trace.Span),
	} {
		if a.Value.String() != "" {
			r.AddAttrs(a)
		}
	}
	return h.Handler.Handle(ctx, r)
}

func (h scoped) WithAttrs(attrs []slog.Attr) slog.Handler { return scoped{h.Handler.WithAttrs(attrs)} }

func (h scoped) WithGroup(name string) slog.Handler { return scoped{h.Handler.WithGroup(name)} }

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
