package sqlitesearch

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
)

// TestK6ChangesAreOneSegment checks that a Put writes one segment, in whatever order its pages and chunks come. Each
// further segment would have to be merged.
func TestK6ChangesAreOneSegment(t *testing.T) {
	ix := created(t, t.TempDir()+"/index.db")
	batch := func(text string) (pages []search.Page) {
		for i := range 8 {
			p := pageIn("en", fmt.Sprintf("page%d", i*5%8), "")
			p.Chunks = nil
			for j := range 5 {
				key := fmt.Sprintf("%s-%d", text, j)
				p.Chunks = append(p.Chunks, search.Chunk{Key: key, UID: key, Text: fmt.Sprintf("%s tide %d", text, j)})
			}
			pages = append(pages, p)
		}
		return pages
	}
	segments := func() (n int) {
		if err := ix.read.QueryRow("SELECT count(*) FROM segments").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, text := range []string{"first", "second", "third"} {
		pages := batch(text)
		if i == 2 {
			pages[0], pages[7] = pages[7], pages[0]
		}
		if err := ix.Put(t.Context(), pages...); err != nil {
			t.Fatal(err)
		}
		if n := segments(); n != i+1 {
			t.Errorf("%d segments after %d batches", n, i+1)
		}
	}
}

// cutting is a context that ends when it is asked for the nth time whether it has ended.
type cutting struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func cutAfter(t *testing.T, n int) *cutting {
	ctx, cancel := context.WithCancel(t.Context())
	c := &cutting{Context: ctx, cancel: cancel}
	c.left.Store(int64(n))
	return c
}

func (c *cutting) Done() <-chan struct{} {
	if c.left.Add(-1) <= 0 {
		c.cancel()
	}
	return c.Context.Done()
}

// TestPutIsOneTransaction cuts the Put of a job at every point: all of its pages are in the index afterwards, or none.
// Put again, before which the statements of the undone transaction are used again, they are there once.
func TestPutIsOneTransaction(t *testing.T) {
	ix := created(t, t.TempDir()+"/index.db")
	put(t, ix, pageIn("en", "before", "A tide before."))
	cut := 0
	for n := 1; ; n += 1 + n/8 {
		pages := []search.Page{
			pageIn("en", fmt.Sprintf("a%d", n), "One tide."), pageIn("en", fmt.Sprintf("b%d", n), "Tides."),
			pageIn("en", "before", fmt.Sprintf("Another tide %d.", n)),
		}
		pages[2].Chunks[0].Key = fmt.Sprint(n)
		had := count(t, ix)
		ctx := cutAfter(t, n)
		err := ix.Put(ctx, pages...)
		if have := count(t, ix); have != had && have != had+2 || err == nil && have == had {
			t.Fatalf("cut at %d: %d pages after %d: %v", n, have, had, err)
		}
		whole := err == nil
		if err := ix.Put(t.Context(), pages...); err != nil {
			t.Fatalf("after a cut at %d: %v", n, err)
		}
		res, err := ix.Search(t.Context(), search.Query{Text: "tides", Top: 1})
		if err != nil || res.Count != had+2 {
			t.Fatalf("after a cut at %d: %d pages are found, want %d: %v", n, res.Count, had+2, err)
		}
		if whole {
			break
		}
		cut++
	}
	checkIntegrity(t, ix)
	if cut < 10 {
		t.Errorf("only %d cuts", cut)
	}
}

// TestFormsOfAllTexts checks that the words of titles, headings and texts have other forms, where chunks repeat some of
// them.
func TestFormsOfAllTexts(t *testing.T) {
	ix := created(t, t.TempDir()+"/index.db")
	p := pageIn("en", "page", "")
	p.Title, p.Chunks = "Harbours", nil
	for i, c := range []search.Chunk{{Heading: "Anchors", Text: "Lamps and buoys."}, {Heading: "Anchors", Text: "Lamps."},
		{Heading: "Ropes", Text: "Lamps and sails."}, {Heading: "Anchors", Text: "Lamps and masts."}} {
		c.Key, c.UID = fmt.Sprint(i), fmt.Sprint(i)
		p.Chunks = append(p.Chunks, c)
	}
	put(t, ix, p)
	for _, word := range []string{"harbour", "anchor", "rope", "lamp", "buoy", "sail", "mast"} {
		if res, err := ix.Search(t.Context(), search.Query{Text: word, Top: 1}); err != nil || res.Count != 1 {
			t.Errorf("%s: %d pages, %v", word, res.Count, err)
		}
	}
}
