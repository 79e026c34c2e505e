package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/tidemark/tidemark/handlers/wire"
)

// exchange answers a request with one message or several. The handler of the SDK refuses some
// messages in plain text, and a batch as a whole. Here each message has its answer.
type exchange struct {
	handler http.Handler
	r       *http.Request
	body    []byte
}

// WriteAnswer implements [wire.Writer].
func (e exchange) WriteAnswer(w http.ResponseWriter, _ int) {
	if len(e.body) > 0 && !json.Valid(e.body) {
		respond(w, http.StatusBadRequest, refusal(nil, wrong(jsonrpc.CodeParseError, "the body is not JSON")))
		return
	}
	messages, batch, err := split(e.body)
	switch {
	case err != nil:
		respond(w, http.StatusBadRequest, refusal(nil, err))
	case !batch:
		e.one(w, messages[0])
	default:
		e.all(w, messages)
	}
}

// all answers a batch. Messages without an answer are left out. If none has an answer, the batch has none either.
func (e exchange) all(w http.ResponseWriter, messages []json.RawMessage) {
	var answers []json.RawMessage
	for _, m := range messages {
		got := e.sent(m)
		answer, err := io.ReadAll(got.Body)
		if answer = bytes.TrimSpace(answer); err != nil || len(answer) == 0 {
			continue
		}
		if !json.Valid(answer) { // such as a refusal of the request's headers
			answer = refusal(m, wrong(jsonrpc.CodeInvalidRequest, "%s", answer))
		}
		answers = append(answers, answer)
	}
	if len(answers) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	text, _ := json.Marshal(answers) // Unreachable: each is JSON
	respond(w, http.StatusOK, text)
}

// one answers a message.
func (e exchange) one(w http.ResponseWriter, message json.RawMessage) {
	got := e.sent(message)
	maps.Copy(w.Header(), got.Header)
	w.WriteHeader(got.StatusCode)
	_, _ = io.Copy(w, got.Body) // the body is in memory
}

// sent passes a message to the handler of the SDK, and puts its refusals into the form of the
// protocol. A notification that the handler refuses has no answer.
func (e exchange) sent(message json.RawMessage) *http.Response {
	r := e.r.Clone(e.r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(message)), int64(len(message))
	got, _ := wire.InProcess{Handler: e.handler}.RoundTrip(r) // never fails
	if got.StatusCode != http.StatusBadRequest || strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
		return got
	}
	text, _ := io.ReadAll(got.Body) // the body is in memory
	m, err := read(message)
	said := strings.TrimSpace(string(text))
	status := http.StatusBadRequest
	switch {
	case err == nil && !calls(m):
		return reply(http.StatusAccepted, nil)
	case strings.Contains(said, "not handled"):
		status, err = http.StatusOK, wrong(jsonrpc.CodeMethodNotFound, "%s", said)
	case err == nil:
		err = wrong(jsonrpc.CodeInvalidRequest, "%s", said)
	}
	return reply(status, refusal(message, err))
}

// reply makes an answer with a JSON body, or without a body.
func reply(status int, body []byte) *http.Response {
	header := http.Header{}
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body))}
}

func respond(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
