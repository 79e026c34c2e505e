// Package goldentest compares what tests make with golden files. The flag -update writes the files anew.
package goldentest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/treetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Update reports whether golden files are written anew.
func Update() bool { return *update }

// Compare fails a test if a text is not that of a golden file. Its message has the command that accepts the text.
func Compare(t testing.TB, file, have string) {
	t.Helper()
	if *update {
		Write(t, file, have)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%v; %s", err, Accept(t))
		return
	}
	if diff := cmp.Diff(string(want), have); diff != "" {
		t.Errorf("%s (-want +have):\n%s\n%s", file, diff, Accept(t))
	}
}

// Write writes a golden file.
func Write(t testing.TB, file, have string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(have), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Accept says with which command a test accepts what has changed.
func Accept(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := filepath.Rel(treetest.Top(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	return "if this is right: go test ./" + filepath.ToSlash(pkg) + " -run '" + t.Name() + "' -update"
}
