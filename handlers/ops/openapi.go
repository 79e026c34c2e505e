package ops

import (
	"context"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
)

// openAPI answers with the description of all routes as a JSON document, for programs.
func openAPI(context.Context, api.None) (any, error) {
	return built{body: openapi.JSON, mediaType: "application/json; charset=utf-8", policy: "default-src 'none'"}, nil
}

// docs answers with the description of all routes as a web page, for people.
func docs(context.Context, api.None) (any, error) {
	page, policy := openapi.Page()
	return built{body: page, mediaType: "text/html; charset=utf-8", policy: policy}, nil
}

// built is an answer that was made when the program was built. Its address may contain a function key, so browsers
// are told not to send that address in the Referer header when a link is followed.
type built struct {
	body      []byte
	mediaType string
	policy    string // the Content-Security-Policy
}

func (b built) WriteAnswer(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", b.mediaType)
	h.Set("Content-Security-Policy", b.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = w.Write(b.body) // an error means that the caller has disconnected
}
