package azureaisearch

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// Suggest returns titles that complete the typed text, best match first. It does not use the service's own
// suggesters. They need fields with a built-in analyzer
// (https://learn.microsoft.com/azure/search/index-add-suggesters), which the title does not have.
func (ix *Index) Suggest(ctx context.Context, typed string) (titles []string, err error) {
	defer fault.Wrap(&err, "azureaisearch.Suggest")
	if err := search.CheckTyped(typed); err != nil {
		return nil, err
	}
	terms := search.Terms(typed)
	if len(terms) == 0 {
		return nil, nil
	}
	terms[len(terms)-1].Prefix = true
	found, err := ix.service.query(ctx, query{Search: expression(terms, "AND"), SearchFields: "title",
		Filter: "kind eq 'page'", Select: "title", Top: 4 * search.MaxSuggestions})
	for _, d := range found.Value {
		same := func(t string) bool { return strings.EqualFold(t, d.Title) }
		if len(titles) < search.MaxSuggestions && !slices.ContainsFunc(titles, same) {
			titles = append(titles, d.Title)
		}
	}
	return titles, err
}
