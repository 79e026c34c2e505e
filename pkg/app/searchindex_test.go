package app

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/azureaisearch"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
)

// A25: what may hide a secret is not repeated, and settings of the index that do not fit each other
// are told.
func TestA25SearchSettings(t *testing.T) {
	for _, tc := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"SEARCH_ENDPOINT": "https://me:hunter2@name.search.windows.net"}, "SEARCH_ENDPOINT=…"},
		{map[string]string{"SEARCH_ENDPOINT": "http://name.search.windows.net"}, "SEARCH_ENDPOINT=…"},
		{map[string]string{"SEARCH_API_KEY": "hunter2 "}, "SEARCH_API_KEY=…"},
		{map[string]string{
			"SEARCH_ENDPOINT": "https://name.search.windows.net", "EMBEDDINGS_MODEL": "m", "OPENAI_BASE_URL": "http://localhost:4000",
		}, "SEARCH_VECTOR_DIMENSIONS"},
	} {
		_, err := Load(env(tc.set))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: have %v", tc.set, err)
		}
	}
	c, err := Load(env(map[string]string{"SEARCH_API_KEY": "hunter2"}))
	if err != nil || strings.Contains(fmt.Sprintf("%v %+v %#v", c.Search, c.Search, c.Search), "hunter2") {
		t.Errorf("the key is printed, or %v", err)
	}
}

// TestSearchServiceIsUsed: with an endpoint the index is there, and not on this disk.
func TestSearchServiceIsUsed(t *testing.T) {
	server := aisearch.New(t)
	c, err := Load(env(map[string]string{"SEARCH_ENDPOINT": server.URL, "SEARCH_API_KEY": aisearch.Key, "TIDEMARK_DATA": "/nowhere/at/all"}))
	if err != nil {
		t.Fatal(err)
	}
	index, err := openIndex(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := index.(*azureaisearch.Index); !ok {
		t.Fatalf("have %T", index)
	}
	if err := index.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := search.Page{ID: "a", Title: "Tides", IndexedAt: time.Unix(1e9, 0), Chunks: []search.Chunk{{Key: "k", UID: "u", Text: "noon"}}}
	if err := index.Put(t.Context(), page); err != nil || len(server.Documents("tidemark")) != 2 {
		t.Errorf("have %v", err)
	}
}
