package written

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// failing is a store of which one operation fails, and, if the process dies of it, all that follow.
type failing struct {
	mu    sync.Mutex
	at    int  // the operation that fails
	after bool // it takes effect, but the answer is lost
	dies  bool
	n     int
	hit   bool
}

var errFailed = fault.New(fault.Unavailable, "the store does not answer")

func (f *failing) store(under storage.Store) storage.Store {
	return storagetest.Hooked(under, storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error { return f.step(false) },
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			if failed := f.step(true); failed != nil {
				return failed
			}
			return err
		},
	})
}

func (f *failing) step(after bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if after == f.after { // operations may overlap
		f.n++
	}
	if f.n == f.at && after == f.after || f.hit && f.dies && !after {
		f.hit = true
		return errFailed
	}
	return nil
}

// edits are calls that change an index that holds [before].
var edits = map[string]func(ctx context.Context, ix *Index, certain bool) error{
	"put": func(ctx context.Context, ix *Index, certain bool) error {
		a, b, c := page("a", "1", "2", "4"), page("b", "7"), page("new", "9")
		a.Title, b.Chunks[0].Anchor = "Name", "quay"
		if certain {
			a.Known, b.Known, c.Known = before()[0].Contents(), before()[1].Contents(), &search.Contents{}
		}
		return ix.Put(ctx, a, b, c)
	},
	"put large": func(ctx context.Context, ix *Index, certain bool) error {
		p := page("large", numbers(150, 230)...)
		if certain {
			p.Known = before()[2].Contents()
		}
		return ix.Put(ctx, p)
	},
	"remove": func(ctx context.Context, ix *Index, certain bool) error {
		var known *search.Contents
		if certain {
			known = before()[2].Contents()
		}
		return ix.Remove(ctx, "large", known)
	},
}

func before() []search.Page {
	return []search.Page{page("a", "1", "2", "3"), page("b", "7", "8"), page("large", numbers(100, 220)...)}
}

// TestJ9EveryFault checks that a follower holds what the index holds after a call was interrupted at any operation of
// the store and then repeated, by another process, without knowing what the index holds.
func TestJ9EveryFault(t *testing.T) {
	for name, edit := range edits {
		for how := range 4 {
			after, dies := how&1 > 0, how&2 > 0
			t.Run(fmt.Sprintf("%s, after %v, dies %v", name, after, dies), func(t *testing.T) {
				for at := 1; ; at++ {
					f := &failing{at: at, after: after, dies: dies}
					if !interrupted(t, f, edit) {
						if at < 4 {
							t.Errorf("only %d operations", at-1)
						}
						return
					}
				}
			})
		}
	}
}

// interrupted reports whether the fault happened.
func interrupted(t *testing.T, f *failing, edit func(context.Context, *Index, bool) error) bool {
	t.Helper()
	engine, under := held(), inMemory(t)
	ix := opened(t, engine, under)
	must(t, ix.Put(t.Context(), before()...))
	early := searchtest.NewCopy(search.FollowQuery{Top: 60})
	agrees(t, early, ix)
	during := searchtest.NewCopy(search.FollowQuery{Top: 100})
	agrees(t, during, ix)
	err := edit(t.Context(), New(engine, f.store(under), time.Now), true)
	if (err != nil) != f.hit {
		t.Fatalf("operation %d: %v", f.at, err)
	}
	must(t, during.Follow(t.Context(), ix))
	must(t, edit(t.Context(), opened(t, engine, under), err == nil))
	agrees(t, early, ix)
	agrees(t, during, ix)
	agrees(t, searchtest.NewCopy(search.FollowQuery{Top: 200}), ix)
	return f.hit
}

