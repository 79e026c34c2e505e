package export

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector stands in for one: it keeps what it is sent.
type collector struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	asked   map[string]int // requests by path
	keys    map[string]bool
	service map[string]string // the resource's attributes
	spans   []*trace.Span
	metrics map[string]*metrics.Metric // by name, as they were last sent
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t, asked: map[string]int{}, keys: map[string]bool{}, metrics: map[string]*metrics.Metric{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[r.URL.Path]++
	c.keys[r.Header.Get("X-Key")] = true
	switch r.URL.Path {
	case "/v1/traces":
		var m collecttrace.ExportTraceServiceRequest
		c.decode(r, &m)
		for _, rs := range m.ResourceSpans {
			c.service = values(rs.Resource.Attributes)
			for _, ss := range rs.ScopeSpans {
				c.spans = append(c.spans, ss.Spans...)
			}
		}
	case "/v1/metrics":
		var m collectmetrics.ExportMetricsServiceRequest
		c.decode(r, &m)
		for _, rm := range m.ResourceMetrics {
			for _, sm := range rm.ScopeMetrics {
				for _, one := range sm.Metrics {
					c.metrics[one.Name] = one
				}
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *collector) decode(r *http.Request, to proto.Message) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			c.t.Error(err)
			return
		}
		body = z
	}
	b, err := io.ReadAll(body)
	if err == nil {
		err = proto.Unmarshal(b, to)
	}
	if err != nil || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("%s: %s %v", r.URL.Path, r.Header.Get("Content-Type"), err)
	}
}

// span is the one of a name; there is exactly one.
func (c *collector) span(name string) *trace.Span {
	c.t.Helper()
	var found *trace.Span
	for _, s := range c.spans {
		if s.Name == name {
			if found != nil {
				c.t.Errorf("more than one span %s", name)
			}
			found = s
		}
	}
	if found == nil {
		c.t.Fatalf("no span %s among %v", name, c.spans)
	}
	return found
}

func values(attributes []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range attributes {
		out[a.Key] = a.Value.GetStringValue()
	}
	return out
}
