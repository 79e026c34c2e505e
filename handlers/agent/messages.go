package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxBatch limits the number of messages that are sent together (JSON-RPC 2.0 §6).
const maxBatch = 10

// bom is the byte order mark, with which the texts of some programs begin.
var bom = []byte("\ufeff")

// split returns the messages of a valid JSON text: one, or those of a batch. The error is the answer to the whole text.
func split(text []byte) (messages []json.RawMessage, batch bool, err error) {
	text = bytes.TrimSpace(text)
	if !bytes.HasPrefix(text, []byte("[")) {
		return []json.RawMessage{text}, false, nil
	}
	if err := json.Unmarshal(text, &messages); err != nil {
		return nil, true, wrong(jsonrpc.CodeParseError, "%v", err)
	}
	if len(messages) == 0 || len(messages) > maxBatch {
		return nil, true, wrong(jsonrpc.CodeInvalidRequest, "%d messages in one batch; 1 to %d are allowed", len(messages),
			maxBatch)
	}
	return messages, true, nil
}

// read decodes a message. The error is the answer to it.
func read(message json.RawMessage) (jsonrpc.Message, error) {
	m, err := jsonrpc.DecodeMessage(message)
	if err != nil {
		return nil, wrong(jsonrpc.CodeInvalidRequest, "%v", err)
	}
	return m, nil
}

// calls reports whether the sender of a message waits for an answer.
func calls(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	return ok && r.IsCall()
}

func wrong(code int64, format string, args ...any) error {
	return &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// refusal returns the answer to a message that has an error. The answer has the id of the message, if it has one.
func refusal(message json.RawMessage, err error) json.RawMessage {
	var m struct {
		ID any `json:"id"`
	}
	_ = json.Unmarshal(message, &m) // without an id, the answer has the id null
	switch m.ID.(type) {
	case string, float64:
	default:
		m.ID = nil
	}
	answer, _ := json.Marshal(struct { // Unreachable: all of it can be encoded
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
		Error   error  `json:"error"`
	}{"2.0", m.ID, err})
	return answer
}
