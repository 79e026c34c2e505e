package export

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/registry"
)

// written is a log that may be read while others still write.
type written struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *written) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// handler is the real one over an embedded store, with what it logs and exports.
type handler struct {
	http.Handler
	t    *testing.T
	app  *app.App
	log  *written
	stop func()
}

func newHandler(t *testing.T) *handler {
	t.Helper()
	h := &handler{t: t, log: &written{}}
	log := slog.New(telemetry.NewHandler(slog.NewJSONHandler(h.log, nil)))
	set := map[string]string{"STORAGE": "embedded", "TIDEMARK_DATA": t.TempDir(), "CRAWL_ALLOW_HOSTS": "127.0.0.1"}
	a, err := app.New(func(name string) string { return set[name] }, log)
	must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	ended, stop, err := Start(log, a.Metrics())
	must(t, err)
	h.app, h.stop = a, stop
	h.Handler = handlers.New(handlers.Options{Open: a.Services, Log: log, Metrics: a.Metrics(), Ended: ended})
	return h
}

func (h *handler) do(method, path, body string, header map[string]string) {
	r := httptest.NewRequestWithContext(h.t.Context(), method, path, strings.NewReader(body))
	for name, value := range header {
		r.Header.Set(name, value)
	}
	h.ServeHTTP(httptest.NewRecorder(), r)
}

// job is the envelope of the one message that waits for a worker.
func (h *handler) job() string {
	h.t.Helper()
	v, err := h.app.Services(h.t.Context())
	must(h.t, err)
	got, err := v.Store.Queue(registry.JobQueue).Receive(h.t.Context(), 1, time.Minute)
	must(h.t, err)
	if len(got) != 1 {
		h.t.Fatalf("%d jobs", len(got))
	}
	return fmt.Sprintf(`{"Data":{"job":%q},"Metadata":{}}`, base64.StdEncoding.EncodeToString(got[0].Body))
}

// logged is the spanId of each function's log lines.
func (h *handler) logged() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(h.log.String()) {
		var m map[string]any
		must(h.t, json.Unmarshal([]byte(line), &m))
		if f, ok := m["function"].(string); ok {
			out[f], _ = m["spanId"].(string)
		}
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func site(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/tides" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html lang=en><title>Tides</title><main><h1>Tides</h1><p>The harbour opens at high " +
			"tide.</p></main>"))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const traceOf = "4bf92f3577b34da6a3ce929d0e0e4736"

// A page is registered, crawled and asked for in vain; the collector gets each invocation as a span
// that its log lines and the next one name, and the numbers of all.
func TestInvocationsAreExported(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	h := newHandler(t)
	began := time.Now()
	h.do("POST", "/api/AddUrlDocument", fmt.Sprintf(`{"url":%q}`, site(t)+"/tides"),
		map[string]string{"traceparent": "00-" + traceOf + "-00f067aa0ba902b7-01"})
	h.do("POST", "/CrawlWorker", h.job(), map[string]string{"X-Azure-Functions-InvocationId": strings.Repeat("i", 1000)})
	// not sampled
	h.do("POST", "/CrawlWorker", "no envelope",
		map[string]string{"traceparent": "00-" + strings.Repeat("b", 32) + "-00f067aa0ba902b7-00"})
	h.do("POST", "/CrawlPoison", "no envelope", nil)
	h.do("GET", "/api/ui/items", "", nil)
	h.stop()

	added, worked, dropped := c.span("POST AddUrlDocument"), c.span("CrawlWorker"), c.span("CrawlPoison")
	for _, s := range []*trace.Span{added, worked} {
		if hex.EncodeToString(s.TraceId) != traceOf || s.Status.GetCode() != trace.Status_STATUS_CODE_UNSET {
			t.Errorf("%s: trace %x, %v", s.Name, s.TraceId, s.Status)
		}
		if s.StartTimeUnixNano < uint64(began.UnixNano()) || s.EndTimeUnixNano <= s.StartTimeUnixNano ||
			s.EndTimeUnixNano > uint64(time.Now().UnixNano()) {
			t.Errorf("%s: from %d to %d", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano)
		}
	}
	if hex.EncodeToString(added.ParentSpanId) != "00f067aa0ba902b7" || !bytes.Equal(worked.ParentSpanId, added.SpanId) {
		t.Errorf("below %x and %x", added.ParentSpanId, worked.ParentSpanId)
	}
	if a := values(worked.Attributes); a["tidemark.outcome"] != "ok" || len(a["faas.invocation_id"]) != maxAttribute {
		t.Errorf("%v", a)
	}
	if dropped.Status.GetCode() != trace.Status_STATUS_CODE_ERROR || dropped.Status.Message != "dropped" ||
		len(dropped.ParentSpanId) != 0 {
		t.Errorf("%v", dropped)
	}
	if page, list := c.span("GET ui"), c.span("GET items"); !bytes.Equal(list.ParentSpanId, page.SpanId) ||
		!bytes.Equal(list.TraceId, page.TraceId) {
		t.Errorf("the page's list is below %x of %x", list.ParentSpanId, list.TraceId)
	}
	if id := h.logged()["CrawlPoison"]; id != hex.EncodeToString(dropped.SpanId) {
		t.Errorf("logged as %s, exported as %x", id, dropped.SpanId)
	}
	if c.service["service.name"] != "tidemark" || c.service["service.version"] != app.Version ||
		c.service["deployment.environment.name"] != "test" {
		t.Errorf("%v", c.service)
	}
	if len(c.keys) != 1 || !c.keys["secret"] {
		t.Errorf("keys %v", c.keys)
	}
	checkNumbers(t, c, h.app.Metrics())
}

