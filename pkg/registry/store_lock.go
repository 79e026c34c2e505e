package registry

import (
	"context"
	"sync"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"golang.org/x/sync/semaphore"
)

// hostID identifies a host row.
type hostID struct{ Partition, Host string }

// hostLocks lets only one goroutine of this process at a time write a host row. Between processes, the row's ETag
// decides. Within one process, waiting is cheaper than a conflict.
type hostLocks struct {
	mu    sync.Mutex
	locks map[hostID]*hostMutex
}

// hostMutex is a lock for which callers wait no longer than their context allows. The lock is forgotten when no
// goroutine holds it or waits for it.
type hostMutex struct {
	free    *semaphore.Weighted
	waiting int
}

func (l *hostLocks) lock(ctx context.Context, id hostID) (unlock func(), err error) {
	h := l.join(id)
	if err := h.free.Acquire(ctx, 1); err != nil {
		l.release(id, h)
		return nil, err
	}
	return func() {
		h.free.Release(1)
		l.release(id, h)
	}, nil
}

func (l *hostLocks) join(id hostID) *hostMutex {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locks == nil {
		l.locks = map[hostID]*hostMutex{}
	}
	h := l.locks[id]
	if h == nil {
		h = &hostMutex{free: semaphore.NewWeighted(1)}
		l.locks[id] = h
	}
	h.waiting++
	return h
}

func (l *hostLocks) release(id hostID, h *hostMutex) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.waiting--; h.waiting == 0 {
		delete(l.locks, id)
	}
}

// ReserveLoss reserves one tombstone for a batch, if the mass-removal guard allows another tombstone for the host. It
// returns the host's losses without the reserved one. ReserveLoss costs two requests for each page that goes away.
func (r *Hosts) ReserveLoss(ctx context.Context, b *Batch,
	guard schedule.Config) (l schedule.Losses, taken bool, err error) {
	id := hostID{Partition: b.Partition, Host: b.Host}
	err = r.s.ChangeHost(ctx, id, func(_ context.Context, h *Host) (*hostChange, error) {
		l = h.Policy.Lost(r.s.Now(), h.there())
		if taken = h.Policy.ReserveLoss(b.owner, l, guard); !taken {
			return nil, nil
		}
		return &hostChange{}, nil
	})
	return l, taken && err == nil, err
}
