package crawl

import (
	"sync"
	"time"
)

// originBound is how many origins a cache holds; forgetting them all costs a read each.
const originBound = 1000

// originCache keeps what is known of origins within a process, so that a batch usually reads no
// row for them.
type originCache[T any] struct {
	mu   sync.Mutex
	seen map[origin]seenAt[T]
}

type seenAt[T any] struct {
	value T
	at    time.Time
}

// get gives what was put less than trust ago.
func (c *originCache[T]) get(o origin, now time.Time, trust time.Duration) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.seen[o]
	return s.value, ok && now.Sub(s.at) < trust
}

func (c *originCache[T]) put(o origin, value T, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil || len(c.seen) >= originBound {
		c.seen = map[origin]seenAt[T]{}
	}
	c.seen[o] = seenAt[T]{value, now}
}
