package azureaisearch

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
)

const (
	// maxSemantic is how many results the semantic ranker looks at
	// (https://learn.microsoft.com/azure/search/semantic-search-overview).
	maxSemantic = 50
	// semanticWait bounds, in milliseconds, what a search waits for it; the service allows no less than 700.
	semanticWait = 2000

	noteOfSemantic = "the semantic ranker did not answer, so these results are ranked by their words"
)

// semantic has the semantic ranker put the first pages in order, each by its best chunk, and tells if it could not. It
// takes neither our syntax nor an order, so it is asked apart, for the chunks that were found.
func (s seeking) semantic(ctx context.Context, groups []group) (note string) {
	asked := plainWords(s.query.Text)
	if !s.ix.semantic || s.query.Sort == search.ByChange || asked == "" || len(groups) < 2 {
		return ""
	}
	first := groups[:min(maxSemantic, len(groups))]
	ids := make([]string, len(first))
	for i, g := range first {
		ids[i] = g.hits[0].ID
	}
	found, err := s.ix.service.query(ctx, query{Search: asked, QueryType: "semantic", SemanticConfiguration: ranking,
		SemanticErrorHandling: "partial", SemanticMaxWait: semanticWait, Filter: in("id", ids), Select: "id",
		Top: maxSemantic})
	if err != nil || found.Partial != "" {
		return noteOfSemantic
	}
	scores := map[string]float64{}
	for _, h := range found.Value {
		scores[h.ID] = h.RerankerScore
	}
	// What the ranker was not given has less: it has none of the words as they are written.
	for i := range groups {
		groups[i].hits[0].Score = scores[groups[i].hits[0].ID]
	}
	slices.SortStableFunc(first, func(a, b group) int { return cmp.Compare(b.hits[0].Score, a.hits[0].Score) })
	return ""
}

// plainWords are the words of a query, without any syntax.
func plainWords(text string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !search.IsWordRune(r) }), " "))
}
