package funchost

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/tidemark/tidemark/pkg/storage"
)

// An envelope is the body of the POST for an invocation.
type envelope struct {
	Data     map[string]any
	Metadata map[string]any
}

// isoSeconds is the format of dates that the real host has passed on: such dates lose their fraction of a second.
const isoSeconds = "2006-01-02T15:04:05-07:00"

// marshal encodes v as Newtonsoft does, without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// quoted returns the JSON text of s. An envelope encodes this text once more, because the real host passes strings in
// metadata in that form.
func quoted(s string) string {
	b, err := marshal(s)
	if err != nil {
		// Unreachable: every string marshals.
		return `""`
	}
	return string(b)
}

// isoDate formats a time for metadata. Zero means never.
func isoDate(t time.Time) string {
	if t.IsZero() {
		t = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	}
	return t.UTC().Format(isoSeconds)
}

// withSys adds the metadata that the real host adds to every invocation.
func withSys(metadata map[string]any, function string, now time.Time) map[string]any {
	metadata["sys"] = map[string]string{
		"MethodName": function,
		"UtcNow":     now.UTC().Format("2006-01-02T15:04:05.9999999Z"),
		"RandGuid":   uuid.NewString(),
	}
	return metadata
}

// queueEnvelope encodes one delivery as the real host does with dataType binary: the bytes of the message are in
// base64.
func queueEnvelope(f *function, m storage.Message, now time.Time) envelope {
	metadata := map[string]any{
		"DequeueCount":    strconv.Itoa(m.Dequeued),
		"ExpirationTime":  isoDate(m.Expires),
		"InsertionTime":   isoDate(m.Inserted),
		"NextVisibleTime": isoDate(m.NextVisible),
		"Id":              quoted(m.ID),
		"PopReceipt":      quoted(m.Receipt),
	}
	data := map[string]any{f.trigger.Name: base64.StdEncoding.EncodeToString(m.Body)}
	return envelope{Data: data, Metadata: withSys(metadata, f.name, now)}
}
