package treetest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTopOfTheProject checks that the top is found from a package and from a module below it, and not from outside.
func TestTopOfTheProject(t *testing.T) {
	top, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{".", "pkg/base", "measure/bench", "docs/integrations/go"} {
		t.Chdir(filepath.Join(top, filepath.FromSlash(from)))
		if have := Top(t); have != top {
			t.Errorf("from %s to %s, want %s", from, have, top)
		}
	}
	if _, err := above(t.TempDir()); err == nil {
		t.Error("found outside of the project")
	}
}

// TestReadAndParse checks that files are named by their paths from the top, and tests are apart.
func TestReadAndParse(t *testing.T) {
	if text := Read(t, "go.mod"); !strings.HasPrefix(text, product) {
		t.Errorf("read %.60q", text)
	}
	const dir, code = "pkg/base/treetest", "pkg/base/treetest/treetest.go"
	if files := Parse(t, dir, false); len(files) != 1 || files[code] == nil {
		t.Errorf("%d files", len(files))
	}
	if files := Parse(t, dir, true); len(files) != 1 || files[code] != nil {
		t.Errorf("%d tests", len(files))
	}
}
