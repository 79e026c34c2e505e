package politeness

import (
	"net/url"
	"time"

	"github.com/tidemark/tidemark/pkg/base/recent"
)

// Origin is the scheme and host to which one robots.txt applies.
type Origin struct{ Scheme, Host string }

// OriginOf returns the origin of a URL. It returns an error if the URL does not parse.
func OriginOf(rawURL string) (Origin, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return Origin{}, err
	}
	return Origin{u.Scheme, u.Host}, nil
}

// originCache caches a value for each origin within a process, so that a batch usually need not read a row.
type originCache[T any] struct {
	seen recent.Map[Origin, seenAt[T]]
}

type seenAt[T any] struct {
	value T
	at    time.Time
}

// get returns a value that was cached less than trust ago.
func (c *originCache[T]) get(o Origin, now time.Time, trust time.Duration) (value T, ok bool) {
	s, ok := c.seen.Get(o)
	return s.value, ok && now.Sub(s.at) < trust
}

func (c *originCache[T]) put(o Origin, value T, now time.Time) {
	c.seen.Put(o, seenAt[T]{value, now})
}
