package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
)

const goldenBase = "https://port.example/news/"

// extractFile reads a page of testdata.
func extractFile(t *testing.T, path string) extract.Document {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := Extract(body, "application/octet-stream", goldenBase+filepath.Base(path), extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func goldenPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, kind := range []string{"html", "md", "txt", "csv"} {
		found, err := filepath.Glob("testdata/*." + kind)
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s in testdata: %v", kind, err)
		}
		pages = append(pages, found...)
	}
	return slices.DeleteFunc(pages, func(page string) bool { return page == hashesFile })
}

// TestGolden checks the whole output for each page of testdata (A17).
func TestGolden(t *testing.T) {
	for _, page := range goldenPages(t) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			var have bytes.Buffer
			enc := json.NewEncoder(&have)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(extractFile(t, page)); err != nil {
				t.Fatal(err)
			}
			goldentest.Compare(t, strings.TrimSuffix(page, filepath.Ext(page))+".golden", have.String())
		})
	}
}

// hashesFile lists the hashes of the golden pages for every released version of the text rules: "<text version>
// <page> <contentHash> <textHash>". Lines are added, never changed.
const hashesFile = "testdata/hashes.txt"

// TestHashesKeepTheirVersion protects requirement B6: the hashes of stored captures were made by the rules that
// lineage.Current names. When this test fails because of an intended change of the rules, raise the text component of
// lineage.Current and run the tests with -update.
func TestHashesKeepTheirVersion(t *testing.T) {
	component := lineage.Current.Component("text")
	if component == "" {
		t.Fatalf("%s has no text component", lineage.Current)
	}
	data, err := os.ReadFile(hashesFile)
	if err != nil && !goldentest.Update() {
		t.Fatal(err)
	}
	known := map[string]string{} // "<version> <page>" → line
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		known[f[0]+" "+f[1]] = strings.TrimSpace(line)
	}
	for _, page := range goldenPages(t) {
		key := component + " " + filepath.Base(page)
		doc := extractFile(t, page)
		have := fmt.Sprintf("%s %s %s", key, doc.ContentHash(), doc.TextHash())
		if want, found := known[key]; found && want != have {
			t.Errorf("%s: output changed under the same version; raise the text component of lineage.Current\nwant %s\nhave %s",
				page, want, have)
		} else if !found && goldentest.Update() {
			data = append(data, have+"\n"...)
		} else if !found {
			t.Errorf("%s: not in %s; run with -update", page, hashesFile)
		}
	}
	if goldentest.Update() {
		if err := os.WriteFile(hashesFile, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
