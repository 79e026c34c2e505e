package runtest

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// Hook is around the operations of a store, and may be exchanged at any time. The zero value does nothing.
type Hook struct {
	mu   sync.Mutex
	hook storagetest.Hook
}

// Set exchanges the hook; nil for none.
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

// Before is called before an operation.
func (h *Hook) Before(ctx context.Context, c storagetest.Call) error { return h.get().Before(ctx, c) }

// After is called after an operation.
func (h *Hook) After(ctx context.Context, c storagetest.Call, err error) error {
	return h.get().After(ctx, c, err)
}

// Fault counts operations and has one of them fail, before or after it took effect. It is the hook of a store.
type Fault struct {
	Nth   int // from 1; none fails if it is 0
	Late  bool
	mu    sync.Mutex
	count int
	hit   string
}

// Before fails the operation if it is the one, and is not to take effect.
func (f *Fault) Before(_ context.Context, c storagetest.Call) error { return f.Begin(c.Op) }

// After fails the operation if it is the one, and has taken effect.
func (f *Fault) After(_ context.Context, c storagetest.Call, err error) error {
	return f.End(c.Op, err)
}

// Begin is [Fault.Before] for what is not a store.
func (f *Fault) Begin(op string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count++; f.count == f.Nth && !f.Late {
		f.hit = op
		return sabotage()
	}
	return nil
}

// End is [Fault.After] for what is not a store.
func (f *Fault) End(op string, err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Late && f.Nth > 0 && f.count >= f.Nth && f.hit == "" { // others may have begun since
		f.hit = op
		return sabotage()
	}
	return err
}

func sabotage() error { return fault.New(fault.Unavailable, "sabotaged") }

// Count is how many operations there were.
func (f *Fault) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// Hit is the operation that failed; empty if none did.
func (f *Fault) Hit() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit
}

// EachFault makes an attempt without a fault, and then one for each operation that it counted, or for every so many
// of them, which fails before and after it took effect. There must be at least so many operations.
func EachFault(t *testing.T, least, every int, attempt func(t *testing.T, f *Fault)) {
	t.Helper()
	calm := &Fault{}
	if attempt(t, calm); t.Failed() || calm.Count() < least {
		t.Fatalf("%d operations without a fault, want at least %d and no failure", calm.Count(), least)
	}
	for n := 1; n <= calm.Count(); n += every {
		for _, late := range []bool{false, true} {
			f := &Fault{Nth: n, Late: late}
			if attempt(t, f); t.Failed() {
				t.Fatalf("operation %d of %d, %s, failed; it took effect: %v", n, calm.Count(), f.Hit(), late)
			}
		}
	}
}

// Storm has operations fail at random, and loses, doubles and delays messages. It is the hook of a store.
type Storm struct {
	mu   sync.Mutex
	rng  *rand.Rand
	late [][]byte
}

// NewStorm is a storm that comes out the same for the same seed, as far as it is asked in the same order.
func NewStorm(seed uint64) *Storm { return &Storm{rng: rand.New(rand.NewPCG(seed, 1))} }

func (s *Storm) chance(percent int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(100) < percent
}

// Before fails one operation of 50.
func (s *Storm) Before(context.Context, storagetest.Call) error {
	if s.chance(2) {
		return sabotage()
	}
	return nil
}

// After fails one of 50 that succeeded.
func (s *Storm) After(_ context.Context, _ storagetest.Call, err error) error {
	if err == nil && s.chance(2) {
		return sabotage()
	}
	return err
}

// Deliver has two workers at once do each message. One of ten is lost, one of five comes again with the next call.
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
