package funchost

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// deliver sends one message to an app and returns the resulting call.
func deliver(t *testing.T, f files, text string, knobs ...knob) (call, posted) {
	t.Helper()
	r := started(t, f, knobs...)
	r.send("jobs", text)
	c := r.waitCalls(t, 1)[0]
	return c, c.envelope(t)
}

func unquote(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%s is not a string: %v", raw, err)
	}
	return s
}

func TestConformanceEncoding(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"orderId":42,"id":"x"}`, "åäö 漢 😀 \"quoted\"\n\ttab <b>&amp;", "\xff\x00"} {
		t.Run("binary is plain base64", func(t *testing.T) {
			c, e := deliver(t, queueApp, text)
			if c.Method != "POST" || c.URI != "/Q" {
				t.Errorf("have %s %s, want POST /Q", c.Method, c.URI)
			}
			if have, want := unquote(t, e.Data["msg"]), base64.StdEncoding.EncodeToString([]byte(text)); have != want {
				t.Errorf("have %s, want %s", have, want)
			}
			if len(e.Metadata) != 7 {
				t.Errorf("metadata %v", e.Metadata)
			}
		})
	}
	t.Run("non-base64 text never reaches the handler", func(t *testing.T) {
		r := started(t, queueApp, with(func(o *Options) { o.Store = malformed{o.Store} }))
		r.send("jobs", "not base64!", "later")
		r.waitLength("jobs", 0)
		if _, calls, _ := r.snapshot(); len(calls) != 0 {
			t.Errorf("called with %s", calls[0].Body)
		}
		if diff := cmp.Diff([]string{"later", "not base64!"}, r.bodies("jobs-poison")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestConformanceMessageMetadata(t *testing.T) {
	t.Parallel()
	date := regexp.MustCompile(`^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00"$`)
	double := regexp.MustCompile(`^"\\".+\\""$`)
	r := started(t, queueApp, withCall(func(n int, _ call) reply {
		if n == 1 {
			return reply{Status: 500}
		}
		return reply{}
	}))
	r.send("jobs", "hello")
	calls := r.waitCalls(t, 2)
	for i, want := range []string{`"1"`, `"2"`} {
		e := calls[i].envelope(t)
		if have := string(e.Metadata["DequeueCount"]); have != want {
			t.Errorf("DequeueCount: have %s, want %s", have, want)
		}
		for _, k := range []string{"ExpirationTime", "InsertionTime", "NextVisibleTime"} {
			if have := string(e.Metadata[k]); !date.MatchString(have) {
				t.Errorf("%s: have %s", k, have)
			}
		}
		for _, k := range []string{"Id", "PopReceipt"} {
			if have := string(e.Metadata[k]); !double.MatchString(have) {
				t.Errorf("%s: have %s", k, have)
			}
		}
		if _, ok := e.Metadata["QueueTrigger"]; ok {
			t.Error("QueueTrigger present")
		}
		var sys map[string]string
		if err := json.Unmarshal(e.Metadata["sys"], &sys); err != nil || len(sys) != 3 || sys["MethodName"] != "Q" {
			t.Errorf("sys: have %v (%v)", sys, err)
		}
	}
	if a, b := calls[0].Header.Get(headerInvocation), calls[1].Header.Get(headerInvocation); a == b || len(a) != 36 {
		t.Errorf("invocation ids %q and %q", a, b)
	}
}

func TestConformanceTransport(t *testing.T) {
	t.Parallel()
	c, e := deliver(t, queueApp, "hello")
	if !c.Chunked || c.Length > 0 {
		t.Errorf("chunked %v, length %d", c.Chunked, c.Length)
	}
	if have := unquote(t, e.Data["msg"]); have != "aGVsbG8=" {
		t.Errorf("have %s", have)
	}
	want := map[string]string{"Content-Type": "application/json; charset=utf-8", headerVersion: hostVersion,
		"User-Agent": userAgent}
	for k, v := range want {
		if have := c.Header.Get(k); have != v {
			t.Errorf("%s: have %q, want %q", k, have, v)
		}
	}
}

func TestConformanceTimerShape(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 10, 0, 0, 1_200_000, time.UTC)
	f := &function{name: "T", trigger: binding{Name: "timer"}}
	s := timerStatus{Last: at, Next: at.Add(5 * time.Minute), LastUpdated: at}
	rows := []struct {
		name   string
		status timerStatus
		want   string
	}{
		{
			"from the second run on",
			s,
			`{"Schedule":{"AdjustForDST":true},"ScheduleStatus":{"Last":"2026-01-02T10:00:00.0012+00:00",` +
				`"Next":"2026-01-02T10:05:00.0012+00:00","LastUpdated":"2026-01-02T10:00:00.0012+00:00"},"IsPastDue":false}`,
		},
		{
			"first run",
			timerStatus{Next: at.Truncate(time.Second)},
			`{"Schedule":{"AdjustForDST":true},"ScheduleStatus":{"Last":"0001-01-01T00:00:00+00:00",` +
				`"Next":"2026-01-02T10:00:00+00:00","LastUpdated":"0001-01-01T00:00:00+00:00"},"IsPastDue":false}`,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			e := timerEnvelope(f, row.status, false, at)
			have, err := marshal(e.Data["timer"])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, string(have)); diff != "" {
				t.Error(diff)
			}
			if len(e.Metadata) != 1 || e.Metadata["sys"] == nil {
				t.Errorf("metadata %v, want sys only", e.Metadata)
			}
		})
	}
}
