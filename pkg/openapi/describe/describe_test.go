package describe

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/openapi"
)

const top = "../../.."

var update = flag.Bool("update", false, "write openapi.json anew")

// The document that is committed is the one that the types, comments and conversations give.
func TestDocumentIsCurrent(t *testing.T) {
	have, err := Build(top)
	must(t, err)
	if *update {
		must(t, os.WriteFile(filepath.Join("..", "openapi.json"), have, 0o644))
		return
	}
	if !bytes.Equal(have, openapi.JSON) {
		t.Errorf("pkg/openapi/openapi.json is not what the code says: run make openapi, and read what has changed\n-file +code\n%s",
			cmp.Diff(string(openapi.JSON), string(have)))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