// TestJ9RandomFaults writes at random while operations fail at random. A call that failed is repeated later without
// knowing what the index holds, perhaps with other contents, and fails perhaps again.
func TestJ9RandomFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	engine, under := held(), inMemory(t)
	f := &failing{}
	ix := opened(t, engine, under)
	flaky := New(engine, f.store(under), time.Now)
	copies := []*searchtest.Copy{searchtest.NewCopy(search.FollowQuery{Top: 2}),
		searchtest.NewCopy(search.FollowQuery{Top: 50})}
	known := map[string]*search.Contents{} // of the pages that are certain
	certain := map[string]bool{}
	write := func(id string) {
		if f.at = 0; rng.IntN(3) == 0 {
			f.at, f.after = f.n+1+rng.IntN(6), rng.IntN(2) == 0
		}
		p := page(id, numbers(0, 1+rng.IntN(5))...)
		p.Title, p.Chunks[0].Anchor = fmt.Sprint("Title ", rng.IntN(3)), fmt.Sprint(rng.IntN(3))
		p.Known = known[id]
		var err error
		if rng.IntN(5) == 0 {
			err = flaky.Remove(t.Context(), id, known[id])
			known[id] = &search.Contents{}
		} else {
			err = flaky.Put(t.Context(), p)
			known[id] = p.Contents()
		}
		if certain[id] = err == nil; err != nil {
			known[id] = nil
		}
	}
	for range 150 {
		for range 1 + rng.IntN(4) {
			write(fmt.Sprint("p", rng.IntN(4)))
		}
		must(t, copies[rng.IntN(len(copies))].Follow(t.Context(), ix))
		for i := range 4 {
			for id := fmt.Sprint("p", i); !certain[id]; {
				write(id)
			}
		}
		for _, c := range copies {
			agrees(t, c, ix)
		}
	}
}

// TestJ9TwoWriters checks that followers miss nothing while processes write at once.
func TestJ9TwoWriters(t *testing.T) {
	engine, store := held(), inMemory(t)
	ix := opened(t, engine, store)
	c := searchtest.NewCopy(search.FollowQuery{Top: 3})
	var g sync.WaitGroup
	for w := range 3 {
		g.Go(func() {
			own := New(engine, store, time.Now)
			for n := range 40 {
				p := page(fmt.Sprintf("p%d-%d", w, n%5), numbers(n, 1+n%4)...)
				if err := own.Put(t.Context(), p); err != nil {
					t.Error(err)
				}
				if n%7 == 0 {
					if err := own.Remove(t.Context(), p.ID, nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 50 {
		must(t, c.Follow(t.Context(), ix))
	}
	g.Wait()
	agrees(t, c, ix)
}

// TestJ9OldIntentsAreMadeGood checks that an interrupted write is told to followers even if nobody repeats it, once
// another page is written by a process that does not know what the index holds, or old writes are forgotten.
func TestJ9OldIntentsAreMadeGood(t *testing.T) {
	for what, call := range map[string]func(ctx context.Context, ix *Index) error{
		"put":    func(ctx context.Context, ix *Index) error { return ix.Put(ctx, page("b", "1")) },
		"forget": func(ctx context.Context, ix *Index) error { return ix.Forget(ctx, time.Unix(0, 0)) },
	} {
		t.Run(what, func(t *testing.T) { madeGood(t, call) })
	}
}

func madeGood(t *testing.T, call func(ctx context.Context, ix *Index) error) {
	t.Helper()
	engine, under := held(), inMemory(t)
	ix := opened(t, engine, under)
	must(t, ix.Put(t.Context(), page("a", "1"), page("b", "1")))
	c := searchtest.NewCopy(search.FollowQuery{Top: 7})
	agrees(t, c, ix)
	changed := page("a", "2")
	changed.Known = page("a", "1").Contents()
	f := &failing{at: 4} // the intent and the rows are written, the head is read
	if err := New(engine, f.store(under), time.Now).Put(t.Context(), changed); err == nil {
		t.Fatal("the log was appended")
	}
	later := New(engine, under, func() time.Time { return time.Now().Add(time.Hour) })
	must(t, call(t.Context(), later))
	agrees(t, c, ix)
	left, err := ix.log.intents(t.Context())
	must(t, err)
	if slices.ContainsFunc(left, func(i intent) bool { return i.page == "a" }) {
		t.Errorf("left are %v", left)
	}
}
