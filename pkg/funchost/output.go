package funchost

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// maxOutputMessages bounds what one answer may send to one queue.
const maxOutputMessages = 10_000

// writeQueues sends what the result has for queue outputs. It fails on the first queue that
// refuses, and what was sent before stays sent.
func (h *Host) writeQueues(ctx context.Context, f *function, r *result) (err error) {
	for _, b := range f.outputs {
		raw, ok := r.output(f, b.name)
		if b.kind != queueOutput || !ok {
			continue
		}
		messages, err := queueMessages(raw, b.binary)
		if err != nil {
			return fault.New(fault.Invalid, "output %s: %w", b.name, err)
		}
		if err := h.send(ctx, b.queue, messages); err != nil {
			return err
		}
	}
	return nil
}

// send creates the queue, as the output binding of the real host does, and adds the messages.
func (h *Host) send(ctx context.Context, queue string, messages [][]byte) (err error) {
	defer fault.Wrap(&err, "queue output %s", queue)
	q := h.store().Queue(queue)
	if err := q.Create(ctx); err != nil {
		return err
	}
	for _, m := range messages {
		if err := q.Send(ctx, m, 0); err != nil {
			return err
		}
	}
	return nil
}

// queueMessages turns an output value into messages, with the real host's surprises: a string that
// is valid base64 is decoded unless the binding is binary, a string that holds a JSON list is one
// message per element, and objects are indented.
func queueMessages(raw json.RawMessage, binary bool) ([][]byte, error) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return elements(raw)
	}
	if decoded, ok := dotNetBase64(s); ok && !binary {
		return [][]byte{decoded}, nil
	}
	if t := strings.TrimSpace(s); json.Valid([]byte(t)) && (strings.HasPrefix(t, "[") || strings.HasPrefix(t, "{")) {
		return elements(json.RawMessage(t))
	}
	return [][]byte{[]byte(s)}, nil
}

func elements(raw json.RawMessage) ([][]byte, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	if len(list) > maxOutputMessages {
		return nil, fault.New(fault.TooLarge, "%d messages, at most %d", len(list), maxOutputMessages)
	}
	var out [][]byte
	for _, e := range list {
		if isValue(e) {
			out = append(out, []byte(plainText(e)))
		}
	}
	return out, nil
}

// plainText is a JSON value as text: strings without quotes, objects and lists indented.
func plainText(raw json.RawMessage) string {
	if raw[0] != '{' && raw[0] != '[' {
		return dotNetText(raw)
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// dotNetBase64 decodes what Convert.FromBase64String would: standard alphabet, padded, blanks
// anywhere.
func dotNetBase64(s string) ([]byte, bool) {
	s = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "").Replace(s)
	b, err := base64.StdEncoding.DecodeString(s)
	return b, err == nil
}
