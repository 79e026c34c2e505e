package storagetest

import (
	"os"
	"testing"
)

// TempDir returns a folder for one test. It is in memory on systems that support this, because tests that do not
// measure syncs need not wait for the disk.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tidemark-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
