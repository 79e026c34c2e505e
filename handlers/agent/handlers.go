package agent

import (
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
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
	// The API is called with the caller and the context of the message.
	inside := http.HandlerFunc(func(w http.ResponseWriter, call *http.Request) {
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
