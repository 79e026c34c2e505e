//go:build unix

package folder

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// TestX18FilesArePrivate checks that only the owner can read what is in a data folder, even if others may enter the
// folder (X18).
func TestX18FilesArePrivate(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f := New(Options{Data: dir}, Embedded, func(string) string { return "" }, Services{}, func(string, ...any) {})
	if err := f.Open(slog.LevelError, io.Discard); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(filepath.Join(dir, "later"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{LogName, "later"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
