package sqlitestore

import (
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// clocked is a store whose clock stands still until the suite sleeps.
type clocked struct {
	*Store
	mu  sync.Mutex
	now time.Time
}

func (c *clocked) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clocked) clock() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func openClocked(t *testing.T) storage.Store {
	c := &clocked{now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	s, err := Open(t.TempDir(), Options{Now: c.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c.Store = s
	return c
}

func TestConformance(t *testing.T) { storagetest.Store(t, openClocked) }

func TestConformanceInRealTime(t *testing.T) {
	storagetest.Store(t, func(t *testing.T) storage.Store { return open(t, t.TempDir()) })
}

func TestConformanceHooked(t *testing.T) {
	storagetest.Store(t, func(t *testing.T) storage.Store { return storagetest.Hooked(openClocked(t), storagetest.Hooks{}) })
}

// TestConformanceOfTwo runs the suite on two stores over one folder, each call on the other one
// than the call before.
func TestConformanceOfTwo(t *testing.T) {
	storagetest.Store(t, func(t *testing.T) storage.Store {
		dir := t.TempDir()
		return &alternating{stores: [2]*Store{open(t, dir), open(t, dir)}}
	})
}
