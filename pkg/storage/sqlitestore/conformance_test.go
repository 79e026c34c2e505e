package sqlitestore

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// clock stands still until the suite sleeps.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)} }

func openAt(t testing.TB, dir string, c *clock) *Store {
	t.Helper()
	s, err := Open(dir, Options{Now: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// clocked is a store whose clock the suite can advance.
type clocked struct {
	storage.Store
	*clock
}

// Crash copies the folder as a kill would leave it, and opens the copy.
func (c clocked) Crash(t *testing.T) storage.Store {
	s, ok := c.Store.(*Store)
	if !ok {
		return nil
	}
	return openAt(t, copied(t, s.dir), c.clock)
}

func openClocked(t *testing.T) storage.Store {
	c := newClock()
	s := openAt(t, storagetest.TempDir(t), c)
	s.w.held.limit = time.Hour // so that what may be lost is lost
	return clocked{s, c}
}

// copied returns a copy of a folder whose files are in use.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := storagetest.TempDir(t)
	for _, name := range []string{"state.db", "state.db-wal"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(to, "blobs"), os.DirFS(filepath.Join(dir, "blobs"))); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestConformance(t *testing.T) { storagetest.Store(t, openClocked) }

func TestConformanceInRealTime(t *testing.T) {
	t.Parallel()
	storagetest.Store(t, func(t *testing.T) storage.Store { return open(t, storagetest.TempDir(t)) })
}

func TestConformanceHooked(t *testing.T) {
	storagetest.Store(t,
		func(t *testing.T) storage.Store { return storagetest.Hooked(openClocked(t), storagetest.Hooks{}) })
}

// TestConformanceOfTwo runs the suite on two stores for one folder, and alternates between them with each call.
func TestConformanceOfTwo(t *testing.T) {
	storagetest.Store(t, func(t *testing.T) storage.Store {
		dir, c := storagetest.TempDir(t), newClock()
		return clocked{&alternating{stores: [2]*Store{openAt(t, dir, c), openAt(t, dir, c)}}, c}
	})
}
