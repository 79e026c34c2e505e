package crawl

import (
	"context"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// A host that never answers holds a slot of CrawlWorker for as long as requests may take, and a queue
// is first come, first served: a dozen such hosts, first in the queue, would keep all others waiting.
// So jobs of hosts that did not answer when they were last asked, or never were, get at most half of
// the slots. CrawlWorker moves those that find no place to a second queue, whose messages have slots
// of their own, and where they may wait for a place. As soon as the host answers its job gives the
// place back.

const (
	// SilentJobs is how many jobs of hosts that do not answer a process works on at once: half of the
	// slots of CrawlWorker and CrawlSlowWorker together.
	SilentJobs = 12
	// SilentInWorker is how many of them in CrawlWorker: half of its slots, and no more than
	// newBatchThreshold of host.json, beyond which it gets no other message.
	SilentInWorker = 6
)

// slots are the places for jobs of hosts that do not answer.
type slots struct{ all, worker chan struct{} }

func newSlots() slots {
	return slots{make(chan struct{}, SilentJobs), make(chan struct{}, SilentInWorker)}
}

// try takes a place of CrawlWorker if there is one.
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

// slot is a job's place of CrawlWorker, if it needs one.
type slot struct {
	of      *slots
	taken   func() // gives it back
	refused bool   // the job needs one, and all are taken
}

// mayBegin reports whether a job may be begun. The job of a host that does not answer may if it gets a slot, which it
// keeps until leave is called. It may be asked any number of times.
func (s *slot) mayBegin(answers bool) bool {
	if !answers && s.taken == nil {
		var ok bool
		s.taken, ok = s.of.try()
		s.refused = !ok
	}
	return !s.refused
}

// release gives the slot back, any number of times.
func (s *slot) release() {
	if s.taken != nil {
		s.taken()
	}
}

// wait takes a place of CrawlSlowWorker when there is one.
func (s *slots) wait(ctx context.Context) (leave func(), err error) {
	select {
	case s.all <- struct{}{}:
		return sync.OnceFunc(func() { <-s.all }), nil
	case <-ctx.Done():
		return nil, fault.New(fault.Unavailable, "too many hosts do not answer: %w", ctx.Err())
	}
}
