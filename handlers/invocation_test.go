package handlers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/registry"
)

// told returns the rig's handler with a readable log and metrics.
func (r *rig) told() (log *bytes.Buffer, m *telemetry.Metrics) {
	log, m = &bytes.Buffer{}, telemetry.New()
	r.Handler = New(Options{Open: r.open, Metrics: m,
		Log: slog.New(telemetry.NewHandler(slog.NewJSONHandler(log, nil)))})
	return log, m
}

// lines decodes the lines of the log.
func lines(t *testing.T, log *bytes.Buffer) (out []map[string]any) {
	t.Helper()
	for line := range bytes.Lines(log.Bytes()) {
		var m map[string]any
		must(t, json.Unmarshal(line, &m))
		out = append(out, m)
	}
	return out
}

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"

// TestTraceSurvivesTheQueue checks that the trace of a request that registers a page continues through the queue into
// the worker's log lines.
func TestTraceSurvivesTheQueue(t *testing.T) {
	r := newRig(t)
	log, _ := r.told()
	req := httptest.NewRequestWithContext(t.Context(), "POST", "/api/AddUrlDocument",
		strings.NewReader(`{"url":"https://port.example/ok/one"}`))
	req.Header.Set("traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	r.ServeHTTP(httptest.NewRecorder(), req)
	got, err := r.store.Queue(registry.JobQueue).Receive(t.Context(), 1, time.Minute)
	must(t, err)
	if len(got) != 1 || !strings.Contains(string(got[0].Body), `"traceparent":"00-`+trace) ||
		strings.Contains(string(got[0].Body), "00f067aa0ba902b7") {
		t.Fatalf("jobs %s", got[0].Body)
	}
	for name, encode := range map[string]func([]byte) string{"binary": binaryEnvelope, "double-encoded": doubleEnvelope} {
		log.Reset()
		work := httptest.NewRequestWithContext(t.Context(), "POST", "/CrawlPoison", strings.NewReader(encode(got[0].Body)))
		work.Header.Set("traceparent", "00-"+strings.Repeat("b", 32)+"-00f067aa0ba902b7-01") // the host's own trace
		work.Header.Set("X-Azure-Functions-InvocationId", "real")
		r.ServeHTTP(httptest.NewRecorder(), work)
		said := lines(t, log)
		if len(said) == 0 {
			t.Fatalf("%s: nothing is logged", name)
		}
		for _, m := range said {
			if m["traceId"] != trace || m["function"] != "CrawlPoison" || m["invocationId"] != "real" ||
				m["spanId"] == "00f067aa0ba902b7" {
				t.Errorf("%s: %v", name, m)
			}
		}
	}
}

// TestMessagesWithoutTrace checks that a message without a valid trace is processed in the trace of the host's call.
func TestMessagesWithoutTrace(t *testing.T) {
	for name, field := range map[string]string{"of an older version": "", "no trace": `"traceparent":"../../etc",`,
		"no text": `"traceparent":{},`} {
		r := newRig(t)
		log, m := r.told()
		job := r.register("https://port.example/ok/one")
		req := httptest.NewRequestWithContext(t.Context(), "POST", "/CrawlPoison",
			strings.NewReader(binaryEnvelope([]byte("{"+field+string(job[1:])))))
		req.Header.Set("traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
		r.ServeHTTP(httptest.NewRecorder(), req)
		for _, line := range lines(t, log) {
			if line["traceId"] != trace {
				t.Errorf("%s: %v", name, line)
			}
		}
		if field == `"traceparent":{},` {
			continue // not a job
		}
		if n := m.Invocations.Total("CrawlPoison"); n != 1 {
			t.Errorf("%s: %v invocations", name, n)
		}
	}
}

// TestInvocationsAreCounted checks that invocations are counted by function and outcome, failures by kind, and
// messages by age.
func TestInvocationsAreCounted(t *testing.T) {
	r := newRig(t)
	log, m := r.told()
	for _, ask := range []struct{ method, path, body string }{
		{"GET", "/api/items?top=1", ""},
		{"GET", "/api/items?top=zzz", ""},
		{"GET", "/api/ITEMS/", ""},
		{"POST", "/CrawlWorker", "no envelope"},
		{"POST", "/CrawlTimer", `{"Data":{"timer":{}},"Metadata":{"sys":{}}}`},
		{"GET", "/api/nothing", ""},
	} {
		do(t, r, ask.method, ask.path, ask.body)
	}
	job := r.register("https://port.example/ok/one")
	inserted := time.Now().Add(-90 * time.Second).UTC().Format("2006-01-02T15:04:05+00:00")
	do(t, r, "POST", "/CrawlWorker", strings.Replace(binaryEnvelope(job), `"Metadata":{`,
		fmt.Sprintf(`"Metadata":{"InsertionTime":%q,`, `"`+inserted+`"`), 1))
	r.v.Worker = nil // every use of the worker now panics
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(job))
	w := do(t, r, "GET", "/api/metrics", "")
	if ct := w.Header().Get("Content-Type"); w.Code != http.StatusOK || ct != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("%d %s", w.Code, ct)
	}
	for _, want := range []string{
		`tidemark_invocations_total{function="GET items",outcome="ok"} 2`,
		`tidemark_invocations_total{function="GET items",outcome="refused"} 1`,
		`tidemark_invocations_total{function="CrawlWorker",outcome="dropped"} 1`,
		`tidemark_invocations_total{function="CrawlWorker",outcome="failed"} 1`,
		`tidemark_invocations_total{function="CrawlWorker",outcome="ok"} 1`,
		`tidemark_invocations_total{function="CrawlTimer",outcome="ok"} 1`,
		`tidemark_invocation_duration_seconds_count{function="CrawlWorker"} 3`,
		`tidemark_errors_total{of="invocation",kind="invalid"} 1`,
		`tidemark_errors_total{of="invocation",kind="internal"} 1`,
		`tidemark_queue_age_seconds_bucket{function="CrawlWorker",le="60"} 0`,
		`tidemark_queue_age_seconds_bucket{function="CrawlWorker",le="300"} 1`,
	} {
		if !strings.Contains(w.Body.String(), want+"\n") {
			t.Errorf("missing: %s\n%s", want, log)
		}
	}
	if n := m.Invocations.Total(); n != 8 {
		t.Errorf("%v invocations", n) // a path without a route is not an invocation
	}
}

