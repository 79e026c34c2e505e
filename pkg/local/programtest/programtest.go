// Package programtest builds Tidemark for tests that run the real program. All tests of a checkout share one file,
// which is linked again only when the sources have changed.
package programtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
)

// Build builds the program as make build does, and returns its path.
func Build(t testing.TB) string {
	t.Helper()
	tools, err := azuritetest.ToolDir()
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(tools, "test", "tidemark")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", exe, "./cmd/tidemark")
	build.Dir = filepath.Dir(tools)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}
