package entries

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/entries/entry"
)

// atOnce is how many entries of one call are inserted concurrently.
const atOnce = 8

// Item is an entry to insert, under a name ([Session.InsertAs]) or, when that is empty, without one.
type Item struct {
	Name   string
	Fields entry.Fields
}

// InsertEach inserts entries, several concurrently. Items that share a key are inserted one after another, in their
// order; other items do not wait. Done receives the result of each item, as [Session.Insert] returns it, and must be
// safe for concurrent calls. The first error that done returns ends the context of the remaining items, and is
// returned.
func (s *Session) InsertEach(ctx context.Context, items []Item, done func(i int, res Result, err error) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	latest := map[entry.Keys]<-chan struct{}{} // one item at a time per key
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
				<-c // items only wait for items that began earlier, so none wait for each other
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
