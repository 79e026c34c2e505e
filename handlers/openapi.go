package handlers

import (
	"net/http"

	"github.com/tidemark/tidemark"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
	"github.com/tidemark/tidemark/pkg/base/fault"
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

// schemaOfFile answers with the JSON schema of a file that people write, for their editors.
func schemaOfFile(r *http.Request) (int, any, error) {
	req, err := wire.Decode[api.SchemaName](r, api.GetSchema.Endpoint)
	if err != nil {
		return 0, nil, err
	}
	body, err := tidemark.Schemas.ReadFile("schemas/" + req.Name + ".json")
	if err != nil {
		return 0, nil, fault.Field("name", "there are schemas of rules and of sites, not of %.40q", req.Name)
	}
	return http.StatusOK, built{r: r, body: body, mediaType: "application/json; charset=utf-8",
		policy: "default-src 'none'"}, nil
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
