package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry/lookup"
)

// Handlers answer messages of the Model Context Protocol.
type Handlers struct {
	API     http.Handler // the API that the tools call on behalf of the message's sender
	Lookup  *lookup.Lookup
	Version string
	Log     *slog.Logger
	// Keys is true if callers need keys. The Host header is then not checked, because a web page that abuses a
	// visitor's browser has no key.
	Keys bool
}

// Routes returns the routes of the protocol.
func (h *Handlers) Routes() []wire.Route {
	return []wire.Route{{Endpoint: api.CallTool.Endpoint, Answer: h.tools}}
}

// tools answers a message. No state is kept between messages, and an answer is one JSON document, because the host
// does not pass on streams.
func (h *Handlers) tools(r *http.Request) (int, any, error) {
	if err := boundBatch(r); err != nil {
		return 0, nil, err
	}
	// The API is called with the caller and the context of the message.
	slots := make(chan struct{}, callsAtOnce)
	inside := http.HandlerFunc(func(w http.ResponseWriter, call *http.Request) {
		slots <- struct{}{}
		defer func() { <-slots }()
		h.API.ServeHTTP(w, call.WithContext(r.Context()))
	})
	client := api.NewClient("http://in.process", "", &http.Client{Transport: wire.InProcess{Handler: inside}})
	server := New(Options{Client: client, Version: h.Version, IDs: h.ids})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, Logger: h.Log, MaxRequestBodyBytes: wire.MaxBody,
			PropagateRequestCancellation: true,
			DisableLocalhostProtection:   h.Keys,
		})
	return http.StatusOK, streamed{handler, r}, nil
}

const (
	maxBatch    = 10 // messages in one request (JSON-RPC 2.0 §6)
	callsAtOnce = 4  // calls of the API for one request
)

// boundBatch refuses a request with too many messages. It leaves the body as it was.
func boundBatch(r *http.Request) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxBody+1))
	if err != nil {
		return wire.BodyError(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) == nil && len(batch) > maxBatch {
		return fault.New(fault.TooLarge, "%d messages in one request; at most %d are allowed", len(batch), maxBatch)
	}
	return nil
}

// ids returns the ids that the item with the given address may have.
func (h *Handlers) ids(address string) (ids []string, err error) {
	all, err := h.Lookup.IDs(address)
	for _, id := range all {
		ids = append(ids, string(id))
	}
	return ids, err
}

// streamed is an answer that an [http.Handler] writes.
type streamed struct {
	http.Handler
	r *http.Request
}

// WriteAnswer implements [wire.Writer].
func (s streamed) WriteAnswer(w http.ResponseWriter, _ int) { s.ServeHTTP(w, s.r) }
