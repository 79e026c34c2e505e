package sqlitestore

import (
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

func openClocked(t *testing.T) storage.Store {
	c := newClock()
	return clocked{openAt(t, storagetest.TempDir(t), c), c}
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
