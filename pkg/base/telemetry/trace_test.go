package telemetry_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
	header  = "00-" + traceID + "-" + spanID + "-01"
)

// TestParseTrace follows the rules of W3C Trace Context §3.2 and its test suite.
func TestParseTrace(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		ok     bool
	}{
		"as it should be":                    {header, true},
		"not sampled":                        {strings.TrimSuffix(header, "01") + "00", true},
		"a later version":                    {"cc" + header[2:], true},
		"a later version that says more":     {"cc" + header[2:] + "-what.the-future-brings", true},
		"empty":                              {"", false},
		"version 00 that says more":          {header + "-more", false},
		"version ff":                         {"ff" + header[2:], false},
		"a trace of zeros":                   {"00-" + strings.Repeat("0", 32) + "-" + spanID + "-01", false},
		"a span of zeros":                    {"00-" + traceID + "-0000000000000000-01", false},
		"upper case":                         {strings.ToUpper(header), false},
		"no hexadecimal digits":              {strings.Replace(header, "4b", "xy", 1), false},
		"too short":                          {header[:54], false},
		"spaces":                             {" " + header, false},
		"longer than anybody needs":          {"cc" + header[2:] + "-" + strings.Repeat("x", 600), false},
		"a line break, which a log may obey": {header + "\n", false},
	} {
		have, ok := telemetry.ParseTrace(c.header)
		if ok != c.ok || ok && (have.ID != traceID || have.Span != spanID) || !ok && have != (telemetry.Trace{}) {
			t.Errorf("%s: %+v %v", name, have, ok)
		}
	}
}

func TestChildStaysInItsTrace(t *testing.T) {
	sent, _ := telemetry.ParseTrace(header)
	child := sent.Child()
	if child.ID != traceID || child.Parent != spanID || child.Span == spanID || child.Flags != "01" {
		t.Errorf("%+v", child)
	}
	again, ok := telemetry.ParseTrace(child.String())
	if again.Parent = child.Parent; !ok || again != child {
		t.Errorf("%q is read as %+v", child, again)
	}
	first := telemetry.Trace{}.Child()
	if _, ok := telemetry.ParseTrace(first.String()); !ok || first.Parent != "" {
		t.Errorf("%+v", first)
	}
	if (telemetry.Trace{}).String() != "" || telemetry.TraceParent(t.Context()) != "" {
		t.Error("no trace has a header")
	}
}

func FuzzParseTrace(f *testing.F) {
	f.Add(header)
	f.Add("cc" + header[2:] + "-x")
	f.Fuzz(func(t *testing.T, s string) {
		if have, ok := telemetry.ParseTrace(s); ok {
			if again, ok := telemetry.ParseTrace(have.String()); !ok || again != have {
				t.Errorf("%q: %+v, then %+v", s, have, again)
			}
		}
	})
}

func TestLogLinesTellTheirScope(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(telemetry.NewHandler(slog.NewJSONHandler(&b, nil))).With("run", "r")
	sent, _ := telemetry.ParseTrace(header)
	ctx := telemetry.With(t.Context(), telemetry.Scope{Function: "CrawlWorker", Invocation: "i-1", Trace: sent})
	log.InfoContext(ctx, "within", "n", 1)
	log.Info("outside")
	var lines []map[string]any
	for line := range bytes.Lines(b.Bytes()) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "time")
		lines = append(lines, m)
	}
	want := []map[string]any{
		{"level": "INFO", "msg": "within", "run": "r", "n": 1.0, "function": "CrawlWorker", "invocationId": "i-1",
			"traceId": traceID, "spanId": spanID},
		{"level": "INFO", "msg": "outside", "run": "r"},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}
