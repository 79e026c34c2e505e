package office_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
)

// readers maps file extensions to readers.
var readers = map[string]func([]byte, extract.Limits) (extract.Document, error){".docx": office.DOCX,
	".pptx": office.PPTX}

// files returns the documents of testdata, by name.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.*x")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents in testdata: %v", err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		if readers[filepath.Ext(path)] == nil {
			continue // a workbook has a test of its own
		}
		if out[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestGolden checks the whole output for documents from several programs (A17).
func TestGolden(t *testing.T) {
	for path, body := range files(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			doc, err := readers[filepath.Ext(path)](body, extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			goldentest.Compare(t, path+".golden", string(golden(t, doc)))
		})
	}
}

// golden returns a document in a readable form. Text and VisibleText follow from the blocks.
func golden(t *testing.T, doc extract.Document) []byte {
	t.Helper()
	texts := make([]string, len(doc.Blocks))
	for i, b := range doc.Blocks {
		texts[i] = b.Text
	}
	if want := strings.Join(texts, "\n\n"); doc.Text != want {
		t.Errorf("text is not that of the blocks: %q", doc.Text)
	}
	if want := strings.Join(texts, "\n"); doc.VisibleText != want {
		t.Errorf("visible text is not that of the blocks: %q", doc.VisibleText)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	for _, v := range []any{map[string]any{"title": doc.Title, "language": doc.Language, "type": doc.MimeType}, doc.Blocks,
		doc.Links} {
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}
