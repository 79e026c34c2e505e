package entries

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/entries/entry"
)

// atOnce is how many entries of one call are on their way at once.
const atOnce = 8

// Item is an entry to insert, under a name ([Session.InsertAs]) or, when that is empty, without one.
type Item struct {
	Name   string
	Fields entry.Fields
}

// InsertEach inserts entries, several at once. Items that share a key follow each other in their order;
// of others none waits. Done gets what became of each, as [Session.Insert] tells it, from several
// goroutines at once. The first error that it returns is that of the call, and ends the context of the
// items that are left.
func (s *Session) InsertEach(ctx context.Context, items []Item, done func(i int, res Result, err error) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	latest := map[entry.Keys]<-chan struct{}{} // by one key at a time
	for i, item := range items {
		through := make(chan struct{})
		var earlier []<-chan struct{}
		for _, key := range entry.KeysOf(item.Fields).Each() {
			if c, shared := latest[key]; shared {
				earlier = append(earlier, c)
			}
			latest[key] = through
		}
		g.Go(func() error {
			defer close(through)
			for _, c := range earlier {
				<-c // it was begun before this one, so the two do not wait for each other
			}
			res, err := s.insertAs(ctx, item.token(), item.Fields, len(earlier) > 0)
			return done(i, res, err)
		})
	}
	return g.Wait()
}

func (i Item) token() string {
	if i.Name == "" {
		return ""
	}
	return namedToken(i.Name)
}
