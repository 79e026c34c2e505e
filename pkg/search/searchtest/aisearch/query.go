package aisearch

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// searchRequest is the body of a search (https://learn.microsoft.com/rest/api/searchservice/documents/search-post).
type searchRequest struct {
	Search            string        `json:"search"`
	QueryType         string        `json:"queryType"`
	SearchFields      string        `json:"searchFields"`
	Filter            string        `json:"filter"`
	OrderBy           string        `json:"orderby"`
	Select            string        `json:"select"`
	Top               *int          `json:"top"`
	Skip              int           `json:"skip"`
	Count             bool          `json:"count"`
	Highlight         string        `json:"highlight"`
	HighlightPreTag   string        `json:"highlightPreTag"`
	HighlightPostTag  string        `json:"highlightPostTag"`
	ScoringStatistics string        `json:"scoringStatistics"`
	SessionID         string        `json:"sessionId"`
	VectorQueries     []vectorQuery `json:"vectorQueries"`

	SemanticConfiguration string `json:"semanticConfiguration"`
	SemanticErrorHandling string `json:"semanticErrorHandling"`
	SemanticMaxWait       int    `json:"semanticMaxWaitInMilliseconds"`
}

type vectorQuery struct {
	Kind   string    `json:"kind"`
	Vector []float64 `json:"vector"`
	Fields string    `json:"fields"`
	K      int       `json:"k"`
}

// hit is a document that matches.
type hit struct {
	key   string
	doc   *indexed
	score float64
}

func (s *Server) search(ix *index, body []byte) (int, any, error) {
	var q searchRequest
	if err := decode(body, &q); err != nil {
		return 0, nil, err
	}
	op := "search"
	if q.QueryType == semanticType {
		op = semanticType
	}
	s.log = append(s.log, Request{Op: op})
	return s.around(op, func(Fault) (int, any, error) {
		status := http.StatusOK
		answer, err := ix.answer(q, cmp.Or(s.Page, maxTop))
		if err == nil && q.QueryType == semanticType {
			ix.rerank(q, answer, s.Partial)
			if s.Partial != "" { // see https://learn.microsoft.com/rest/api/searchservice/http-status-codes
				status = http.StatusPartialContent
			}
		}
		return status, answer, err
	})
}

// check refuses a request that exceeds the bounds or has no meaning.
func (ix *index) check(q searchRequest) error {
	switch {
	case q.Top != nil && *q.Top < 0 || q.Skip < 0 || q.Skip > maxSkip:
		return refuse("top %v, skip %d", q.Top, q.Skip)
	case q.QueryType != "full" && q.QueryType != semanticType:
		return refuse("queryType %q: only full and semantic are known here", q.QueryType)
	case q.QueryType == semanticType:
		if err := ix.checkSemantic(q); err != nil {
			return err
		}
	case q.SemanticConfiguration != "" || q.SemanticErrorHandling != "" || q.SemanticMaxWait != 0:
		return refuse("parameters of the semantic ranker in a query of type %q", q.QueryType)
	}
	switch {
	case len(q.Search) > 100_000:
		return refuse("the search clause is too long")
	case q.ScoringStatistics != "" && q.ScoringStatistics != "global" && q.ScoringStatistics != "local":
		return refuse("scoringStatistics %q", q.ScoringStatistics)
	case strings.HasPrefix(q.SessionID, "_"):
		return refuse("sessionId %q", q.SessionID)
	case len(q.VectorQueries) > 0 && q.OrderBy != "":
		return refuse("orderby undoes the ranking of a vector query")
	}
	for _, name := range append(list(q.SearchFields), list(q.Select)...) {
		if ix.definition.field(name) == nil {
			return refuse("Could not find a property named '%s'", name)
		}
	}
	for _, name := range list(q.Highlight) {
		if _, err := ix.definition.highlighting(name); err != nil {
			return err
		}
	}
	for _, name := range list(q.SearchFields) {
		if !ix.definition.field(name).Searchable {
			return refuse("The field '%s' is not searchable", name)
		}
	}
	for _, name := range list(q.Select) {
		if !ix.definition.field(name).Retrievable {
			return refuse("The field '%s' is not retrievable", name)
		}
	}
	return nil
}

func list(names string) []string {
	return strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })
}

