package handlers

import (
	"context"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// sharing lets callers who ask for the same thing at the same time share one answer. An answer is read only after all
// its callers have asked, so a caller never misses the effect of an earlier action. For each thing, at most one
// answer is being read and one is waiting to be read. The zero value is ready to use.
type sharing[K comparable, V any] struct {
	mu    sync.Mutex
	asked map[K]*flights[V]
}

// flights are the running and the waiting read of one thing.
type flights[V any] struct {
	running *flight[V]
	waiting *flight[V] // begins when running has ended; callers may still join it
}

// A flight is one read.
type flight[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// get returns an answer from read, which may have been called for another caller. The read continues when that caller
// disconnects, but ends at that caller's deadline.
func (s *sharing[K, V]) get(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	f, before, first := s.join(key)
	if !first {
		select {
		case <-f.done:
			return f.value, f.err
		case <-ctx.Done():
			return f.value, ctx.Err()
		}
	}
	if before != nil {
		<-before.done
		s.begin(key, f)
	}
	f.err = fault.New(fault.Internal, "the answer could not be made") // the error if read panics
	defer s.end(key, f)
	kept := context.WithoutCancel(ctx)
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		kept, cancel = context.WithDeadline(kept, deadline)
		defer cancel()
	}
	f.value, f.err = read(kept)
	return f.value, f.err
}

// join returns the flight whose answer a new caller gets, and the flight before it. The first caller of a flight
// calls read, after the flight before has ended.
func (s *sharing[K, V]) join(key K) (f, before *flight[V], first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[K]*flights[V]{}
	}
	all := s.asked[key]
	if all != nil && all.waiting != nil {
		return all.waiting, nil, false
	}
	f = &flight[V]{done: make(chan struct{})}
	if all == nil {
		s.asked[key] = &flights[V]{running: f}
		return f, nil, true
	}
	all.waiting = f
	return f, all.running, true
}

func (s *sharing[K, V]) begin(key K, f *flight[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.asked[key] = flights[V]{running: f}
}

func (s *sharing[K, V]) end(key K, f *flight[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked[key].waiting == nil {
		delete(s.asked, key)
	}
	close(f.done)
}
