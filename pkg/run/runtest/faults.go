package runtest

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// Hook is a hook of a store. A test can exchange the function of the hook at any time. The zero value does nothing.
type Hook struct {
	mu   sync.Mutex
	hook storagetest.Hook
}

// Set replaces the hook that is called; nil means none.
func (h *Hook) Set(to storagetest.Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hook = to
}

func (h *Hook) get() storagetest.Hook {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hook == nil {
		return storagetest.Hooks{}
	}
	return h.hook
}

// Before is called before each operation.
func (h *Hook) Before(ctx context.Context, c storagetest.Call) error { return h.get().Before(ctx, c) }

// After is called after each operation.
func (h *Hook) After(ctx context.Context, c storagetest.Call, err error) error {
	return h.get().After(ctx, c, err)
}

// Fault is a hook of a store. It counts the operations and makes one of them fail, before or after that operation
// takes effect.
type Fault struct {
	Nth   int // number of the operation that fails, starting at 1; if 0, none fails
	Late  bool
	mu    sync.Mutex
	count int
	hit   string
}

// Before makes the chosen operation fail before it takes effect, unless Late is set.
func (f *Fault) Before(_ context.Context, c storagetest.Call) error { return f.Begin(c.Op) }

// After makes the chosen operation fail after it has taken effect, if Late is set.
func (f *Fault) After(_ context.Context, c storagetest.Call, err error) error {
	return f.End(c.Op, err)
}

// Begin does the same as [Fault.Before], for operations of something other than a store.
func (f *Fault) Begin(op string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count++; f.count == f.Nth && !f.Late {
		f.hit = op
		return sabotage()
	}
	return nil
}

// End does the same as [Fault.After], for operations of something other than a store.
func (f *Fault) End(op string, err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Late && f.Nth > 0 && f.count >= f.Nth && f.hit == "" { // other operations may have begun in the meantime
		f.hit = op
		return sabotage()
	}
	return err
}

func sabotage() error { return fault.New(fault.Unavailable, "sabotaged") }

// Count returns the number of operations.
func (f *Fault) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// Hit returns the name of the operation that failed. It is empty if none failed.
func (f *Fault) Hit() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit
}

// EachFault calls attempt once without a fault, and counts the operations. Then it calls attempt twice for each of
// these operations: first the operation fails before it takes effect, then after it takes effect. If every is greater
// than 1, only every nth operation is tested, where n is that number. Without -soak, a fifth of these faults are tried.
// The first call must count at least as many operations as the argument least requires.
func EachFault(t *testing.T, least, every int, attempt func(t *testing.T, f *Fault)) {
	t.Helper()
	calm := &Fault{}
	if attempt(t, calm); t.Failed() || calm.Count() < least {
		t.Fatalf("%d operations without a fault, want at least %d and no failure", calm.Count(), least)
	}
	first, next := soaktest.Share(t, 5)
	for n := first; 1+n/2*every <= calm.Count(); n += next {
		f := &Fault{Nth: 1 + n/2*every, Late: n%2 == 1}
		if attempt(t, f); t.Failed() {
			t.Fatalf("operation %d of %d, %s, failed; it took effect: %v", f.Nth, calm.Count(), f.Hit(), f.Late)
		}
	}
}

// Storm is a hook of a store. It makes operations fail at random, and it loses, doubles and delays messages.
type Storm struct {
	mu   sync.Mutex
	rng  *rand.Rand
	late [][]byte
}

// NewStorm returns a storm. Storms with the same seed behave alike, if their methods are called in the same order.
func NewStorm(seed uint64) *Storm { return &Storm{rng: rand.New(rand.NewPCG(seed, 1))} }

func (s *Storm) chance(percent int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(100) < percent
}

// Before makes one of 50 operations fail.
func (s *Storm) Before(context.Context, storagetest.Call) error {
	if s.chance(2) {
		return sabotage()
	}
	return nil
}

// After makes one of 50 successful operations return an error.
func (s *Storm) After(_ context.Context, _ storagetest.Call, err error) error {
	if err == nil && s.chance(2) {
		return sabotage()
	}
	return err
}

// Deliver gives each message to two workers at the same time. It loses one of ten messages, and delivers one of five
// again in its next call.
func (s *Storm) Deliver(bodies [][]byte, step func(ctx context.Context, body []byte) error) {
	bodies, s.late = append(bodies, s.late...), nil
	var workers sync.WaitGroup
	for _, body := range bodies {
		if s.chance(10) {
			continue
		}
		for range 2 {
			workers.Go(func() { _ = step(context.Background(), body) })
		}
		if s.chance(20) {
			s.late = append(s.late, body)
		}
	}
	workers.Wait()
}
