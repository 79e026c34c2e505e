package export

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// scope is the name under which all is exported.
const scope = "github.com/tidemark/tidemark"

// maxAttribute bounds a value, in bytes: the invocation's id comes from outside.
const maxAttribute = 256

func limits() sdktrace.SpanLimits {
	l := sdktrace.NewSpanLimits()
	if l.AttributeValueLengthLimit < 0 { // unless OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT has said
		l.AttributeValueLengthLimit = maxAttribute
	}
	return l
}

// recordTo gives what makes an OpenTelemetry span of one that has ended. It does not wait.
func recordTo(to trace.Tracer) func(telemetry.Span) {
	return func(s telemetry.Span) {
		ctx := context.WithValue(parent(s.Trace), givenKey{}, s.Trace)
		_, span := to.Start(ctx, s.Function, trace.WithTimestamp(s.Began), trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(
				attribute.String("faas.name", s.Function),
				attribute.String("faas.invocation_id", s.Invocation),
				attribute.String("tidemark.outcome", s.Outcome),
			))
		if s.Outcome == telemetry.OutcomeFailed || s.Outcome == telemetry.OutcomeDropped {
			span.SetStatus(codes.Error, s.Outcome)
		}
		span.End(trace.WithTimestamp(s.Began.Add(s.Took)))
	}
}

// parent is a context in which the span that asked for this one is the current one, if there is any.
func parent(t telemetry.Trace) context.Context {
	ctx := context.Background()
	if t.Parent == "" {
		return ctx
	}
	flags, _ := strconv.ParseUint(t.Flags, 16, 8)
	asked, _ := trace.SpanIDFromHex(t.Parent)
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: traceID(t), SpanID: asked, TraceFlags: trace.TraceFlags(flags), Remote: true,
	}))
}

func traceID(t telemetry.Trace) trace.TraceID {
	id, _ := trace.TraceIDFromHex(t.ID) // is one: package telemetry made or checked it
	return id
}

type givenKey struct{}

// given generates no ids but takes those that the log lines have.
type given struct{}

var _ sdktrace.IDGenerator = given{}

// NewIDs implements [sdktrace.IDGenerator].
func (g given) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	t, _ := ctx.Value(givenKey{}).(telemetry.Trace)
	id := traceID(t)
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID implements [sdktrace.IDGenerator].
func (given) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	t, _ := ctx.Value(givenKey{}).(telemetry.Trace)
	id, _ := trace.SpanIDFromHex(t.Span)
	return id
}
