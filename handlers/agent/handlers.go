package agent

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Handlers answer messages of the Model Context Protocol.
type Handlers struct {
	API     http.Handler // the API that the tools call on behalf of the message's sender
	Lookup  *registry.Lookup
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

// tools answers a message, or a batch of them. No state is kept between messages, and an answer is one JSON document,
// because the host does not pass on streams.
func (h *Handlers) tools(r *http.Request) (int, any, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxBody+1))
	if err != nil {
		return 0, nil, wire.BodyError(err)
	}
	if len(body) > wire.MaxBody {
		return 0, nil, fault.New(fault.TooLarge, "the body has more than %d bytes", wire.MaxBody)
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
	return http.StatusOK, exchange{handler, r, bytes.TrimPrefix(body, bom)}, nil
}

// callsAtOnce limits the calls of the API for one request.
const callsAtOnce = 4

// ids returns the ids that the item with the given address may have.
func (h *Handlers) ids(address string) (ids []string, err error) {
	all, err := h.Lookup.IDs(address)
	for _, id := range all {
		ids = append(ids, string(id))
	}
	return ids, err
}
