package crawl

import (
	"context"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// The messages of a queue are processed in order, and a host that never answers occupies a slot of CrawlWorker until
// its requests time out. A dozen such hosts at the front of the queue would keep all other hosts waiting. So at most
// half of the slots may be used for hosts that did not answer the last request, or that never got a request. When
// none of these slots is free, CrawlWorker moves the job of such a host to a second queue. That queue has slots of
// its own, and its jobs may wait for a slot. As soon as the host answers, the job releases its slot.

const (
	// SilentJobs limits the number of jobs for hosts that do not answer, per process: half of the slots of
	// CrawlWorker and CrawlSlowWorker together.
	SilentJobs = 12
	// SilentInWorker limits the number of jobs in CrawlWorker for hosts that do not answer: half of its slots. It
	// must not exceed newBatchThreshold of host.json, because above that number CrawlWorker gets no further message.
	SilentInWorker = 6
)

// slots are the slots for jobs of hosts that do not answer.
type slots struct{ all, worker chan struct{} }

func newSlots() slots {
	return slots{make(chan struct{}, SilentJobs), make(chan struct{}, SilentInWorker)}
}

// try acquires a slot of CrawlWorker if one is free.
func (s *slots) try() (leave func(), ok bool) {
	select {
	case s.worker <- struct{}{}:
	default:
		return nil, false
	}
	select {
	case s.all <- struct{}{}:
		return sync.OnceFunc(func() { <-s.all; <-s.worker }), true
	default:
		<-s.worker
		return nil, false
	}
}

// slot is the slot that a job holds in CrawlWorker, if it needs one.
type slot struct {
	of      *slots
	taken   func() // releases the slot
	refused bool   // the job needs a slot, and all are in use
}

// mayBegin reports whether a job may begin. If its host does not answer, the job may begin only if it gets a slot,
// which it keeps until release is called. mayBegin may be called any number of times.
func (s *slot) mayBegin(answers bool) bool {
	if !answers && s.taken == nil {
		var ok bool
		s.taken, ok = s.of.try()
		s.refused = !ok
	}
	return !s.refused
}

// release releases the slot; it may be called any number of times.
func (s *slot) release() {
	if s.taken != nil {
		s.taken()
	}
}

// wait waits until a slot of CrawlSlowWorker is free, and acquires it.
func (s *slots) wait(ctx context.Context) (leave func(), err error) {
	select {
	case s.all <- struct{}{}:
		return sync.OnceFunc(func() { <-s.all }), nil
	case <-ctx.Done():
		return nil, fault.New(fault.Unavailable, "too many hosts do not answer: %w", ctx.Err())
	}
}
