package crawl

import (
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/recent"
)

// originCache keeps what is known of origins within a process, so that a batch usually reads no
// row for them.
type originCache[T any] struct {
	seen recent.Map[origin, seenAt[T]]
}

type seenAt[T any] struct {
	value T
	at    time.Time
}

// get gives what was put less than trust ago.
func (c *originCache[T]) get(o origin, now time.Time, trust time.Duration) (value T, ok bool) {
	s, ok := c.seen.Get(o)
	return s.value, ok && now.Sub(s.at) < trust
}

func (c *originCache[T]) put(o origin, value T, now time.Time) {
	c.seen.Put(o, seenAt[T]{value, now})
}

// turns have one of several that ask an origin for the same go first.
type turns struct {
	seen recent.Map[origin, *sync.Mutex]
}

// of is to be locked by the one that asks.
func (t *turns) of(o origin) *sync.Mutex { return t.seen.GetOrPut(o, &sync.Mutex{}) }
