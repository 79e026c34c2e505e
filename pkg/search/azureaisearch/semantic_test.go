package azureaisearch

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
)

// TestJ8SemanticRanking checks that the semantic ranker sorts the results if enabled, and that an answer without it
// has a note.
func TestJ8SemanticRanking(t *testing.T) {
	server := aisearch.New(t)
	ix, err := Open(Options{Endpoint: server.URL, Index: "pages", Key: aisearch.Key, Semantic: true, Client: quick()})
	must(t, err)
	must(t, ix.Create(t.Context()))
	often, titled := page("often", "Tide, tide and tide again: the tide."), page("titled", "Of a tide and other things.")
	often.Title, titled.Title = "Harbour and tide news", "Tide"
	must(t, ix.Put(t.Context(), often, titled))
	server.Refresh()
	ask := func(want string, q search.Query) search.Results {
		t.Helper()
		ids, res := found(t, ix, q)
		if have := strings.Join(ids, " "); have != want {
			t.Errorf("%+v: have %s, want %s", q, have, want)
		}
		return res
	}
	if res := ask("titled often", search.Query{Text: `"Tide"!`}); res.Note != "" {
		t.Errorf("%+v", res)
	}
	ask("titled often", search.Query{Text: `"Tide" AND`})
	ask("often titled", search.Query{Text: "tide", Sort: search.ByChange})
	ask("often titled", search.Query{Text: "tid*"})
	asked := 0
	for _, r := range server.Requests() {
		if r.Op == "semantic" {
			asked++
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}

	ix.semantic = false
	byWords, _ := found(t, ix, search.Query{Text: "tide"})
	ix.semantic = true
	for _, status := range []int{http.StatusPaymentRequired, http.StatusBadRequest, http.StatusServiceUnavailable} {
		server.Fail(aisearch.Fault{Op: "semantic", Status: status, Times: 10})
		ids, res := found(t, ix, search.Query{Text: "tide"})
		if !slices.Equal(ids, byWords) || res.Note != noteOfSemantic {
			t.Errorf("%d: %v, note %q", status, ids, res.Note)
		}
		for range 10 { // uses up the remaining faults
			_, _ = ix.Search(t.Context(), search.Query{Text: "tide", Top: 1})
		}
	}
	server.Partial = "capacityOverloaded"
	if _, res := found(t, ix, search.Query{Text: "tide"}); res.Note != noteOfSemantic {
		t.Errorf("partial: note %q", res.Note)
	}
}

// TestJ8WhatIsNotDoneIsSaid checks the notes that words are not corrected, and that a large count is an estimate.
func TestJ8WhatIsNotDoneIsSaid(t *testing.T) {
	ix, server := created(t, 0)
	must(t, ix.Put(t.Context(), page("a", "The tide.")))
	server.Refresh()
	if _, res := found(t, ix, search.Query{Text: "tdie"}); res.Note != noteOfWords {
		t.Errorf("misspelt: note %q", res.Note)
	}
	if _, res := found(t, ix, search.Query{Text: "tide", Host: "elsewhere"}); res.Note != "" {
		t.Errorf("of another host: note %q", res.Note)
	}
	if _, res := found(t, ix, search.Query{Text: "tide"}); res.Note != "" || res.Estimated {
		t.Errorf("found: %+v", res)
	}
}
