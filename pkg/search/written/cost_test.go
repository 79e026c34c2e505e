package written

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestJ9Requests checks how many requests to the store a call costs.
func TestJ9Requests(t *testing.T) {
	var counted storagetest.Counter
	ix := opened(t, held(), storagetest.Counted(inMemory(t), &counted))
	known := func(id string, was search.Page, edit func(*search.Page)) search.Page {
		p := page(id, "1", "2")
		p.Known = was.Contents()
		edit(&p)
		return p
	}
	a, b := page("a", "1", "2"), page("b", "1", "2")
	name := func(p *search.Page) { p.Title = "Name" }
	nothing := func(p *search.Page) { p.IndexedAt, p.Capture = p.IndexedAt.Add(time.Hour), "sha256:2" }
	for _, tc := range []struct {
		what  string
		pages []search.Page
		want  int64
	}{
		{"two pages that are put, of which nothing is known", []search.Page{a, b}, 7},
		{"two that are known to be the same", []search.Page{known("a", a, nothing), known("b", b, nothing)}, 0},
		{"two that are known to differ", []search.Page{known("a", a, name), known("b", b, name)}, 4},
		{"one that is new", []search.Page{{ID: "c", Known: &search.Contents{}}}, 3},
	} {
		counted.Reset()
		must(t, ix.Put(t.Context(), tc.pages...))
		if n := counted.Requests.Load(); n != tc.want {
			t.Errorf("%s: %d requests, want %d", tc.what, n, tc.want)
		}
	}
	again := known("a", a, name)
	again.Known = nil
	counted.Reset()
	must(t, ix.Put(t.Context(), again))
	must(t, ix.Remove(t.Context(), "none", nil))
	if n := counted.Requests.Load(); n != 4 {
		t.Errorf("two calls that change nothing, of pages that are not known: %d requests", n)
	}
	agrees(t, searchtest.NewCopy(search.FollowQuery{Top: 3}), ix)
}

// TestJ9EngineWithPages checks that an engine that was filled by a version without a feed has to be filled once more,
// and that a page that is put meanwhile is stored as a whole, although its caller knows what the engine holds.
func TestJ9EngineWithPages(t *testing.T) {
	engine, store := sqlite(t), inMemory(t)
	must(t, engine.Create(t.Context()))
	old := page("a", "1", "2", "3")
	must(t, engine.Put(t.Context(), old))
	name, err := engine.(beginner).Begun(t.Context())
	must(t, err)
	must(t, engine.(beginner).Filled(t.Context(), name))

	ix := New(engine, store, time.Now)
	must(t, ix.Create(t.Context()))
	name, err = ix.Begun(t.Context())
	if other, err2 := New(engine, store, time.Now).Begun(t.Context()); err != nil || err2 != nil || name == "" ||
		other != name {
		t.Fatalf("names %q and %q, %v, %v", name, other, err, err2)
	}
	changed := page("a", "1", "2", "4")
	changed.Known = old.Contents()
	must(t, ix.Put(t.Context(), changed))
	agrees(t, searchtest.NewCopy(search.FollowQuery{Top: 2}), ix)
	for _, copying := range []bool{true, false} {
		got, err := ix.Follow(t.Context(), search.FollowQuery{Top: 100})
		if err != nil || got.Copying != copying {
			t.Errorf("copying %v, %v, want %v", got.Copying, err, copying)
		}
		must(t, ix.Filled(t.Context(), name))
	}
	if name, err = ix.Begun(t.Context()); err != nil || name != "" {
		t.Errorf("%q, %v after it was filled", name, err)
	}
}

// TestJ9LargePages checks pages that need several transactions, and more keys than a row of the log takes.
func TestJ9LargePages(t *testing.T) {
	ix := opened(t, held(), embedded(t))
	c := searchtest.NewCopy(search.FollowQuery{Top: 1000})
	agrees(t, c, ix)
	p := page("a", numbers(0, 600)...)
	for i := range p.Chunks {
		p.Chunks[i].Key = fmt.Sprintf("a-%0480d", i)
	}
	must(t, ix.Put(t.Context(), p))
	agrees(t, c, ix)
	next := p
	next.Chunks, next.Known = append(p.Chunks[:0:0], p.Chunks[550:]...), p.Contents()
	must(t, ix.Put(t.Context(), next))
	agrees(t, c, ix)
}

// TestJ9AnswersAreBounded checks that an answer ends after many rows of pages that do not match, and after many pages
// that the log names.
func TestJ9AnswersAreBounded(t *testing.T) {
	ix := opened(t, held(), inMemory(t))
	for i := range 11 {
		p := page(fmt.Sprintf("large%02d", i), numbers(0, maxScanned/10)...)
		p.Known = &search.Contents{}
		must(t, ix.Put(t.Context(), p))
	}
	q := search.FollowQuery{Top: 1000, Tag: "rare"}
	for _, copying := range []bool{true, false} {
		got, err := ix.Follow(t.Context(), q)
		if err != nil || len(got.Events) != 0 || got.Copying != copying || got.Cursor == q.Since {
			t.Errorf("copying %v, cursor %s, %v, want %v", got.Copying, got.Cursor, err, copying)
		}
		q.Since = got.Cursor
	}
	var pages []search.Page
	for i := range maxLoaded + 5 {
		p := page(fmt.Sprint("small", i), "1")
		p.Tags, p.Known = []string{q.Tag}, &search.Contents{}
		pages = append(pages, p)
	}
	must(t, ix.Put(t.Context(), pages...))
	for len(pages) > 0 {
		got, err := ix.Follow(t.Context(), q)
		if want := min(len(pages), maxLoaded); err != nil || len(got.Events) != want {
			t.Fatalf("%d events, %v, want %d", len(got.Events), err, want)
		}
		pages, q.Since = pages[len(got.Events):], got.Cursor
	}
}

// TestJ9Damage checks that a row that cannot be read is left out until its page is put again, and that a follower
// begins again if a row of the log cannot be read.
func TestJ9Damage(t *testing.T) {
	store := inMemory(t)
	ix := opened(t, held(), store)
	must(t, ix.Put(t.Context(), page("a", "1", "2"), page("b", "1")))
	first, err := ix.Follow(t.Context(), search.FollowQuery{Top: 100})
	must(t, err)
	damaged := storage.Properties{"chunk0": []byte("?"), "page0": []byte("?"), "entries0": []byte("?")}
	damage := func(key storage.Key) {
		e, err := store.Table(tableName).Get(t.Context(), key)
		must(t, err)
		_, err = store.Table(tableName).Transact(t.Context(), storage.Op{Kind: storage.Replace,
			Entity: storage.Entity{Key: key, ETag: e.ETag, Props: damaged}})
		must(t, err)
	}
	damage(chunkKey("a", "a-1"))
	damage(pageKey("b"))
	p, err := ix.Page(t.Context(), "a")
	if err != nil || len(p.Chunks) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := ix.Page(t.Context(), "b"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	must(t, ix.Put(t.Context(), page("a", "1", "2"), page("b", "1")))
	agrees(t, searchtest.NewCopy(search.FollowQuery{Top: 100}), ix)
	damage(numberKey(2))
	if _, err := ix.Follow(t.Context(), search.FollowQuery{Top: 100, Since: first.Cursor}); !fault.Is(err, fault.Expired) {
		t.Error(err)
	}
}
