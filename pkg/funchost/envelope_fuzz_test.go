package funchost

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/storage"
	"pgregory.net/rapid"
)

// FuzzQueueEnvelope holds that any payload makes a valid envelope from which the message can be
// had back, and that none reaches the metadata that belongs to the host.
func FuzzQueueEnvelope(f *testing.F) {
	for _, s := range []string{"hello", `{"id":"x"}`, `{"a":[1],"b":null,"c":{"d":1},"sys":1,"xTrigger":2}`, "\xff", `{"a":1e999}`, "null", `{"":""}`} {
		f.Add([]byte(s))
	}
	fn := &function{name: "Q", trigger: binding{name: "msg"}}
	f.Fuzz(func(t *testing.T, body []byte) {
		wire, err := marshal(queueEnvelope(fn, storage.Message{ID: "1", Body: body}, time.Unix(0, 0)))
		if err != nil {
			t.Fatal(err)
		}
		var e posted
		if err := json.Unmarshal(wire, &e); err != nil {
			t.Fatal(err)
		}
		var inner, text string
		if json.Unmarshal(e.Data["msg"], &inner) != nil || json.Unmarshal([]byte(inner), &text) != nil {
			t.Fatalf("not double-encoded: %s", e.Data["msg"])
		}
		if utf8.Valid(body) && text != string(body) {
			t.Fatalf("have %q, want %q", text, body)
		}
		if !strings.Contains(string(e.Metadata["sys"]), `"MethodName":"Q"`) {
			t.Fatalf("sys is %s", e.Metadata["sys"])
		}
	})
}

// FuzzResult holds that no answer of a handler makes the host panic.
func FuzzResult(f *testing.F) {
	for _, s := range []string{`{}`, `{"Outputs":{"res":{"statusCode":"201","body":{"a":1},"headers":{"x":1}},"out":["m1",null,{"a":1}]}}`, `{"ReturnValue":"dGVzdA=="}`, `{"Outputs":{"res":"{\"body\":[]}","out":"[\"a\"]"}}`, `{"ReturnValue":{"res":5}}`} {
		f.Add([]byte(s))
	}
	http := binding{name: "res", kind: httpOutput}
	fn := &function{outputs: []binding{http, {name: "out", kind: queueOutput}}, http: &http}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := parseResult(200, "application/json", body)
		if err != nil {
			return
		}
		newHTTPAnswer(fn, r)
		if raw, ok := r.output(fn, "out"); ok {
			queueMessages(raw, false)
		}
	})
}

// TestBindingDataKeepsOneKey holds that names which differ in case only are one name.
func TestBindingDataKeepsOneKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.SampledFrom([]string{"id", "Id", "ID", "a", "A", "bTrigger"})).Draw(t, "names")
		d := newBindingData()
		last := map[string]int{}
		for i, name := range names {
			d.set(name, i)
			last[strings.ToLower(name)] = i
		}
		for name, v := range d.wire("F", time.Unix(0, 0)) {
			if want, ok := last[strings.ToLower(name)]; name != "sys" && (!ok || v != want || strings.HasSuffix(name, "rigger")) {
				t.Fatalf("%s: have %v, want %v", name, v, want)
			}
		}
	})
}
