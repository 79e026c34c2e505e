package politeness

import (
	"net/url"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/recent"
)

// Origin is what one robots.txt speaks for.
type Origin struct{ Scheme, Host string }

// OriginOf names the origin of a URL that has been parsed before.
func OriginOf(rawURL string) (Origin, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return Origin{}, err
	}
	return Origin{u.Scheme, u.Host}, nil
}

// originCache keeps what is known of origins within a process, so that a batch usually reads no
// row for them.
type originCache[T any] struct {
	seen recent.Map[Origin, seenAt[T]]
}

type seenAt[T any] struct {
	value T
	at    time.Time
}

// get gives what was put less than trust ago.
func (c *originCache[T]) get(o Origin, now time.Time, trust time.Duration) (value T, ok bool) {
	s, ok := c.seen.Get(o)
	return s.value, ok && now.Sub(s.at) < trust
}

func (c *originCache[T]) put(o Origin, value T, now time.Time) {
	c.seen.Put(o, seenAt[T]{value, now})
}

// originMutexes make several checks that ask an origin for the same do so one after the other.
type originMutexes struct {
	seen recent.Map[Origin, *sync.Mutex]
}

// of is what a check locks before it asks.
func (t *originMutexes) of(o Origin) *sync.Mutex { return t.seen.GetOrPut(o, &sync.Mutex{}) }
