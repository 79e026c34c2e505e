package storagetest

import (
	"os"
	"testing"
)

// TempDir returns a folder for one test. Where the system supports that, the folder is in memory, because tests that
// do not measure syncs need not wait for the disk.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tidemark-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
