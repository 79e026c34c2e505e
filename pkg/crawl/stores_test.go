package crawl

import (
	"os"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/mem"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// opener makes an empty store whose messages are hidden and shown by a clock, and closes it when
// the test ends.
type opener func(t *testing.T, clock func() time.Time) storage.Store

func openMem(_ *testing.T, clock func() time.Time) storage.Store { return mem.New(clock) }

func openEmbedded(t *testing.T, clock func() time.Time) storage.Store {
	t.Helper()
	s, err := sqlitestore.Open(folder(t), sqlitestore.Options{Now: clock})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// folder is one in memory where there is such a place: what a sync is worth is shown in package
// sqlitestore, and here waiting for the disk would take most of the time.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tidemark-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// onStores runs a test whose promise rests on the store's on every store that needs no service.
func onStores(t *testing.T, test func(t *testing.T, open opener)) {
	t.Run("mem", func(t *testing.T) { test(t, openMem) })
	t.Run("embedded", func(t *testing.T) { test(t, openEmbedded) })
}