// TestPanicsAreCounted checks that a route that panics counts as failed, and that its log line can be found.
func TestPanicsAreCounted(t *testing.T) {
	r := newRig(t)
	log, m := r.told()
	r.v.Registry = nil
	do(t, r, "GET", "/api/items?top=1", "")
	if n := m.Invocations.Total("GET items"); n != 1 {
		t.Errorf("%v invocations", n)
	}
	if said := lines(t, log); len(said) != 1 || said[0]["msg"] != "invocation panicked" || said[0]["traceId"] == nil {
		t.Errorf("%v", said)
	}
}

// TestEndedInvocationsAreTold checks that a page of the dashboard is an invocation which is reported when it ends,
// and that its API requests are child spans.
func TestEndedInvocationsAreTold(t *testing.T) {
	r := newRig(t)
	spans := map[string]telemetry.Span{}
	r.Handler = New(Options{Open: r.open, Ended: func(s telemetry.Span) { spans[s.Function] = s }})
	do(t, r, "GET", "/api/ui/items", "")
	do(t, r, "GET", "/api/ui/static/nothing", "")
	page, list := spans["GET ui"], spans["GET items"]
	if page.Outcome != telemetry.OutcomeRefused || list.Outcome != telemetry.OutcomeOK || list.Took <= 0 ||
		list.Began.IsZero() {
		t.Errorf("page %+v, list %+v", page, list)
	}
	do(t, r, "GET", "/api/ui/items", "")
	page, list = spans["GET ui"], spans["GET items"]
	if page.Outcome != telemetry.OutcomeOK || list.Trace.ID != page.Trace.ID || list.Trace.Parent != page.Trace.Span ||
		list.Trace.Span == page.Trace.Span {
		t.Errorf("page %+v, list %+v", page, list)
	}
}
