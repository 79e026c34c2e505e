package handlers

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tidemark/tidemark/handlers/agent"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// tools answers a message of the Model Context Protocol. Nothing is kept between two of them, and an answer is one
// JSON document, since the host passes on no streams. What a tool asks the API for is asked by the caller.
func tools(r *http.Request, v *call) (int, any, error) {
	client := api.NewClient("http://in.process", "", &http.Client{Transport: inside{r.Context(), v.app.served}})
	ids := func(address string) (ids []string, err error) {
		all, err := v.lookup().IDs(address)
		for _, id := range all {
			ids = append(ids, string(id))
		}
		return ids, err
	}
	server := agent.New(agent.Options{Client: client, Version: v.Version, IDs: ids})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, Logger: v.log, MaxRequestBodyBytes: wire.MaxBody,
			PropagateRequestCancellation: true,
			// Where keys are asked for, no page of a browser has one, and the host may have any name.
			DisableLocalhostProtection: v.app.Access != Open,
		})
	return http.StatusOK, streamed{handler, r}, nil
}

// streamed is an answer that a handler writes.
type streamed struct {
	http.Handler
	r *http.Request
}

func (s streamed) WriteAnswer(w http.ResponseWriter, _ int) { s.ServeHTTP(w, s.r) }

// inside asks the API as part of another request: by its caller, and no longer than it lasts.
type inside struct {
	ctx    context.Context
	served http.Handler
}

// RoundTrip implements [http.RoundTripper].
func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	return inProcess{i.served}.RoundTrip(r.WithContext(i.ctx))
}
