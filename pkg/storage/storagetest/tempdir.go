package storagetest

import (
	"os"
	"testing"
)

// TempDir returns a folder for one test, in memory where the system supports that. Tests that do not measure syncs
// need not wait for the disk.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tidemark-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
