package crawl

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/registry"
)

// An item whose worker died is a suspect (S1): one of those that were in work may have killed it. It is
// tried again while the process does nothing else, and that is written down before. A worker that dies
// then died of this item.

// gate lets checks in side by side, and a suspect alone.
type gate struct{ s *semaphore.Weighted }

// everybody is more than there are checks at the same time.
const everybody = 1 << 20

func newGate() gate { return gate{semaphore.NewWeighted(everybody)} }

// acquire waits until the check may begin, or gives politeness.ErrNotNow when ctx ends first. Leave must be called when
// it has ended, any number of times.
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

// wanted reports whether a suspect waits to be alone. The caller is inside the gate.
func (g gate) wanted() bool {
	if !g.s.TryAcquire(1) { // a check does not get in before those that wait
		return true
	}
	g.s.Release(1)
	return false
}

// suspected reports whether the item has to be tried alone.
func suspected(it *registry.Item) bool { return it.Deaths > 0 }

// tryAlone writes down that nothing else is in work, after what is done already, which must not be lost
// with the worker.
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
	return j.w.jobs.TryAlone(ctx, j.batch, it)
}
