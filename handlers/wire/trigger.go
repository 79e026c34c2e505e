package wire

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// Trigger does the work of a queue or timer function. The host logs the report that it returns.
type Trigger func(ctx context.Context, e Envelope) (report string, err error)

// Envelope is the body that the host posts to a queue or timer function.
type Envelope struct {
	Data     map[string]json.RawMessage
	Metadata map[string]json.RawMessage
}

// Step returns the trigger of a queue whose messages are steps of work.
func Step(do func(ctx context.Context, message []byte) error) Trigger {
	return func(ctx context.Context, e Envelope) (string, error) {
		body, err := e.Job()
		if err != nil {
			return "", err
		}
		return "", do(ctx, body)
	}
}

// Job returns the text of the envelope's message.
func (e Envelope) Job() ([]byte, error) { return e.payload("job") }

// payload returns the text of a queue message. The host sends the text as base64 (dataType binary),
// or, without that setting, as a JSON string within a JSON string.
func (e Envelope) payload(name string) ([]byte, error) {
	var text string
	if err := json.Unmarshal(e.Data[name], &text); err != nil {
		return nil, fault.New(fault.Invalid, "the envelope has no string Data.%s", name)
	}
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		return []byte(inner), nil
	}
	if b, err := base64.StdEncoding.DecodeString(text); err == nil && json.Valid(b) {
		return b, nil
	}
	return []byte(text), nil
}

// A message has the field that any queue message may have.
type message struct {
	TraceParent string `json:"traceparent"`
}

// SentBy returns the trace in which the envelope's message was sent, if the message has one.
func (e Envelope) SentBy() (telemetry.Trace, bool) {
	for name := range e.Data {
		body, err := e.payload(name)
		if err != nil {
			continue // the value of a timer is an object, not text
		}
		var m message
		if json.Unmarshal(body, &m) == nil {
			if t, ok := telemetry.ParseTrace(m.TraceParent); ok {
				return t, true
			}
		}
	}
	return telemetry.Trace{}, false
}

// MessageID returns the id of the envelope's message. It stays the same when the message comes
// again. It is empty if the host gives none, as for a message that an operator sends to the
// function.
func (e Envelope) MessageID() string {
	var text, id string
	if json.Unmarshal(e.Metadata["Id"], &text) != nil {
		return ""
	}
	if json.Unmarshal([]byte(text), &id) != nil {
		return text
	}
	return id
}

// Age returns the time that the envelope's message has spent in its queue. It returns false if the
// host does not report when the message was queued.
func (e Envelope) Age(now time.Time) (time.Duration, bool) {
	var text string
	if json.Unmarshal(e.Metadata["InsertionTime"], &text) != nil {
		return 0, false
	}
	inserted, err := time.Parse(time.RFC3339, strings.Trim(text, `"`))
	return max(now.Sub(inserted), 0), err == nil
}

// Kept turns any error into one that makes the host keep the message in the queue. It is for
// messages that could be read, but whose work failed. After the last try, the host moves such a
// message to the poison queue, and the failure is recorded.
func Kept(err error) error {
	switch fault.KindOf(err) {
	case fault.Unavailable, fault.Throttled, fault.Conflict:
		return err
	default:
		return fault.New(fault.Internal, "%w", err)
	}
}
