package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/treetest"
)

// Sentences that confused readers do not return to texts for users (S13).
func TestS13SentencesToBeRidOf(t *testing.T) {
	bad := regexp.MustCompile(`(?i)is not taken for it|stays asked for|nobody reads its type|decides its content|` +
		`are none of pages|had read since its last|behind whom|spaces without end|make it true|what it came to|` +
		`holds us back|even if nothing changed|at 24h0m0s|; they are tried again|what it is, nobody reads`)
	read := 0
	for _, pattern := range []string{
		"README.md", "docs/*.md", "handlers/ui/*.go", "handlers/ui/templates/*.html",
		"cmd/tidemark/*.go", "cmd/tidemark/*/*.go", "pkg/crawl/*.go", "pkg/policy/schedule/*.go",
	} {
		files, err := filepath.Glob("../../" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, name := range files {
			if matched, _ := filepath.Match("../../docs/specification.md", name); matched {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			read++
			for _, found := range bad.FindAllString(string(text), -1) {
				t.Errorf("%s: %q", name, found)
			}
		}
	}
	if read < 50 {
		t.Errorf("only %d files", read)
	}
}

// TestReadmeIsShort checks that the README can be read in a few minutes. Longer texts are documents of their own.
func TestReadmeIsShort(t *testing.T) {
	if n := len(treetest.Read(t, "README.md")); n > 10_000 {
		t.Errorf("README.md has %d bytes, at most 10,000 are read", n)
	}
}

// TestDocsIndex checks that docs/README.md has a line for every document.
func TestDocsIndex(t *testing.T) {
	index := treetest.Read(t, "docs/README.md")
	for _, doc := range documents(t) {
		link := "../" + doc
		if name, ok := strings.CutPrefix(doc, "docs/"); ok {
			link = name
		}
		if doc != "docs/README.md" && strings.Count(index, "]("+link+"): ") != 1 {
			t.Errorf("docs/README.md has no line that says what %s is for", doc)
		}
	}
}
