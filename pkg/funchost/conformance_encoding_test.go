package funchost

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// deliver sends one message to an app and gives the call it caused.
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
	t.Run("H05 double encoding", func(t *testing.T) {
		c, e := deliver(t, queueApp, "hello")
		if c.Method != "POST" || c.URI != "/Q" {
			t.Errorf("have %s %s, want POST /Q", c.Method, c.URI)
		}
		if have, want := unquote(t, e.Data["msg"]), `"hello"`; have != want {
			t.Errorf("have %s, want %s", have, want)
		}
	})
	t.Run("H06 payload properties join and overwrite metadata", func(t *testing.T) {
		text := `{"orderId":42,"id":"x"}`
		_, e := deliver(t, queueApp, text)
		var back string
		if err := json.Unmarshal([]byte(unquote(t, e.Data["msg"])), &back); err != nil || back != text {
			t.Errorf("have %q (%v), want %q", back, err, text)
		}
		if have := unquote(t, e.Metadata["orderId"]); have != `"42"` {
			t.Errorf("orderId: have %s", have)
		}
		if have := unquote(t, e.Metadata["Id"]); have != `"x"` {
			t.Errorf("Id: have %s", have)
		}
		if _, ok := e.Metadata["id"]; ok {
			t.Error("id stands beside Id")
		}
	})
	t.Run("H08 binary is plain base64", func(t *testing.T) {
		_, e := deliver(t, bytesApp, `{"orderId":42}`)
		if have, want := unquote(t, e.Data["msg"]), base64.StdEncoding.EncodeToString([]byte(`{"orderId":42}`)); have != want {
			t.Errorf("have %s, want %s", have, want)
		}
		if _, ok := e.Metadata["orderId"]; ok || len(e.Metadata) != 7 {
			t.Errorf("metadata %v", e.Metadata)
		}
	})
	t.Run("H10 text survives", func(t *testing.T) {
		text := "åäö 漢 😀 \"quoted\"\n\ttab <b>&amp;"
		_, e := deliver(t, queueApp, text)
		inner := unquote(t, e.Data["msg"])
		if have := unquote(t, json.RawMessage(inner)); have != text {
			t.Errorf("have %q, want %q", have, text)
		}
		if !strings.Contains(inner, "<b>&amp;") {
			t.Errorf("escaped for HTML: %s", inner)
		}
	})
	t.Run("H21 non-base64 text never reaches the handler", func(t *testing.T) {
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

func TestConformanceMetadata(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, text, key, want string }{
		{"H07 list adds nothing", `[1,2]`, "0", ""},
		{"H07 property that is a list is skipped", `{"a":[1]}`, "a", ""},
		{"H07 null is skipped", `{"a":null}`, "a", ""},
		{"H07 object stays an object", `{"a":{"b":1}}`, "a", `{"b":1}`},
		{"H07 boolean becomes True", `{"f":true}`, "f", `"\"True\""`},
		{"H07 boolean becomes False", `{"f":false}`, "f", `"\"False\""`},
		{"H07 number becomes text", `{"n":1.5}`, "n", `"\"1.5\""`},
		{"H07 names ending in trigger are filtered", `{"mytrigger":1}`, "mytrigger", ""},
		{"H07 in any case", `{"MyTrigger":1}`, "MyTrigger", ""},
		{"H06 dequeueCount of the payload overwrites", `{"dequeuecount":9}`, "DequeueCount", `"\"9\""`},
		{"H07 text after the object adds nothing", `{"a":1} x`, "a", ""},
	}
	r := started(t, queueApp)
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r.t = t
			r.send("jobs", row.text)
			e := r.waitCalls(t, i+1)[i].envelope(t)
			if have := string(e.Metadata[row.key]); have != row.want {
				t.Errorf("have %s, want %s", have, row.want)
			}
		})
	}
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
			t.Errorf("H09 DequeueCount: have %s, want %s", have, want)
		}
		for _, k := range []string{"ExpirationTime", "InsertionTime", "NextVisibleTime"} {
			if have := string(e.Metadata[k]); !date.MatchString(have) {
				t.Errorf("H09 %s: have %s", k, have)
			}
		}
		for _, k := range []string{"Id", "PopReceipt"} {
			if have := string(e.Metadata[k]); !double.MatchString(have) {
				t.Errorf("H09 %s: have %s", k, have)
			}
		}
		if _, ok := e.Metadata["QueueTrigger"]; ok {
			t.Error("H09 QueueTrigger present")
		}
		var sys map[string]string
		if err := json.Unmarshal(e.Metadata["sys"], &sys); err != nil || len(sys) != 3 || sys["MethodName"] != "Q" {
			t.Errorf("H09 sys: have %v (%v)", sys, err)
		}
	}
	if a, b := calls[0].Header.Get(headerInvocation), calls[1].Header.Get(headerInvocation); a == b || len(a) != 36 {
		t.Errorf("H11 invocation ids %q and %q", a, b)
	}
}

func TestConformanceTransport(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		known bool
	}{{"H12 chunked as in Azure", false}, {"H12 Content-Length as under Core Tools", true}} {
		t.Run(row.name, func(t *testing.T) {
			c, e := deliver(t, queueApp, "hello", with(func(o *Options) { o.KnownLength = row.known }))
			if c.Chunked == row.known || (c.Length > 0) != row.known {
				t.Errorf("chunked %v, length %d", c.Chunked, c.Length)
			}
			if have := unquote(t, e.Data["msg"]); have != `"hello"` {
				t.Errorf("have %s", have)
			}
			want := map[string]string{"Content-Type": "application/json; charset=utf-8", headerVersion: hostVersion, "User-Agent": userAgent}
			for k, v := range want {
				if have := c.Header.Get(k); have != v {
					t.Errorf("H11 %s: have %q, want %q", k, have, v)
				}
			}
		})
	}
}

func TestConformanceTimerShape(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 10, 0, 0, 1_200_000, time.UTC)
	f := &function{name: "T", trigger: binding{name: "timer"}}
	s := timerStatus{Last: at, Next: at.Add(5 * time.Minute), LastUpdated: at}
	rows := []struct {
		name, schedule string
		monitor        bool
		status         timerStatus
		want           string
	}{
		{"H23 cron", "0 */5 * * * *", true, s, `{"Schedule":{"AdjustForDST":true},"ScheduleStatus":{"Last":"2026-01-02T10:00:00.0012+00:00","Next":"2026-01-02T10:05:00.0012+00:00","LastUpdated":"2026-01-02T10:00:00.0012+00:00"},"IsPastDue":false}`},
		{"H23 first run", "0 */5 * * * *", true, timerStatus{Next: at.Truncate(time.Second)}, `{"Schedule":{"AdjustForDST":true},"ScheduleStatus":{"Last":"0001-01-01T00:00:00+00:00","Next":"2026-01-02T10:00:00+00:00","LastUpdated":"0001-01-01T00:00:00+00:00"},"IsPastDue":false}`},
		{"H23 sub-minute has no status", "*/10 * * * * *", false, s, `{"Schedule":{"AdjustForDST":true},"ScheduleStatus":null,"IsPastDue":false}`},
		{"H23 interval does not adjust", "00:05:00", false, s, `{"Schedule":{"AdjustForDST":false},"ScheduleStatus":null,"IsPastDue":false}`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			sched, err := parseSchedule(row.schedule)
			if err != nil {
				t.Fatal(err)
			}
			e := timerEnvelope(f, timerSpec{schedule: sched, monitor: row.monitor}, row.status, false, at)
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
