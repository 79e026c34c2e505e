package funchost

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// FuzzQueueEnvelope checks that every message makes a valid envelope from which it can be recovered, and that no part
// of a message reaches the metadata, which belongs to the host.
func FuzzQueueEnvelope(f *testing.F) {
	for _, s := range []string{"hello", `{"id":"x","sys":1}`, "\xff", "null", ""} {
		f.Add([]byte(s))
	}
	fn := &function{name: "Q", trigger: binding{Name: "msg"}}
	f.Fuzz(func(t *testing.T, body []byte) {
		wire, err := marshal(queueEnvelope(fn, storage.Message{ID: "1", Body: body}, time.Unix(0, 0)))
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Data     struct{ Msg []byte }
			Metadata map[string]json.RawMessage
		}
		if err := json.Unmarshal(wire, &e); err != nil || !bytes.Equal(e.Data.Msg, body) {
			t.Fatalf("%v: have %q, want %q", err, e.Data.Msg, body)
		}
		if len(e.Metadata) != 7 || !bytes.Contains(e.Metadata["sys"], []byte(`"MethodName":"Q"`)) {
			t.Fatalf("metadata %s", wire)
		}
	})
}

// FuzzAnswer checks that no answer of a handler makes the host panic, and that only JSON objects are accepted.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `{"Logs":["a"]}`, `{"Outputs":{"res":{"statusCode":"201"}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := readAnswer(200, "application/json", body); err == nil && !bytes.Contains(body, []byte("{")) {
			t.Errorf("%q passes for an object", body)
		}
	})
}
