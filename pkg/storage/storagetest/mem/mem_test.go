package mem_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
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

// dying is a process that keeps half of what it holds when it dies.
type dying struct {
	*mem.Process
	*clocked
}

func (d dying) Table(name string) storage.Table         { return d.Process.Table(name) }
func (d dying) Queue(name string) storage.Queue         { return d.Process.Queue(name) }
func (d dying) Container(name string) storage.Container { return d.Process.Container(name) }
func (d dying) Ping(ctx context.Context) error          { return d.Process.Ping(ctx) }
func (d dying) Flush(ctx context.Context) error         { return d.Process.Flush(ctx) }
func (d dying) Close() error                            { return d.Process.Close() }

func (d dying) Crash(*testing.T) storage.Store {
	d.Die(func(held int) int { return held / 2 })
	return d.clocked.Process()
}

func TestConformanceOfProcess(t *testing.T) {
	storagetest.Store(t, func(t *testing.T) storage.Store {
		c := open(t).(*clocked)
		return dying{c.Process(), c}
	})
}

// TestProcesses checks what another process sees, and what is lost.
func TestProcesses(t *testing.T) {
	s := open(t).(*clocked)
	a, b, name := s.Process(), s.Process(), "rows"
	if err := s.Table(name).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	write := func(ctx context.Context, p *mem.Process, row string) {
		t.Helper()
		if _, err := p.Table(name).Transact(ctx, storage.Op{Entity: storage.Entity{
			Key: storage.Key{Partition: row, Row: row}}}); err != nil {
			t.Fatal(err)
		}
	}
	later := storage.Deferred(t.Context())
	has := func(row string) bool {
		_, err := s.Table(name).Get(t.Context(), storage.Key{Partition: row, Row: row})
		return err == nil
	}
	write(later, a, "1")
	write(later, b, "2") // a's must be durable first
	a.Die(func(int) int { return 0 })
	write(later, b, "3")
	if _, err := s.Process().Table(name).Get(t.Context(), storage.Key{Partition: "2", Row: "2"}); err != nil {
		t.Error(err) // it is durable now, because another process has read it
	}
	write(later, b, "4")
	write(later, b, "5")
	b.Die(func(held int) int { return held - 1 })
	for row, want := range map[string]bool{"1": true, "2": true, "3": true, "4": true, "5": false} {
		if has(row) != want {
			t.Errorf("row %s: have %v", row, has(row))
		}
	}
}
