package sqlitesearch

import (
	"fmt"
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
