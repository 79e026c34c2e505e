package telemetry

import (
	"context"
	"log/slog"
)

// Scope is what the work under a context belongs to.
type Scope struct {
	Function   string // of the trigger, or the route of an HTTP function; empty before it is known
	Invocation string // the host's id of it
	Actor      string // the name of the key that asked; empty when none was needed
	Trace      Trace
}

type scopeKey struct{}

// With says what the work under the returned context belongs to.
func With(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// From tells what the work under a context belongs to; the zero Scope when nobody has said.
func From(ctx context.Context) Scope {
	s, _ := ctx.Value(scopeKey{}).(Scope)
	return s
}

// TraceParent is what a queue message that is sent under a context keeps of its trace; empty for none.
func TraceParent(ctx context.Context) string { return From(ctx).Trace.String() }

// NewHandler adds to the records of a handler what their context belongs to: function, invocationId,
// actor, traceId and spanId, as far as there are any.
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
