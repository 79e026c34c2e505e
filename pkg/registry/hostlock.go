package registry

import (
	"context"
	"sync"
)

// hostID names a host's row.
type hostID struct{ partition, host string }

// hostLocks lets the goroutines of one process write a host's row one after the other. Between
// processes the row's ETag decides; here waiting is cheaper than losing.
type hostLocks struct {
	mu   sync.Mutex
	held map[hostID]*hostLock
}

// hostLock is a lock that can be waited for with a context. It is forgotten when nobody wants it.
type hostLock struct {
	turn    chan struct{}
	waiting int
}

func (l *hostLocks) lock(ctx context.Context, id hostID) (unlock func(), err error) {
	h := l.join(id)
	select {
	case h.turn <- struct{}{}:
		return func() { <-h.turn; l.leave(id, h) }, nil
	case <-ctx.Done():
		l.leave(id, h)
		return nil, ctx.Err()
	}
}

func (l *hostLocks) join(id hostID) *hostLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[hostID]*hostLock{}
	}
	h := l.held[id]
	if h == nil {
		h = &hostLock{turn: make(chan struct{}, 1)}
		l.held[id] = h
	}
	h.waiting++
	return h
}

func (l *hostLocks) leave(id hostID, h *hostLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.waiting--; h.waiting == 0 {
		delete(l.held, id)
	}
}
