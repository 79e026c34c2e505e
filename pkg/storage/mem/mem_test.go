package mem_test

import (
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/mem"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// clocked is a store whose clock stands still until the suite sleeps.
type clocked struct {
	*mem.Store
	mu  sync.Mutex
	now time.Time
}

func (c *clocked) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func open(t *testing.T) storage.Store {
	c := &clocked{now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	c.Store = mem.New(func() time.Time {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.now
	})
	return c
}

func TestConformance(t *testing.T) { storagetest.Store(t, open) }
