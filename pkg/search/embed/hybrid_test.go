package embed

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/search"
)

// notedIndex records the last query.
type notedIndex struct {
	search.Index
	asked int
	last  search.Query
}

func (x *notedIndex) Search(_ context.Context, q search.Query) (search.Results, error) {
	x.asked++
	x.last = q
	return search.Results{}, nil
}

func TestHybridSearch(t *testing.T) {
	model, index := llmtest.NewEmbedder("tide-embed", dimension), &notedIndex{}
	h := NewHybrid(index, model, nil)
	for range 3 {
		if _, err := h.Search(t.Context(), search.Query{Text: `"high tide" tab*`, Top: 10}); err != nil {
			t.Fatal(err)
		}
		if want := llmtest.Vector("high tide tab", dimension); !slices.Equal(index.last.Vector, want) ||
			index.last.Text != `"high tide" tab*` {
			t.Fatalf("the index is asked for %+v", index.last)
		}
	}
	if model.Texts() != 1 {
		t.Errorf("the same query is embedded %d times", model.Texts())
	}
	if _, err := h.Search(t.Context(), search.Query{Text: "?!", Top: 10}); err != nil || index.last.Vector != nil {
		t.Errorf("a query without words: %v, %v", index.last.Vector, err)
	}
	asked := index.asked
	if _, err := h.Search(t.Context(), search.Query{Text: "costly", Top: 0}); !fault.Is(err, fault.Invalid) ||
		index.asked != asked || model.Texts() != 1 {
		t.Errorf("a query that is refused: %v, asked the model %d times", err, model.Texts())
	}
}

// TestHybridWithoutModel checks that if the model fails, search continues with words, logs it once, and does not call
// the model for a while.
func TestHybridWithoutModel(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		rest time.Duration
	}{
		{"down", fault.New(fault.Unavailable, "down"), 30 * time.Second},
		{"refused", fault.New(fault.Blocked, "check the key"), 30 * time.Second},
		{"asks for a short pause", fault.After(time.Second, "busy"), 30 * time.Second},
		{"asks for a pause", fault.After(time.Hour, "busy"), time.Hour},
	} {
		t.Run(tc.name, func(t *testing.T) {
			model, index := llmtest.NewEmbedder("tide-embed", dimension), &notedIndex{}
			calls := 0
			model.Wait = func(context.Context) error { calls++; return tc.err }
			var log bytes.Buffer
			h := NewHybrid(index, model, slog.New(slog.NewTextHandler(&log, nil)))
			now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			h.model.now = func() time.Time { return now }
			ask := func() []float32 {
				t.Helper()
				if _, err := h.Search(t.Context(), search.Query{Text: "tide", Top: 10}); err != nil {
					t.Fatal(err)
				}
				return index.last.Vector
			}
			for range 3 {
				if v := ask(); v != nil {
					t.Errorf("a vector from nowhere: %v", v)
				}
			}
			if calls != 1 || strings.Count(log.String(), "searching by words alone") != 1 {
				t.Errorf("asked the model %d times, log:\n%s", calls, log.String())
			}
			model.Wait = nil
			now = now.Add(tc.rest - time.Second)
			if ask() != nil {
				t.Error("the model is not left alone")
			}
			now = now.Add(time.Second)
			if ask() == nil {
				t.Error("the model is left alone for too long")
			}
		})
	}
}
