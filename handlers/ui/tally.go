package ui

import (
	"context"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	// costly is the duration from which a count is so slow that pages may show the last count again.
	costly = 50 * time.Millisecond
	// recent is the maximum age of a last count that may be shown again.
	recent = time.Minute
	// rest is the shortest pause between two counts, as a multiple of the duration of the last count.
	rest = 20
)

// counts are the numbers of items at all hosts, and the number of problems that a person must solve.
type counts struct {
	api.SearchStatus
	Needs int
	More  bool // whether there are more problems than the number in Needs
	found problems
}

// tally counts items and problems, and keeps the last count. With thousands of hosts, counting takes a moment. A
// person who opens many pages then sees the last count, with its time, while the next one is made.
type tally struct {
	client *api.Client
	clock  func() time.Time

	mu       sync.Mutex
	last     counts
	at       time.Time
	took     time.Duration
	counting bool
}

// newTally makes a tally that has counted nothing yet.
func newTally(client *api.Client, clock func() time.Time) *tally {
	return &tally{client: client, clock: clock}
}

// Counts returns a new count. If counting is slow and the last count is recent, Counts returns the last count
// instead.
func (t *tally) Counts(ctx context.Context) (counts, error) {
	t.mu.Lock()
	last, again := t.last, false
	age := t.clock().Sub(t.at)
	known := t.took > costly && age < recent
	if known && !t.counting && age > rest*t.took {
		t.counting, again = true, true
	}
	t.mu.Unlock()
	if again {
		go func() { _, _ = t.count(context.WithoutCancel(ctx)) }() // the next page shows the result
	}
	if known {
		return last, nil
	}
	return t.count(ctx)
}

// forget discards the last count. The next page counts again, because a person who has just changed something expects
// to see the effect.
func (t *tally) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = time.Time{}
}

func (t *tally) count(ctx context.Context) (c counts, err error) {
	began := time.Now()
	if c.SearchStatus, err = api.GetStatus.Call(ctx, t.client, api.StatusQuery{}); err == nil {
		c.found, err = problemsOf(ctx, t.client, c.SearchStatus, t.clock())
		c.Needs, c.More = c.found.Count()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counting = false
	if err == nil {
		t.last, t.at, t.took = c, t.clock(), time.Since(began)
	}
	return c, err
}
