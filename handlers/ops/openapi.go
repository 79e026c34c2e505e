package ops

import (
	"net/http"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
)

// openAPI answers with the description of all routes as a JSON document, for programs.
func openAPI(r *http.Request) (int, any, error) {
	_, err := wire.Decode[api.None](r, api.GetOpenAPI.Endpoint)
	return http.StatusOK, built{r: r, body: openapi.JSON, mediaType: "application/json; charset=utf-8",
		policy: "default-src 'none'"}, err
}

// docs answers with the description of all routes as a web page, for people.
func docs(r *http.Request) (int, any, error) {
	_, err := wire.Decode[api.None](r, api.GetDocs.Endpoint)
	page, policy := openapi.Page()
	return http.StatusOK, built{r: r, body: page, mediaType: "text/html; charset=utf-8", policy: policy}, err
}

// built is an answer that was made when the program was built. Its address may contain a function key, so browsers
// are told not to send that address in the Referer header when a link is followed.
type built struct {
	r         *http.Request
	body      []byte
	mediaType string
	policy    string // the Content-Security-Policy
}

// WriteAnswer implements [wire.Writer].
func (b built) WriteAnswer(w http.ResponseWriter, _ int) {
	h := w.Header()
	h.Set("Content-Type", b.mediaType)
	h.Set("Content-Security-Policy", b.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", wire.Revalidated)
	wire.Tagged(w, b.r, b.body)
}
