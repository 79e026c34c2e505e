package export

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// numbers converts the metrics of a process to the types of the SDK. The values are always cumulative, whatever
// temporality the settings prefer, because [telemetry.Metrics] counts from the start of the process.
type numbers struct {
	*telemetry.Metrics
	since time.Time
}

var _ sdkmetric.Producer = numbers{}

// Produce implements [sdkmetric.Producer].
func (n numbers) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	out := metricdata.ScopeMetrics{Scope: instrumentation.Scope{Name: scope}}
	now := time.Now()
	for _, f := range n.Read() {
		if f.Type == telemetry.TypeGauge && len(f.Series) == 0 {
			continue // not known yet
		}
		m := metricdata.Metrics{Name: f.Name, Description: f.Help}
		if strings.HasSuffix(f.Name, "_seconds") {
			m.Unit = "s"
		}
		switch f.Type {
		case telemetry.TypeHistogram:
			m.Data = n.histogram(f, now)
		case telemetry.TypeGauge:
			m.Data = gauge(f, now)
		default:
			m.Data = n.sum(f, now)
		}
		out.Metrics = append(out.Metrics, m)
	}
	return []metricdata.ScopeMetrics{out}, nil
}

func (n numbers) sum(f telemetry.Family, now time.Time) metricdata.Sum[float64] {
	out := metricdata.Sum[float64]{Temporality: metricdata.CumulativeTemporality, IsMonotonic: true}
	for _, s := range f.Series {
		out.DataPoints = append(out.DataPoints, metricdata.DataPoint[float64]{
			Attributes: labels(f, s), StartTime: n.since, Time: now, Value: s.Sum,
		})
	}
	return out
}

func gauge(f telemetry.Family, now time.Time) (out metricdata.Gauge[float64]) {
	for _, s := range f.Series {
		out.DataPoints = append(out.DataPoints, metricdata.DataPoint[float64]{Attributes: labels(f, s), Time: now,
			Value: s.Sum})
	}
	return out
}

func (n numbers) histogram(f telemetry.Family, now time.Time) metricdata.Histogram[float64] {
	out := metricdata.Histogram[float64]{Temporality: metricdata.CumulativeTemporality}
	for _, s := range f.Series {
		above := s.Count
		for _, b := range s.Buckets {
			above -= b
		}
		out.DataPoints = append(out.DataPoints, metricdata.HistogramDataPoint[float64]{
			Attributes: labels(f, s), StartTime: n.since, Time: now,
			Count: s.Count, Sum: s.Sum, Bounds: f.Bounds, BucketCounts: append(s.Buckets, above),
		})
	}
	return out
}

func labels(f telemetry.Family, s telemetry.Series) attribute.Set {
	var out []attribute.KeyValue
	for i, name := range f.Labels {
		out = append(out, attribute.String(name, s.Values[i]))
	}
	return attribute.NewSet(out...)
}
