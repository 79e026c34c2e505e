package storagetest

import (
	"os"
	"testing"
)

// TempDir is a folder for one test, in memory where the system has a place for that. A test that does not ask what a
// sync is worth need not wait for the disk.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tidemark-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
