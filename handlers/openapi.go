package handlers

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
)

// openAPI answers the description of all routes, for programs.
func openAPI(context.Context, *call, api.None) (any, error) {
	return ours{body: openapi.JSON, mediaType: "application/json; charset=utf-8", policy: "default-src 'none'"}, nil
}

// docs answers it as a page, for people.
func docs(context.Context, *call, api.None) (any, error) {
	page, policy := openapi.Page()
	return ours{body: page, mediaType: "text/html; charset=utf-8", policy: policy}, nil
}

// ours is an answer that was made at build time. Its address may hold a function key, which is told to
// nobody a link leads to.
type ours struct {
	body      []byte
	mediaType string
	policy    string // Content-Security-Policy
}

func (o ours) WriteAnswer(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", o.mediaType)
	h.Set("Content-Security-Policy", o.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = w.Write(o.body) // the caller has gone: nobody to tell
}
