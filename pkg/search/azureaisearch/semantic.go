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
	// maxSemantic limits the number of results that the semantic ranker reads
	// (https://learn.microsoft.com/azure/search/semantic-search-overview).
	maxSemantic = 50
	// semanticWait is the time, in milliseconds, that a search allows the semantic ranker. The service requires at
	// least 700.
	semanticWait = 2000
	// semanticTimeout limits the whole call to the semantic ranker, including its retries.
	semanticTimeout = 3 * time.Second

	noteOfSemantic = "the semantic ranker gave no order, so these results are ranked by their words; it may be busy, or " +
		"not be enabled in the search service"
)

// semantic lets the semantic ranker sort the pages of the first results. The best chunk of a page decides. If the
// ranker could not sort them, semantic returns a note. The ranker accepts neither the syntax of [expression] nor an
// explicit order, so semantic sends a separate request that is limited to the chunks that were found. Pages without a
// score from the ranker, such as those that only a vector found, keep their positions.
func (s searcher) semantic(ctx context.Context, groups []group) (note string) {
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
		SemanticConfiguration: profile, SemanticErrorHandling: "partial", SemanticMaxWait: semanticWait,
		Filter: in("id", ids), Select: "id", Top: maxSemantic})
	if err != nil || found.Partial != "" {
		return noteOfSemantic
	}
	scores := map[string]float64{}
	for _, h := range found.Value {
		scores[h.ID] = h.RerankerScore
	}
	var positions []int
	var ranked []group
	for i, g := range first {
		if scores[g.hits[0].ID] > 0 {
			positions, ranked = append(positions, i), append(ranked, g)
		}
	}
	slices.SortStableFunc(ranked, func(a, b group) int {
		return cmp.Compare(scores[b.hits[0].ID], scores[a.hits[0].ID])
	})
	for i, at := range positions {
		score := first[at].hits[0].Score // scores stay in descending order, whichever ranker sorted the pages
		first[at] = ranked[i]
		first[at].hits = append([]row{first[at].hits[0]}, first[at].hits[1:]...)
		first[at].hits[0].Score = score
	}
	return ""
}

// rankable reports whether the semantic ranker can improve a query's results: it handles only whole words.
func rankable(q search.Query) bool {
	return q.Sort != search.ByChange && q.Skip < maxSemantic && plainWords(q.Text) != "" &&
		!slices.ContainsFunc(search.Terms(q.Text), func(t search.Term) bool { return t.Prefix })
}

// plainWords returns the words of a query, without any syntax.
func plainWords(text string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !search.IsWordRune(r) }), " "))
}
