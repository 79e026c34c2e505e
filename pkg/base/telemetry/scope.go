package telemetry

import (
	"context"
	"log/slog"
)

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
