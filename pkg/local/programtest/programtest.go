// Package programtest builds Tidemark for tests that run the real program. All tests of a checkout share one file,
// which is linked again only when the sources have changed.
package programtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/treetest"
)

// Build builds the program as make build does, and returns its path.
func Build(t testing.TB) string {
	t.Helper()
	exe := filepath.Join(treetest.Tools(t), "test", "tidemark")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", exe, "./cmd/tidemark")
	build.Dir = treetest.Top(t)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}
