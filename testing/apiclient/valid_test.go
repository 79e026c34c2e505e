package apiclient

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/tidemark/tidemark/pkg/api/openapi"
)

// TestDocumentIsValid checks with another parser that the description is a valid OpenAPI document, including its
// examples.
func TestDocumentIsValid(t *testing.T) {
	d, err := openapi3.NewLoader().LoadFromData(openapi.JSON)
	must(t, err)
	if !d.IsOpenAPI31OrLater() {
		t.Errorf("version %s", d.OpenAPI)
	}
	if err := d.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
