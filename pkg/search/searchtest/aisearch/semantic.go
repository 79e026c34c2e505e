package aisearch

import (
	"cmp"
	"slices"
	"strings"
)

const (
	semanticType = "semantic"
	maxReranked  = 50
	leastWait    = 700 // in milliseconds
)

// checkSemantic refuses requests that the semantic ranker does not accept: those with an order, without text, or with
// Lucene syntax (https://learn.microsoft.com/azure/search/semantic-how-to-query-request).
func (ix *index) checkSemantic(q searchRequest) error {
	known := ix.definition.Semantic != nil && slices.ContainsFunc(ix.definition.Semantic.Configurations,
		func(c configuration) bool { return c.Name == q.SemanticConfiguration })
	switch {
	case !known:
		return refuse("semanticConfiguration %q is not defined", q.SemanticConfiguration)
	case q.OrderBy != "":
		return refuse("orderby with queryType semantic")
	case q.Search == "" || q.Search == "*":
		return refuse("queryType semantic without search text")
	case strings.ContainsAny(q.Search, `"()+-|*~\\:^[]{}/!&`) || strings.ToLower(q.Search) != q.Search:
		return refuse("only plain words in lower case are known here with queryType semantic")
	case q.SemanticErrorHandling != "partial" && q.SemanticErrorHandling != "fail" && q.SemanticErrorHandling != "":
		return refuse("semanticErrorHandling %q", q.SemanticErrorHandling)
	case q.SemanticMaxWait != 0 && q.SemanticMaxWait < leastWait:
		return refuse("semanticMaxWaitInMilliseconds %d", q.SemanticMaxWait)
	}
	return nil
}

// rerank gives the first rows scores of 0 to 4 and sorts them. The service uses a model for the scores. This server
// uses the share of the title's words that occur in the query, because the resulting order differs from the original
// one.
func (ix *index) rerank(q searchRequest, answer map[string]any, partial string) {
	if partial != "" {
		answer["@search.semanticPartialResponseReason"] = partial
		answer["@search.semanticPartialResponseType"] = "baseResults"
		return
	}
	rows := answer["value"].([]any)
	first := rows[:min(maxReranked, len(rows))]
	score := func(row any) float64 { return row.(map[string]any)["@search.rerankerScore"].(float64) }
	for _, row := range first {
		row := row.(map[string]any)
		title, _ := ix.visible[row["id"].(string)].doc["title"].(string)
		words, asked := strings.Fields(strings.ToLower(title)), strings.Fields(q.Search)
		n := 0
		for _, w := range words {
			if slices.Contains(asked, w) {
				n++
			}
		}
		row["@search.rerankerScore"] = 4 * float64(n) / float64(max(1, len(words)))
	}
	slices.SortStableFunc(first, func(a, b any) int { return cmp.Compare(score(b), score(a)) })
}
