package status

import (
	"context"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	// costly is how long a count takes before it is worth showing again.
	costly = 50 * time.Millisecond
	// recent is how old a count may be that is shown while a new one is made.
	recent = time.Minute
	// rest is how many times as long as a count took the next one waits.
	rest = 20
)

// Counts are the items of all hosts, and how many things need a person.
type Counts struct {
	api.SearchStatus
	Needs int
	More  bool // than Needs
}

// Tally counts, and keeps the last count. With thousands of hosts a count takes a moment, so a person who looks at many
// pages is shown the last one, as of when it was made, while the next one is made.
type Tally struct {
	client *api.Client
	clock  func() time.Time

	mu       sync.Mutex
	last     Counts
	at       time.Time
	took     time.Duration
	counting bool
}

// NewTally makes a tally that has counted nothing yet.
func NewTally(client *api.Client, clock func() time.Time) *Tally {
	return &Tally{client: client, clock: clock}
}

// Counts counts, unless that takes long and was done a moment ago.
func (t *Tally) Counts(ctx context.Context) (Counts, error) {
	t.mu.Lock()
	last, again := t.last, false
	age := t.clock().Sub(t.at)
	known := t.took > costly && age < recent
	if known && !t.counting && age > rest*t.took {
		t.counting, again = true, true
	}
	t.mu.Unlock()
	if again {
		go func() { _, _ = t.count(context.WithoutCancel(ctx)) }() // the next page shows what it finds
	}
	if known {
		return last, nil
	}
	return t.count(ctx)
}

// Forget makes the next page count again: a person has just done something, and looks for its effect.
func (t *Tally) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = time.Time{}
}

func (t *Tally) count(ctx context.Context) (c Counts, err error) {
	began := time.Now()
	if c.SearchStatus, err = api.GetStatus.Call(ctx, t.client, api.StatusQuery{}); err == nil {
		c.Needs, c.More, err = troubles(ctx, t.client, c.SearchStatus)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counting = false
	if err == nil {
		t.last, t.at, t.took = c, t.clock(), time.Since(began)
	}
	return c, err
}