// checkNumbers holds what was exported against what is counted.
func checkNumbers(t *testing.T, c *collector, m *telemetry.Metrics) {
	t.Helper()
	for _, f := range m.Read() {
		got := c.metrics[f.Name]
		if f.Type == telemetry.TypeGauge && len(f.Series) == 0 {
			continue // not known
		}
		if got == nil || got.Description != f.Help {
			t.Errorf("%s: %v", f.Name, got)
		}
	}
	var changed float64
	for _, p := range c.metrics["tidemark_checks_total"].GetSum().DataPoints {
		if values(p.Attributes)["outcome"] == "changed" {
			changed = p.GetAsDouble()
		}
	}
	if !c.metrics["tidemark_checks_total"].GetSum().IsMonotonic || changed != 1 {
		t.Errorf("checks: %v", c.metrics["tidemark_checks_total"])
	}
	built := c.metrics["tidemark_build_info"].GetGauge().GetDataPoints()
	if len(built) != 1 || built[0].GetAsDouble() != 1 {
		t.Errorf("the gauge of the version: %v", built)
	}
	took, calls := c.metrics["tidemark_invocation_duration_seconds"], map[string]uint64{}
	for _, p := range took.GetHistogram().DataPoints {
		var n uint64
		for _, b := range p.BucketCounts {
			n += b
		}
		if n != p.Count || len(p.BucketCounts) != len(p.ExplicitBounds)+1 || took.Unit != "s" {
			t.Errorf("%v", took)
		}
		calls[values(p.Attributes)["function"]] = n
	}
	want := map[string]uint64{"POST AddUrlDocument": 1, "CrawlWorker": 2, "CrawlPoison": 1, "GET ui": 1, "GET items": 1}
	for function, n := range want {
		if calls[function] != n {
			t.Errorf("%s: %d calls, want %d", function, calls[function], n)
		}
	}
}

// What nobody asked for is not exported, and one signal may be without the other.
func TestOnlyWhatIsAskedFor(t *testing.T) {
	c := newCollector(t)
	if ended, stop, err := Start(slog.Default(), telemetry.New()); ended != nil || err != nil {
		t.Errorf("without an endpoint: %v", err)
	} else {
		stop()
	}
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", c.URL+"/v1/metrics")
	ended, stop, err := Start(slog.Default(), telemetry.New())
	must(t, err)
	stop()
	if ended != nil || c.asked["/v1/metrics"] == 0 || c.asked["/v1/traces"] != 0 {
		t.Errorf("asked for %v", c.asked)
	}
}

// A collector that takes requests and never answers holds up neither invocations nor, for long, the stop.
func TestCollectorThatHangs(t *testing.T) {
	over := make(chan struct{})
	c := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-over }))
	t.Cleanup(c.Close)
	t.Cleanup(func() { close(over) }) // before that, which waits for requests
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "1")
	var log written
	ended, stop, err := Start(slog.New(slog.NewTextHandler(&log, nil)), telemetry.New())
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 10000 { // several times what the queue has room for
			ended(telemetry.Span{Scope: telemetry.Scope{Function: "CrawlWorker", Trace: telemetry.NewTrace()},
				Began: time.Now()})
		}
		stop()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second): // so long the SDK itself would wait
		t.Fatal("it waits for the collector")
	}
	if !strings.Contains(log.String(), "the last telemetry is not exported") {
		t.Errorf("log: %s", log.String())
	}
}

// A collector that is not there is told of in the log.
func TestCollectorThatRefuses(t *testing.T) {
	c := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(c.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	h := newHandler(t)
	h.do("GET", "/api/health", "", nil)
	h.stop()
	if !strings.Contains(h.log.String(), "exported") || !strings.Contains(h.log.String(), "404") {
		t.Errorf("log: %s", h.log)
	}
}

func TestBadSettings(t *testing.T) {
	for name, row := range map[string]struct{ set, to, want, never string }{
		"a protocol that is not spoken": {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
			`OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": only http/protobuf is allowed`, ""},
		"one of a signal": {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json", `TRACES_PROTOCOL is "http/json"`,
			""},
		"no scheme": {"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318",
			`is "collector:4318": an address like`, ""},
		"a password": {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://me:hush@collector.example",
			`is "…@collector.example"`, "hush"},
		"headers that are none": {"OTEL_EXPORTER_OTLP_HEADERS", "a=b,hush", "OTEL_EXPORTER_OTLP_HEADERS (not shown)",
			"hush"},
		"attributes that are none": {"OTEL_RESOURCE_ATTRIBUTES", "nothing", "OTEL_RESOURCE_ATTRIBUTES", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
			t.Setenv(row.set, row.to)
			_, _, err := Start(slog.New(slog.DiscardHandler), telemetry.New())
			if err == nil || !strings.Contains(err.Error(), row.want) || row.never != "" &&
				strings.Contains(err.Error(), row.never) {
				t.Errorf("%v", err)
			}
		})
	}
}
