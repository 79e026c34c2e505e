// Package conformance checks a custom handler from outside, as the Functions host would use it: it starts the
// executable of a script root and speaks the host's protocol. It shares no code with the local host, so the two
// cannot share a mistake.
//
// Every check is about a defect to which the real host reacts late and silently: an empty answer that hangs until the
// function times out, a missing Content-Type, a handler that mistakes a chunked body for a missing one, a route that
// exists only in function.json.
package conformance

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// Answer is a response of the handler.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Message is a queue message that a function accepts.
type Message struct {
	Body []byte
	// Taken checks the answer; nil requires status 200 and a JSON object.
	Taken func(Answer) error
}

// Options say how to run the handler and what to send to it.
type Options struct {
	// Env is the whole environment of the handler, except for the variables that the host sets. It should make
	// dependencies unreachable: the handler must answer GET / even without them.
	Env []string
	// Messages are samples for queue functions, by name of the function.
	Messages map[string]Message
	// Payloads are further bodies for envelope functions, by name, such as one that provokes a panic.
	Payloads map[string][][]byte
	// AnswerWithin is the time limit for every single answer; 0 means 10 s. Ready is the time limit from the opening
	// of the port to the answer to the first GET /; 0 means 1 s.
	AnswerWithin, Ready time.Duration
}

// Handler starts the handler of the app in appDir and checks it. It calls each function that has an HTTP route with
// every method of the function and an empty body, so the environment should be disposable.
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

// junk returns invalid bodies that an envelope endpoint must answer correctly.
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

// envelope returns the body of an invocation with a value, which must be JSON.
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

// encodings returns the two forms in which a host passes a message: a string that was encoded twice or, with dataType
// binary, base64.
func encodings(f function, body []byte) map[string][]byte {
	return map[string][]byte{
		"double-encoded": envelope(f, quote(quote(body))),
		"binary":         envelope(f, quote([]byte(base64.StdEncoding.EncodeToString(body)))),
	}
}
