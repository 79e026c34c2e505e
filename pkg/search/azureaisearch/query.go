package azureaisearch

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// query is a search in its wire form (https://learn.microsoft.com/rest/api/searchservice/documents/search-post).
type query struct {
	Search            string        `json:"search,omitempty"`
	QueryType         string        `json:"queryType"`
	SearchFields      string        `json:"searchFields,omitempty"`
	Filter            string        `json:"filter,omitempty"`
	OrderBy           string        `json:"orderby,omitempty"`
	Select            string        `json:"select,omitempty"`
	Top               int           `json:"top"`
	Skip              int           `json:"skip,omitempty"`
	Count             bool          `json:"count,omitempty"`
	Highlight         string        `json:"highlight,omitempty"`
	HighlightPreTag   string        `json:"highlightPreTag,omitempty"`
	HighlightPostTag  string        `json:"highlightPostTag,omitempty"`
	ScoringStatistics string        `json:"scoringStatistics,omitempty"`
	SessionID         string        `json:"sessionId,omitempty"`
	VectorQueries     []vectorQuery `json:"vectorQueries,omitempty"`
	// Only the semantic ranker uses the fields below.
	SemanticConfiguration string `json:"semanticConfiguration,omitempty"`
	SemanticErrorHandling string `json:"semanticErrorHandling,omitempty"`
	SemanticMaxWait       int    `json:"semanticMaxWaitInMilliseconds,omitempty"`
}

type vectorQuery struct {
	Kind   string    `json:"kind"`
	Vector []float32 `json:"vector"`
	Fields string    `json:"fields"`
	K      int       `json:"k"`
}

// row is a document in an answer, with the fields that the query selected.
type row struct {
	Score float64 `json:"@search.score"`
	// RerankerScore is the score of the semantic ranker, 0 to 4.
	RerankerScore float64             `json:"@search.rerankerScore"`
	Highlights    map[string][]string `json:"@search.highlights"`
	ID            string              `json:"id"`
	ParentPageID  string              `json:"parentPageId"`
	Kind          string              `json:"kind"`
	UID           string              `json:"uid"`
	Anchor        string              `json:"anchor"`
	Zone          string              `json:"zone"`
	URL           string              `json:"url"`
	Title         string              `json:"title"`
	Language      string              `json:"language"`
	Host          string              `json:"host"`
	Type          string              `json:"type"`
	ChangedAt     time.Time           `json:"changedAt"`
	PublishedAt   time.Time           `json:"publishedAt"`
	Heading       string              `json:"heading"`
	Text          string              `json:"text"`
	Images        []string            `json:"images"`
	Tags          []string            `json:"tags"`
	Src           string              `json:"src"`
	Alt           string              `json:"alt"`
	Caption       string              `json:"caption"`
	Group         string              `json:"group"`
	Rank          string              `json:"rank"`
	Content       string              `json:"content"`
}

// answer is one page of search results.
type answer struct {
	Count int    `json:"@odata.count"`
	Next  string `json:"@odata.nextLink"` // set if the answer is incomplete
	Value []row  `json:"value"`
	// Partial is the reason why the semantic ranker did not rank the results.
	Partial string `json:"@search.semanticPartialResponseReason"`
}

// maxRows is the maximum number of documents in an answer.
const maxRows = 1000

func (s *service) query(ctx context.Context, q query) (found answer, err error) {
	q.QueryType = cmp.Or(q.QueryType, "full")
	_, err = s.call(ctx, request{method: http.MethodPost, path: "/docs/search.post.search", body: encode(q)}, &found)
	return found, err
}

// each calls the given function for every document that passes a filter, in the order of keys. It requests ranges of
// keys instead of skipping documents, because the service skips at most 100,000.
func (s *service) each(ctx context.Context, filter, fields string, do func(row)) error {
	from := ""
	for {
		q := query{Search: "*", Filter: filter, OrderBy: "id asc", Select: fields, Top: maxRows}
		if from != "" {
			q.Filter += " and id gt '" + from + "'"
		}
		found, err := s.query(ctx, q)
		if err != nil {
			return err
		}
		for _, d := range found.Value {
			do(d)
			from = d.ID
		}
		if len(found.Value) == 0 || len(found.Value) < maxRows && found.Next == "" {
			return nil
		}
	}
}

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
