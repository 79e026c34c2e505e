package funchost

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// listing is a store that says when queues have messages, and counts how often queues are received from.
type listing struct {
	storage.Store
	received, asked atomic.Int64
	fails           atomic.Bool
}

func (s *listing) FirstVisible(ctx context.Context) (map[string]time.Time, error) {
	s.asked.Add(1)
	if s.fails.Load() {
		return nil, errors.New("no answer")
	}
	if some, err := s.Queue("jobs").Waits(ctx); err != nil || !some {
		return nil, err
	}
	return map[string]time.Time{"jobs": time.Now()}, nil
}

func (s *listing) Queue(name string) storage.Queue {
	return countedQueue{s.Store.Queue(name), &s.received}
}

type countedQueue struct {
	storage.Queue
	received *atomic.Int64
}

func (q countedQueue) Receive(ctx context.Context, n int, visibility time.Duration) ([]storage.Message, error) {
	q.received.Add(1)
	return q.Queue.Receive(ctx, n, visibility)
}

// TestK9RoundsForIdleQueues checks that a queue that has been empty for long is not polled by itself where the store
// can say which queues have messages, and that a message in it is delivered in spite of that, also while the store
// cannot say it (K9).
func TestK9RoundsForIdleQueues(t *testing.T) {
	t.Parallel()
	store := &listing{}
	r := started(t, queueApp, func(r *rig, o *Options) {
		store.Store = r.store
		o.Store = store
	})
	r.send("jobs")
	eventually(t, "ten rounds", func() bool { return store.asked.Load() >= 10 })
	if n := store.received.Load(); n > 2 {
		t.Errorf("received from %d times in ten rounds without a message", n)
	}
	r.send("jobs", "one") // without a nudge, as another process does
	r.waitCalls(t, 1)
	store.fails.Store(true)
	r.send("jobs", "two")
	r.waitCalls(t, 2)
}

// TestK9RoundsKnowWhenAMessageIsVisible checks that a round is made when a message of an idle queue becomes visible
// (K9).
func TestK9RoundsKnowWhenAMessageIsVisible(t *testing.T) {
	at := map[string]time.Time{"soon": time.Now().Add(5 * time.Second), "busy": time.Now().Add(time.Second)}
	queues := []*queueListener{{f: &function{queue: "soon"}}, {f: &function{queue: "busy"}}}
	r := newRounds(visibleAt(at), queues, time.Hour)
	r.queues[0].parked.Store(true)
	if pause := r.poll(t.Context()); pause > 5*time.Second || pause < 4*time.Second {
		t.Errorf("the next round is in %v, want 5s", pause)
	}
}

type visibleAt map[string]time.Time

func (v visibleAt) FirstVisible(context.Context) (map[string]time.Time, error) { return v, nil }
