package funchost

import (
	"bytes"
	"encoding/json"
	"strings"
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
// host passes every string.
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

// bindingData collects metadata. Names are compared without regard to case and keep the casing they
// came with first, so a payload's "id" overwrites the message's own "Id".
type bindingData struct {
	casing map[string]string
	values map[string]any
}

func newBindingData() *bindingData {
	return &bindingData{casing: map[string]string{}, values: map[string]any{}}
}

// set stores a value that is already in wire form.
func (d *bindingData) set(name string, wire any) {
	key := strings.ToLower(name)
	if _, ok := d.casing[key]; !ok {
		d.casing[key] = name
	}
	d.values[d.casing[key]] = wire
}

// text stores a string, which goes double-encoded.
func (d *bindingData) text(name, s string) { d.set(name, quoted(s)) }

// merge adds the top-level properties of a payload that is one JSON object. Lists and nulls are
// passed over, objects stay objects, everything else becomes text; other payloads add nothing.
func (d *bindingData) merge(payload []byte) {
	var props map[string]json.RawMessage
	if json.Unmarshal(payload, &props) != nil {
		return
	}
	for name, raw := range props {
		switch raw[0] {
		case '[', 'n':
		case '{':
			d.set(name, raw)
		default:
			d.text(name, dotNetText(raw))
		}
	}
}

// dotNetText is what a JSON scalar becomes when .NET turns it into a string.
func dotNetText(raw json.RawMessage) string {
	switch raw[0] {
	case 't':
		return "True"
	case 'f':
		return "False"
	case '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	return string(raw)
}

// wire gives the metadata to send. The real host drops names that end in "trigger" and adds sys.
func (d *bindingData) wire(function string, now time.Time) map[string]any {
	out := map[string]any{}
	for name, v := range d.values {
		if !strings.HasSuffix(strings.ToLower(name), "trigger") {
			out[name] = v
		}
	}
	out["sys"] = map[string]string{
		"MethodName": function,
		"UtcNow":     now.UTC().Format("2006-01-02T15:04:05.9999999Z"),
		"RandGuid":   uuid.NewString(),
	}
	return out
}
