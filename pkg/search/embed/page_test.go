package embed

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/search"
)

func page(texts ...string) search.Page {
	p := search.Page{ID: "url_a", Title: "Tides"}
	for _, text := range texts {
		p.Chunks = append(p.Chunks, search.Chunk{Key: "k" + text, UID: "u" + text, Heading: "Tables", Text: text})
	}
	return p
}

func TestC5PagesAreEmbedded(t *testing.T) {
	model := llmtest.NewEmbedder("tide-embed", dimension)
	f := NewPageEmbedder(model)
	first := page("a", "b")
	if err := f.Embed(t.Context(), &first); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"a", "b"} {
		if want := llmtest.Vector("Tables\n\n"+text, dimension); !slices.Equal(first.Chunks[i].Vector, want) {
			t.Errorf("chunk %d has not the vector of its headings and words", i)
		}
	}
	if err := first.Check(); err != nil {
		t.Error(err)
	}
	for _, tc := range []struct {
		name   string
		page   search.Page
		asks   int
		vector []bool
	}{
		{"what is held is asked for by nobody", page("a", "b"), 0, []bool{false, false}},
		{"what is new is", page("b", "c", "a"), 1, []bool{false, true, false}},
		{"a new title has all written", func() search.Page { p := page("a", "b"); p.Title = "Other"; return p }(), 2,
			[]bool{true, true}},
	} {
		before := model.Texts()
		tc.page.Known = first.Contents()
		if err := f.Embed(t.Context(), &tc.page); err != nil {
			t.Fatal(err)
		}
		var have []bool
		for _, c := range tc.page.Chunks {
			have = append(have, c.Vector != nil)
		}
		if asked := model.Texts() - before; asked != tc.asks || !slices.Equal(have, tc.vector) {
			t.Errorf("%s: %d texts, vectors %v, want %d, %v", tc.name, asked, have, tc.asks, tc.vector)
		}
	}
}

// TestKeysNameTheModel checks that chunks of different models, or without one, never share a key.
func TestKeysNameTheModel(t *testing.T) {
	keys := map[string]bool{page("a").Chunks[0].Key: true}
	for _, model := range []string{"tide-embed", "ebb-embed"} {
		p := page("a")
		if err := NewPageEmbedder(llmtest.NewEmbedder(model, dimension)).Embed(t.Context(), &p); err != nil {
			t.Fatal(err)
		}
		keys[p.Chunks[0].Key] = true
	}
	if len(keys) != 3 {
		t.Errorf("have %v", keys)
	}
}

// TestFillFails checks that a page is unchanged if it could not be embedded.
func TestFillFails(t *testing.T) {
	model := llmtest.NewEmbedder("tide-embed", dimension)
	model.Fail = func(text string) error {
		if text == "Tables\n\nb" {
			return fault.New(fault.Unavailable, "down")
		}
		return nil
	}
	p := page("a", "b")
	if err := NewPageEmbedder(model).Embed(t.Context(), &p); !fault.Is(err, fault.Unavailable) {
		t.Errorf("have %v", err)
	}
	if diff := cmp.Diff(page("a", "b"), p); diff != "" {
		t.Errorf("the page has changed (-before +after):\n%s", diff)
	}
}
