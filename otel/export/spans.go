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

// scope is the instrumentation scope of all exported spans and metrics.
const scope = "github.com/tidemark/tidemark"

// maxAttribute limits the size of an attribute's value, in bytes, because the invocation's id comes from outside.
const maxAttribute = 256

func limits() sdktrace.SpanLimits {
	l := sdktrace.NewSpanLimits()
	if l.AttributeValueLengthLimit < 0 { // OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT sets no limit
		l.AttributeValueLengthLimit = maxAttribute
	}
	return l
}

// recordTo returns a function that converts an ended span to an OpenTelemetry span and queues it without waiting.
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

// parent returns a context whose current span is the parent of the trace's span. Without a parent it returns an empty
// context.
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
	id, _ := trace.TraceIDFromHex(t.ID) // never fails: package telemetry made or checked the id
	return id
}

type givenKey struct{}

// given is an id generator that returns the ids of the log lines instead of new ones.
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
