package handlers

import (
	"encoding/json"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/search"
)

// TestJ9PageOfAPDF checks that a change of a chunk of a PDF file has the number of its page.
func TestJ9PageOfAPDF(t *testing.T) {
	for anchor, want := range map[string]int{"page=12": 12, "pages": 0, "": 0} {
		c := changeOfChunk(search.Event{Op: search.OpPut, Chunk: search.Chunk{Text: "Tides", Anchor: anchor}})
		if c.Page != want || c.Anchor != anchor {
			t.Errorf("%q: page %d, anchor %q", anchor, c.Page, c.Anchor)
		}
	}
}

// TestJ9CopyByPages checks that a copy that is read one chunk at a time, with a removal in between, has what the index
// has.
func TestJ9CopyByPages(t *testing.T) {
	r := newRig(t)
	pages := []string{"one", "two", "three", "four"}
	for _, name := range pages {
		do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/`+name+`"}`)
	}
	r.work()
	held := map[string]string{}
	for cursor, more, asked := "", true, 0; more; asked++ {
		w := do(t, r, "GET", "/api/chunks/changes?top=1&since="+cursor, "")
		var got api.ChunkChanges
		must(t, json.Unmarshal(w.Body.Bytes(), &got))
		for _, c := range got.Changes {
			switch c.Op {
			case api.ChunkUpsert:
				held[c.ChunkID] = c.ItemID
			case api.ChunkDeleteItem:
				for key, item := range held {
					if item == c.ItemID {
						delete(held, key)
					}
				}
			}
		}
		if asked == 2 { // after an answer was read ahead
			do(t, r, "DELETE", "/api/items/"+idOf(t, "https://port.example/ok/one"), "")
			r.work()
		}
		cursor, more = got.Cursor, len(got.Changes) > 0
	}
	want := 0
	for _, name := range pages {
		var list api.ChunkList
		w := do(t, r, "GET", "/api/items/"+idOf(t, "https://port.example/ok/"+name)+"/chunks", "")
		must(t, json.Unmarshal(w.Body.Bytes(), &list))
		for _, c := range list.Chunks {
			if want++; held[c.ChunkID] == "" {
				t.Errorf("%s: the copy lacks %q", name, c.Text)
			}
		}
	}
	if len(held) != want || want == 0 {
		t.Errorf("the copy has %d chunks, the index %d", len(held), want)
	}
}
