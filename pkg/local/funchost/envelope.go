package funchost

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// envelope is the body that an invocation is posted with.
type envelope struct {
	Data     map[string]any
	Metadata map[string]any
}

// isoSeconds is how dates lose their fraction on the way through the real host.
const isoSeconds = "2006-01-02T15:04:05-07:00"

// marshal encodes as Newtonsoft does: no escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// quoted is the JSON text of s. Put into an envelope it is encoded once more, which is how the real
// host passes strings in metadata.
func quoted(s string) string {
	b, err := marshal(s)
	if err != nil {
		// Unreachable: every string marshals.
		return `""`
	}
	return string(b)
}

// isoDate writes a time as it appears in metadata; zero stands for never.
func isoDate(t time.Time) string {
	if t.IsZero() {
		t = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	}
	return t.UTC().Format(isoSeconds)
}

// withSys adds what the real host adds to the metadata of every invocation.
func withSys(metadata map[string]any, function string, now time.Time) map[string]any {
	metadata["sys"] = map[string]string{
		"MethodName": function,
		"UtcNow":     now.UTC().Format("2006-01-02T15:04:05.9999999Z"),
		"RandGuid":   uuid.NewString(),
	}
	return metadata
}
