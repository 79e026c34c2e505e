// Package export sends a handler's traces and metrics to a collector by OTLP over HTTP
// (https://opentelemetry.io/docs/specs/otlp/). Each invocation becomes a span with the ids that its log lines have.
// The metrics are those of [telemetry.Metrics], under the same names.
//
// The environment variables of the OpenTelemetry specification configure the export, and the SDK reads them
// (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). A signal without an endpoint is not sent. The
// specification's default endpoint, a collector at localhost, is not used, because a handler in Azure has no
// collector there.
//
// No invocation waits for a collector. Spans go through a queue of at most 2,048 (OTEL_BSP_MAX_QUEUE_SIZE). When the
// queue is full, further spans are dropped. When the process stops, it waits at most two seconds for the remaining
// spans to be sent.
package export

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// flushFor limits the time that a stopping process waits for the collector.
const flushFor = 2 * time.Second

var _ app.Exporter = Start

// An exporter holds the functions that stop the export. It holds none when no endpoint is set.
type exporter struct {
	log   *slog.Logger
	stops []func(context.Context) error
}

// Start begins the export that the environment variables configure. It exports nothing when they set no endpoint.
// Errors: Invalid for settings that cannot work. A later failure to send is logged as a warning.
func Start(log *slog.Logger, m *telemetry.Metrics) (ended func(telemetry.Span), stop func(), err error) {
	set, err := read(os.Getenv)
	if err != nil || !set.traces && !set.metrics {
		return nil, func() {}, err
	}
	// The SDK has one logger and one error handler per process. Its log is discarded, because it shows headers, which
	// may be secret.
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry is not exported", "err", err) }))
	ctx := context.Background()
	res, err := about(ctx)
	if err != nil {
		return nil, func() {}, fault.New(fault.Invalid,
			"OTEL_RESOURCE_ATTRIBUTES: %v; names and values like a=b,c=d are allowed", err)
	}
	x := &exporter{log: log}
	if set.traces {
		ended, err = x.sendSpans(ctx, res)
	}
	if err == nil && set.metrics {
		err = x.sendMetrics(ctx, res, m)
	}
	return ended, x.stop, err
}

// about returns the attributes that describe this process to the collector.
func about(ctx context.Context) (*resource.Resource, error) {
	return resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "tidemark"),
		attribute.String("service.version", app.Version),
		attribute.String("service.instance.id", rand.Text()),
	), resource.WithFromEnv()) // the environment overrides the attributes above
}

func (x *exporter) sendSpans(ctx context.Context, res *resource.Resource) (func(telemetry.Span), error) {
	to, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fault.New(fault.Invalid, "export of traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(to), sdktrace.WithResource(res), sdktrace.WithIDGenerator(given{}),
		sdktrace.WithRawSpanLimits(limits()),
	)
	x.stops = append(x.stops, provider.Shutdown)
	return recordTo(provider.Tracer(scope)), nil
}

func (x *exporter) sendMetrics(ctx context.Context, res *resource.Resource, m *telemetry.Metrics) error {
	to, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return fault.New(fault.Invalid, "export of metrics: %w", err)
	}
	reader := sdkmetric.NewPeriodicReader(to, sdkmetric.WithProducer(numbers{m, time.Now()}))
	x.stops = append(x.stops, sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader),
		sdkmetric.WithResource(res)).Shutdown)
	return nil
}

// stop sends the remaining spans and metrics, and gives up after [flushFor].
func (x *exporter) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), flushFor)
	defer cancel()
	var all sync.WaitGroup
	failed := make([]error, len(x.stops))
	for i, stop := range x.stops {
		all.Go(func() { failed[i] = stop(ctx) })
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		x.log.Warn("the last telemetry is not exported", "err", err)
	}
}
