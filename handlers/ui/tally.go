package ui

import (
	"context"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	// costly is how long counting all hosts takes where the last count is shown again.
	costly = 50 * time.Millisecond
	// recent is how old a count may be that is shown while a new one is made.
	recent = time.Minute
	// rest is how many times as long as a count took nobody counts again.
	rest = 20
)

// counts are the items of all hosts, and how many things need a person.
type counts struct {
	api.SearchStatus
	Needs int
	More  bool // than that
}

// tally is the last count. It takes a moment where there are thousands: those who look at many pages are
// shown the last one, as of when it was made, while the next is counted.
type tally struct {
	mu       sync.Mutex
	last     counts
	at       time.Time
	took     time.Duration
	counting bool
}

// status counts, unless that takes long and was done a moment ago.
func (o Options) status(ctx context.Context) (counts, error) {
	t := o.tally
	t.mu.Lock()
	last, again := t.last, false
	age := o.Clock().Sub(t.at)
	known := t.took > costly && age < recent
	if known && !t.counting && age > rest*t.took {
		t.counting, again = true, true
	}
	t.mu.Unlock()
	if again {
		go func() { _, _ = o.count(context.WithoutCancel(ctx)) }() // who shows the next page shows what it finds
	}
	if known {
		return last, nil
	}
	return o.count(ctx)
}

// forget has the next page count anew: somebody has just done something, and looks for what came of it.
func (t *tally) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = time.Time{}
}

func (o Options) count(ctx context.Context) (c counts, err error) {
	began := time.Now()
	if c.SearchStatus, err = api.GetStatus.Call(ctx, o.Client, api.StatusQuery{}); err == nil {
		c.Needs, c.More, err = needsOf(o, ctx, c.SearchStatus)
	}
	t := o.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counting = false
	if err == nil {
		t.last, t.at, t.took = c, o.Clock(), time.Since(began)
	}
	return c, err
}
