package entries

import (
	"context"

	"github.com/tidemark/tidemark/pkg/entries/entry"
	"golang.org/x/sync/errgroup"
)

// atOnce is the number of entries of one call that are inserted concurrently.
const atOnce = 8

// Item is an entry to insert. If the item has a name, the entry is inserted under that name ([Session.insertNamed]).
type Item struct {
	Name   string
	Fields entry.Fields
}

// InsertEach inserts entries, several concurrently. Items that share a key are inserted one after another, in their
// order; other items do not wait. InsertEach calls done with the result of each item, as [Session.Insert] returns it.
// The function done must be safe for concurrent calls. If done returns an error, InsertEach cancels the context of
// the items in progress, skips those that have not begun, and returns the first such error.
func (s *Session) InsertEach(ctx context.Context, items []Item, done func(i int, res Result, err error) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var g errgroup.Group
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
				<-c // an item waits only for items that began earlier, so no two items wait for each other
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			res, err := s.insertAs(ctx, item.token(), item.Fields, len(earlier) > 0)
			if err = done(i, res, err); err != nil {
				stop(err) // stop before an item that shares a key begins, because it would overtake this item
			}
			return err
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