func (ix *index) answer(q searchRequest, page int) (map[string]any, error) {
	if err := ix.check(q); err != nil {
		return nil, err
	}
	if q.QueryType == semanticType { // any of the plain words may match, as with searchMode any
		q.Search = strings.Join(strings.Fields(q.Search), " OR ")
	}
	keep, err := ix.filtered(q.Filter)
	if err != nil {
		return nil, err
	}
	m, hits, err := ix.found(q, keep)
	if err != nil {
		return nil, err
	}
	if err := ix.sort(hits, q.OrderBy); err != nil {
		return nil, err
	}
	count, top := len(hits), 50
	if q.Top != nil {
		top = *q.Top
	}
	hits = hits[min(q.Skip, len(hits)):]
	more := len(hits) > page && top > page
	hits = hits[:min(top, page, len(hits))]
	answer := map[string]any{"value": []any{}}
	if q.Count {
		answer["@odata.count"] = count
	}
	if more {
		answer["@odata.nextLink"] = "https://example.search.windows.net/more"
	}
	for _, h := range hits {
		answer["value"] = append(answer["value"].([]any), ix.row(h, q, m))
	}
	return answer, nil
}

func (ix *index) filtered(expression string) (filter, error) {
	if expression == "" {
		return func(document) bool { return true }, nil
	}
	return ix.definition.parseFilter(expression)
}

// found finds matches of text and vectors. If the request has both, found joins the matches by Reciprocal Rank Fusion
// (https://learn.microsoft.com/azure/search/hybrid-search-ranking).
func (ix *index) found(q searchRequest, keep filter) (*matches, []hit, error) {
	var m *matches
	var rankings [][]hit
	if q.Search != "" || len(q.VectorQueries) == 0 {
		var err error
		if m, err = ix.match(q.Search, list(q.SearchFields)); err != nil {
			return nil, nil, err
		}
		hits := slices.DeleteFunc(m.hits(), func(h hit) bool { return !keep(h.doc.doc) })
		rankings = append(rankings, hits)
	}
	for _, v := range q.VectorQueries {
		hits, err := ix.nearest(v, keep)
		if err != nil {
			return nil, nil, err
		}
		rankings = append(rankings, hits)
	}
	if len(rankings) == 1 {
		return m, rankings[0], nil
	}
	return m, fuse(rankings), nil
}

func fuse(rankings [][]hit) []hit {
	fused := map[string]hit{}
	for _, ranking := range rankings {
		byScore(ranking)
		for i, h := range ranking[:min(len(ranking), 1000)] {
			h.score = fused[h.key].score + 1/float64(60+i+1)
			fused[h.key] = h
		}
	}
	return slices.Collect(maps.Values(fused))
}

func byScore(hits []hit) {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key)) })
}

// sort sorts hits as requested. The service orders equal hits arbitrarily; here their order is descending by key.
func (ix *index) sort(hits []hit, orderBy string) error {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(b.key, a.key) })
	type order func(a, b hit) int
	var orders []order
	for part := range strings.SplitSeq(orderBy, ",") {
		name, direction, _ := strings.Cut(strings.TrimSpace(part), " ")
		sign := map[string]int{"asc": 1, "": 1, "desc": -1}[direction]
		f := ix.definition.field(name)
		switch {
		case name == "" || name == "search.score()":
			if name == "" {
				sign = -1
			}
			orders = append(orders, func(a, b hit) int { return sign * cmp.Compare(a.score, b.score) })
		case f == nil || !f.Sortable || sign == 0:
			return refuse("orderby %q", part)
		default:
			orders = append(orders, func(a, b hit) int {
				x, _ := a.doc.doc[name].(string)
				y, _ := b.doc.doc[name].(string)
				return sign * strings.Compare(x, y)
			})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		for _, o := range orders {
			if c := o(a, b); c != 0 {
				return c
			}
		}
		return 0
	})
	return nil
}

// row returns a hit as part of an answer.
func (ix *index) row(h hit, q searchRequest, m *matches) map[string]any {
	row := map[string]any{"@search.score": float32(h.score)}
	for _, f := range ix.definition.Fields {
		if f.Retrievable && (q.Select == "" || slices.Contains(list(q.Select), f.Name)) {
			row[f.Name] = h.doc.doc[f.Name]
		}
	}
	if m == nil {
		return row
	}
	marked := map[string]any{}
	for _, name := range list(q.Highlight) {
		field, _ := ix.definition.highlighting(name) // the name was checked before
		if fragments := ix.highlights(h, field.field, field.most, q, m); len(fragments) > 0 {
			marked[field.field] = fragments
		}
	}
	if len(marked) > 0 {
		row["@search.highlights"] = marked
	}
	return row
}
