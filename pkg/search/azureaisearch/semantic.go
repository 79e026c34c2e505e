package azureaisearch

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
)

const (
	// maxSemantic is how many results the semantic ranker looks at
	// (https://learn.microsoft.com/azure/search/semantic-search-overview).
	maxSemantic = 50
	// semanticWait bounds, in milliseconds, what a search waits for it; the service allows no less than 700.
	semanticWait = 2000
	// semanticTimeout bounds it here, with its retries.
	semanticTimeout = 3 * time.Second

	noteOfSemantic = "the semantic ranker gave no order, so these results are ranked by their words; it may be busy, or " +
		"not be enabled in the search service"
)

// semantic has the semantic ranker put the first pages in order, each by its best chunk, and tells if it could not. It
// takes neither our syntax nor an order, so it is asked apart, for the chunks that were found. Pages that it was given
// no words of, such as those that only a vector found, keep their places.
func (s seeking) semantic(ctx context.Context, groups []group) (note string) {
	if !s.ix.semantic || !rankable(s.query) || len(groups) < 2 {
		return ""
	}
	first := groups[:min(maxSemantic, len(groups))]
	ids := make([]string, len(first))
	for i, g := range first {
		ids[i] = g.hits[0].ID
	}
	ctx, cancel := context.WithTimeout(ctx, semanticTimeout)
	defer cancel()
	found, err := s.ix.service.query(ctx, query{Search: plainWords(s.query.Text), QueryType: "semantic",
		SemanticConfiguration: ranking, SemanticErrorHandling: "partial", SemanticMaxWait: semanticWait,
		Filter: in("id", ids), Select: "id", Top: maxSemantic})
	if err != nil || found.Partial != "" {
		return noteOfSemantic
	}
	scores := map[string]float64{}
	for _, h := range found.Value {
		scores[h.ID] = h.RerankerScore
	}
	var places []int
	var ranked []group
	for i, g := range first {
		if scores[g.hits[0].ID] > 0 {
			places, ranked = append(places, i), append(ranked, g)
		}
	}
	slices.SortStableFunc(ranked, func(a, b group) int {
		return cmp.Compare(scores[b.hits[0].ID], scores[a.hits[0].ID])
	})
	for i, place := range places {
		at := first[place].hits[0].Score // a score says the place, whoever gave it
		first[place] = ranked[i]
		first[place].hits = append([]row{first[place].hits[0]}, first[place].hits[1:]...)
		first[place].hits[0].Score = at
	}
	return ""
}

// rankable reports whether the semantic ranker can say anything of what a query shows: it knows whole words.
func rankable(q search.Query) bool {
	return q.Sort != search.ByChange && q.Skip < maxSemantic && plainWords(q.Text) != "" &&
		!slices.ContainsFunc(search.Terms(q.Text), func(t search.Term) bool { return t.Prefix })
}

// plainWords are the words of a query, without any syntax.
func plainWords(text string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !search.IsWordRune(r) }), " "))
}
