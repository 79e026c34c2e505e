package sqlitesearch

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
)

// TestPagesRankByTheirBestChunk checks that weaker matches on a page do not lower its rank.
func TestPagesRankByTheirBestChunk(t *testing.T) {
	ix := created(t, filepath.Join(t.TempDir(), "search.db"))
	filler := strings.Repeat(" the quay and the crane", 20)
	put(t, ix,
		pageOf("b", "beacon and quay"),
		pageOf("a", "beacon beacon beacon", "beacon"+filler+filler),
		pageOf("c", "beacon"+filler),
		pageOf("d", filler), pageOf("e", filler), pageOf("f", filler), pageOf("g", filler))
	res, err := ix.Search(t.Context(), search.Query{Text: "beacon", Top: 10})
	if err != nil {
		t.Fatal(err)
	}
	var ids string
	for _, r := range res.Results {
		ids += r.ID
	}
	if ids != "abc" {
		t.Errorf("have %s, want abc", ids)
	}
}

func pageOf(id string, texts ...string) search.Page {
	p := search.Page{ID: id, Title: "Page"}
	for i, text := range texts {
		key := string(rune('a' + i))
		p.Chunks = append(p.Chunks, search.Chunk{Key: key, UID: key, Text: text})
	}
	return p
}
