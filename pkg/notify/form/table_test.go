package form

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/channels.md anew")

// TestP1EveryFieldIsDocumented checks that docs/channels.md has every field of every service (P1).
func TestP1EveryFieldIsDocumented(t *testing.T) {
	const begin, end = "## Services\n\n", "## Addresses in settings\n"
	path := filepath.Join("..", "..", "..", "docs", "channels.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	tables, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no section for the tables", path)
	}
	if tables == Tables() {
		return
	}
	if !*update {
		t.Fatalf("%s is not current: run go test ./pkg/notify/form -update", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+Tables()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
