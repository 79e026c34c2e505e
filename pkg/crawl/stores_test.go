package crawl

import (
	"os"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// opener makes an empty store whose messages are hidden and shown by a clock. The store is closed when the test ends.
type opener func(t *testing.T, clock func() time.Time) storage.Store

func openMem(_ *testing.T, clock func() time.Time) storage.Store { return mem.New(clock) }

func openEmbedded(t *testing.T, clock func() time.Time) storage.Store {
	t.Helper()
	s, err := sqlitestore.Open(folder(t), sqlitestore.Options{Now: clock})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// folder returns a directory in memory where the machine has one. Package sqlitestore tests the value of a sync;
// here, waiting for the disk would take most of the time.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tidemark-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// onStores runs a test on every store that needs no service, because the tested promise depends on the store.
func onStores(t *testing.T, test func(t *testing.T, open opener)) {
	t.Run("mem", func(t *testing.T) { test(t, openMem) })
	t.Run("embedded", func(t *testing.T) { test(t, openEmbedded) })
}
