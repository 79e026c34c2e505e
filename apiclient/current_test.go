package apiclient

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/tidemark/tidemark/pkg/openapi"
)

const generated = "client/client.gen.go"

var update = flag.Bool("update", false, "write client.gen.go anew")

// The committed client is the one that the generator makes of the description as it is.
func TestClientIsCurrent(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "client.gen.go")
	must(t, os.WriteFile(from, withoutProse(t), 0o600))
	if out, err := exec.CommandContext(t.Context(), "go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", "-o", to, from).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	have, err := os.ReadFile(to)
	must(t, err)
	if *update {
		must(t, os.WriteFile(generated, have, 0o644))
		return
	}
	want, err := os.ReadFile(generated)
	must(t, err)
	if !bytes.Equal(have, want) {
		t.Error("client.gen.go is not what the generator makes of pkg/openapi/openapi.json: run make openapi")
	}
}

// withoutProse is the description without what changes no line of code of a client: texts and examples.
func withoutProse(t *testing.T) []byte {
	t.Helper()
	d, err := openapi.Read(openapi.JSON)
	must(t, err)
	b, err := json.Marshal(d)
	must(t, err)
	var v any
	must(t, json.Unmarshal(b, &v))
	b, err = json.Marshal(strip(v))
	must(t, err)
	return b
}

func strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			_, text := inner.(string)
			switch {
			case name == "example" || name == "examples" || name == "summary" && text:
				delete(v, name)
			case name == "description" && text:
				v[name] = "" // where it is required, it must be there
			default:
				v[name] = strip(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = strip(v[i])
		}
	}
	return v
}

// The description is a valid OpenAPI document, its examples included, in the eyes of another reader.
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
