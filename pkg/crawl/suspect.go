package crawl

import (
	"context"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"golang.org/x/sync/semaphore"
)

// When a worker dies, any of the items in progress may have killed it (S1). They are checked again as usual, and that
// their checks have begun is recorded first. An item that was in progress at two deaths is a suspect, and is tried
// while the process does nothing else. If the worker dies again, this item was the cause, unless somebody killed the
// worker just then. So the item is deadly only after a second death of that kind.

// gate lets several checks run at the same time, or one suspect alone.
type gate struct{ s *semaphore.Weighted }

// everybody is the weight of a suspect: more than the number of checks that can run at the same time.
const everybody = 1 << 20

func newGate() gate { return gate{semaphore.NewWeighted(everybody)} }

// acquire waits until the check may begin. It returns politeness.ErrNotNow when ctx ends first. Callers must call the
// returned function when the check has ended; further calls do nothing.
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

// calm is how long a process works before it tries a suspect. Another try may have ended the process before it, and
// the Functions host restarts its handler only so often.
const calm = 30 * time.Second

// putOff decides for each item whether its check is put off, because workers died while they held the item. The
// process started at the time started.
func putOff(items []*registry.Item, started, now time.Time) {
	for _, it := range items {
		if it.Suspect() {
			it.NotBefore = host.Later(it.NotBefore, started.Add(calm))
		}
		it.Early = it.NotBefore.After(now) && !it.Deadly
	}
}

// suspected reports whether the item must be tried alone.
func suspected(it *registry.Item) bool { return it.Suspect() && !it.Early && !it.Deadly }

// noteBegun records that the check of an item begins that was in progress at a death. Before a suspect is tried,
// noteBegun commits the finished checks, which must not be lost if the worker dies.
func (j *job) noteBegun(ctx context.Context, it *registry.Item) error {
	if it.Deaths == 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if suspected(it) && len(j.progress.checked) > 0 {
		if err := j.commit(ctx, false); err != nil {
			return err
		}
	}
	return j.w.in.Jobs.NoteBegun(ctx, j.batch, it)
}
