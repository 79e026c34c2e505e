// Package conformance checks a custom handler from outside, the way the Functions host meets it:
// it starts the executable of a script root and speaks the protocol to it. It shares no code with
// the local host, so the two cannot agree on the same mistake.
//
// Every check is about what the real host punishes late and silently: an empty answer that hangs
// until the function times out, a missing Content-Type, a chunked body taken for none, a route that
// exists in function.json only.
package conformance

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// Answer is what the handler answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Message is a queue message that a function takes.
type Message struct {
	Body []byte
	// Taken judges the answer; nil wants status 200 and a JSON object.
	Taken func(Answer) error
}

// Options say how to run the handler and what to tell it.
type Options struct {
	// Env is the whole environment of the handler but for the variables of the host. Leave the
	// dependencies out, or point them at nothing: the handler must answer GET / all the same.
	Env []string
	// Messages are samples for queue functions, by name of the function.
	Messages map[string]Message
	// Payloads are more bodies for envelope functions, by name; such that provoke a panic, say.
	Payloads map[string][][]byte
	// AnswerWithin bounds every single answer; 10 s when zero. Ready bounds the answer to the
	// first GET / from the moment the port is open; 1 s when zero.
	AnswerWithin, Ready time.Duration
}

// Handler starts the handler of the app in appDir and checks it. Functions with an HTTP route are
// called with their methods and an empty body, so the environment should be a disposable one.
func Handler(t *testing.T, appDir string, o Options) {
	t.Helper()
	a, err := readApp(appDir)
	if err != nil {
		t.Fatal(err)
	}
	if o.AnswerWithin == 0 {
		o.AnswerWithin = 10 * time.Second
	}
	if o.Ready == 0 {
		o.Ready = time.Second
	}
	p := startProcess(t, a, o)
	if !t.Run("root answers before anything else does", func(t *testing.T) { p.checkReady(t, o.Ready) }) {
		return
	}
	t.Run("unknown path is 404", func(t *testing.T) {
		if got := p.get(t, unknownPath); got.Status != http.StatusNotFound {
			t.Errorf("GET %s: have %d, want 404", unknownPath, got.Status)
		}
	})
	for _, f := range a.functions {
		t.Run(f.name, func(t *testing.T) {
			if f.http {
				p.checkRoute(t, a, f)
				return
			}
			p.checkEnvelope(t, f, o.Payloads[f.name])
			if m, ok := o.Messages[f.name]; ok {
				p.checkMessage(t, f, m)
			}
		})
	}
	t.Run("root still answers", func(t *testing.T) { p.get(t, "/") })
}

const unknownPath = "/no-function-has-this-path"

// junk is what an envelope endpoint must answer in good form.
func junk(f function) map[string][]byte {
	return map[string][]byte{
		"empty body":        nil,
		"not JSON":          []byte("<html>"),
		"cut off":           []byte(`{"Data":{"`),
		"null":              []byte("null"),
		"list":              []byte("[]"),
		"no data":           []byte("{}"),
		"data is null":      []byte(`{"Data":null,"Metadata":null}`),
		"data is a list":    []byte(`{"Data":[1]}`),
		"value is null":     envelope(f, []byte("null")),
		"value is a number": envelope(f, []byte("5")),
		"value is nonsense": envelope(f, quote([]byte("\x00 \\ nonsense"))),
		"invalid UTF-8":     []byte("{\"Data\":{\"\xff\":\"\xff\"}}"),
		"deeply nested":     deep(5000),
	}
}

func deep(n int) []byte {
	b := make([]byte, 0, 2*n)
	for range n {
		b = append(b, '[')
	}
	for range n {
		b = append(b, ']')
	}
	return b
}

// envelope puts a value, given as JSON, into the body of an invocation.
func envelope(f function, value []byte) []byte {
	b, err := json.Marshal(map[string]any{
		"Data":     map[string]json.RawMessage{f.trigger: value},
		"Metadata": map[string]any{"DequeueCount": "1", "Id": `"x"`, "sys": map[string]string{"MethodName": f.name}},
	})
	if err != nil {
		panic(err)
	}
	return b
}

func quote(s []byte) []byte {
	b, err := json.Marshal(string(s))
	if err != nil {
		panic(err)
	}
	return b
}

// encodings are the two ways a host passes a message: a string that was encoded twice and, with
// dataType binary, base64.
func encodings(f function, body []byte) map[string][]byte {
	return map[string][]byte{
		"double-encoded": envelope(f, quote(quote(body))),
		"binary":         envelope(f, quote([]byte(base64.StdEncoding.EncodeToString(body)))),
	}
}
