package funchost

import (
	"context"
	"sync"
)

// listeners are the queue and timer loops, which can be stopped and started again as
// /admin/host/drain and resume ask. Invocations under way are not theirs to stop.
type listeners struct {
	ctx    context.Context // of the host; set before start
	queues []*queueListener
	timers []*timerLoop

	mu     sync.Mutex
	cancel context.CancelFunc // nil while stopped
	closed bool
	loops  sync.WaitGroup
}

// start runs every loop unless they run already.
func (l *listeners) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil || l.ctx == nil || l.closed {
		return
	}
	ctx, cancel := context.WithCancel(l.ctx)
	l.cancel = cancel
	for _, q := range l.queues {
		l.loops.Go(func() { q.listen(ctx) })
	}
	for _, t := range l.timers {
		l.loops.Go(func() { t.listen(ctx) })
	}
}

// stop has every loop end; what they started goes on.
func (l *listeners) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		l.cancel()
	}
	l.cancel = nil
}

// close stops every loop for good; wait on loops afterwards.
func (l *listeners) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.stop()
}
