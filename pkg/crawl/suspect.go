package crawl

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/registry"
)

// An item whose worker died is a suspect (S1): any of the items in progress may have killed the worker. The suspect
// is tried again while the process does nothing else. Before that, the item's row records that the item is tried
// alone. So if the worker dies again, this item was the cause.

// gate lets several checks run side by side, but a suspect only alone.
type gate struct{ s *semaphore.Weighted }

// everybody is the weight of a suspect: more than the number of checks that can run at the same time.
const everybody = 1 << 20

func newGate() gate { return gate{semaphore.NewWeighted(everybody)} }

// acquire waits until the check may begin. It returns politeness.ErrNotNow when ctx ends first. Callers must call
// leave when the check has ended; further calls do nothing.
func (g gate) acquire(ctx context.Context, alone bool) (leave func(), err error) {
	n := int64(1)
	if alone {
		n = everybody
	}
	if err := g.s.Acquire(ctx, n); err != nil {
		return func() {}, politeness.ErrNotNow
	}
	return sync.OnceFunc(func() { g.s.Release(n) }), nil
}

// wanted reports whether a suspect waits to be alone. The caller must have acquired the gate.
func (g gate) wanted() bool {
	if !g.s.TryAcquire(1) { // TryAcquire fails while anybody waits
		return true
	}
	g.s.Release(1)
	return false
}

// suspected reports whether the item must be tried alone.
func suspected(it *registry.Item) bool { return it.Deaths > 0 }

// tryAlone records that a suspect is now tried alone. It first commits the finished checks, which must not be lost if
// the worker dies.
func (j *job) tryAlone(ctx context.Context, it *registry.Item) error {
	if !suspected(it) {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.progress.checked) > 0 {
		if err := j.commit(ctx, false); err != nil {
			return err
		}
	}
	return j.w.in.Jobs.TryAlone(ctx, j.batch, it)
}
