package entries

import (
	"context"
	"sync"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// shelf is an index that keeps pages as they were put; it cannot search.
type shelf struct {
	hook  storagetest.Hook
	mu    sync.Mutex
	pages map[string]search.Page
	puts  int
}

func (s *shelf) Put(ctx context.Context, pages ...search.Page) error {
	call := storagetest.Call{Op: "index.Put"}
	if err := s.hook.Before(ctx, call); err != nil {
		return err
	}
	s.mu.Lock()
	s.puts++
	for _, p := range pages {
		s.pages[p.ID] = p
	}
	s.mu.Unlock()
	return s.hook.After(ctx, call, nil)
}

func (s *shelf) Remove(ctx context.Context, id string, _ *search.Contents) error {
	if err := s.hook.Before(ctx, storagetest.Call{Op: "index.Remove"}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pages, id)
	return nil
}

func (s *shelf) Inspect(_ context.Context, id string) (search.Stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.pages[id]
	if !ok {
		return search.Stored{}, fault.New(fault.NotFound, "no page %s", id)
	}
	return search.Stored{Chunks: p.Contents().Chunks}, nil
}

// differs describes how the page of an entry differs from what it should be.
func (s *shelf) differs(f entry.Fields) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, want := s.pages[f.Text("id")], entry.PageOf(f, s.pages[f.Text("id")].IndexedAt)
	have.Known = nil
	return cmp.Diff(want, have)
}
