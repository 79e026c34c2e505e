package written

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/azureaisearch"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sqlite(t testing.TB) search.Engine {
	t.Helper()
	ix, err := sqlitesearch.Open(filepath.Join(t.TempDir(), "search.db"), sqlitesearch.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, ix.Close()) })
	return ix
}

// holding is an engine that only holds pages.
type holding struct {
	search.None
	mu    sync.Mutex
	pages map[string]search.Page
}

func (h *holding) Put(_ context.Context, pages ...search.Page) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range pages {
		h.pages[p.ID] = p
	}
	return nil
}

func (h *holding) Remove(_ context.Context, id string, _ *search.Contents) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pages, id)
	return nil
}

func (h *holding) IDs(context.Context, string, int) ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.pages)), nil
}

func (h *holding) Page(_ context.Context, id string) (search.Page, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pages[id], nil
}

func held() *holding { return &holding{pages: map[string]search.Page{}} }

// refreshed is the fake service, whose writes are visible at once.
type refreshed struct {
	*azureaisearch.Index
	server *aisearch.Server
}

func (x refreshed) Put(ctx context.Context, pages ...search.Page) error {
	defer x.server.Refresh()
	return x.Index.Put(ctx, pages...)
}

func (x refreshed) Remove(ctx context.Context, id string, known *search.Contents) error {
	defer x.server.Refresh()
	return x.Index.Remove(ctx, id, known)
}

func azure(t testing.TB) search.Engine {
	t.Helper()
	server := aisearch.New(t)
	ix, err := azureaisearch.Open(azureaisearch.Options{Endpoint: server.URL, Index: "pages", Key: aisearch.Key})
	must(t, err)
	return refreshed{ix, server}
}

func embedded(t testing.TB) storage.Store {
	t.Helper()
	s, err := sqlitestore.Open(t.TempDir(), sqlitestore.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func inMemory(testing.TB) storage.Store { return mem.New(time.Now) }

// opened returns an index that is filled.
func opened(t testing.TB, engine search.Engine, store storage.Store) *Index {
	t.Helper()
	ix := New(engine, store, time.Now)
	must(t, ix.Create(t.Context()))
	name, err := ix.Begun(t.Context())
	must(t, err)
	must(t, ix.Filled(t.Context(), name))
	return ix
}

func TestJ9Follow(t *testing.T) {
	for name, open := range map[string]func(t testing.TB) *Index{
		"Azure, memory":    func(t testing.TB) *Index { return opened(t, azure(t), inMemory(t)) },
		"SQLite, embedded": func(t testing.TB) *Index { return opened(t, sqlite(t), embedded(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			searchtest.Follow(t, func(t *testing.T) search.Index { return open(t) })
		})
	}
}

func page(id string, texts ...string) search.Page {
	p := search.Page{ID: id, URL: "https://h/" + id, Host: "h", Type: "page", Title: "Title", Language: "en",
		IndexedAt: time.Unix(1e9, 0)}
	for _, text := range texts {
		p.Chunks = append(p.Chunks, search.Chunk{Key: id + "-" + text, UID: "uid " + text, Text: "text " + text})
	}
	return p
}

// numbers returns the texts from, from+1 and so on.
func numbers(from, n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprint(from+i))
	}
	return texts
}

// agrees checks that a follower that has read everything holds what the index holds, and what the engine holds if that
// can tell.
func agrees(t testing.TB, c *searchtest.Copy, ix *Index) {
	t.Helper()
	must(t, c.Follow(t.Context(), ix))
	indexes := []search.Index{ix}
	if engine, ok := ix.Engine.(search.Index); ok {
		indexes = append(indexes, engine)
	}
	for _, of := range indexes {
		want, err := searchtest.TextsOf(t.Context(), of, search.FollowQuery{})
		must(t, err)
		if diff := cmp.Diff(want, c.Texts()); diff != "" {
			t.Fatalf("%T (-index +copy):\n%s", of, diff)
		}
	}
}
