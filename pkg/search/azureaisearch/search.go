package azureaisearch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

const (
	maxHits    = 10_000 // maximum number of chunks that one search reads
	neighbours = 50     // number of chunks nearest to a vector; they are ranked together with the chunks found by words
)

// Search answers a query. It first requires all words. If no chunk has them all, it accepts any of the words. A query
// with a vector accepts any word from the start: some chunk is always nearest to the vector, and ranking by both puts
// the best matches first.
func (ix *Index) Search(ctx context.Context, q search.Query) (res search.Results, err error) {
	defer fault.Wrap(&err, "azureaisearch.Search")
	if err := q.Check(); err != nil {
		return res, err
	}
	terms := search.Terms(q.Text)
	hybrid := ix.isVector(q.Vector) && q.Sort != search.ByChange // a vector of another length is from another model
	if len(terms) == 0 && !hybrid {
		if q.Facets {
			res.Facets = new(search.Facets)
		}
		return res, nil
	}
	operators := []string{"AND", "OR"}
	if hybrid || len(terms) == 1 {
		operators = []string{"OR"}
	}
	for _, operator := range operators {
		s := searcher{ix: ix, query: q, expression: expression(terms, operator), hybrid: hybrid}
		if res, err = s.results(ctx); err != nil || res.Count > 0 {
			break
		}
	}
	return res, err
}

// searcher answers one query.
type searcher struct {
	ix         *Index
	query      search.Query
	expression string
	hybrid     bool
}

func (s searcher) results(ctx context.Context) (search.Results, error) {
	groups, count, estimated, err := s.groups(ctx)
	if err != nil {
		return search.Results{}, err
	}
	all := len(groups)
	if groups, err = s.ix.distinct(ctx, groups); err != nil {
		return search.Results{}, err
	}
	count -= all - len(groups)
	notes := []string{s.semantic(ctx, groups)}
	shown := groups[min(s.query.Skip, len(groups)):]
	shown = shown[:min(s.query.Top, len(shown))]
	if s.query.Sort == search.ByChange {
		notes = append(notes, noteOfChange)
	}
	if count == 0 && filter(s.query) == filter(search.Query{}) {
		notes = append(notes, noteOfWords)
	}
	res := search.Results{Count: count, Estimated: estimated,
		Note: strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "; ")}
	if s.query.Facets {
		res.Facets = facets(groups, count, s.query.Now)
	}
	if len(shown) == 0 {
		return res, nil
	}
	passages, err := s.passages(ctx, shown)
	if err != nil {
		return res, err
	}
	var images map[string][]search.Image
	if s.query.NestImages {
		if images, err = s.ix.service.images(ctx, shown); err != nil {
			return res, err
		}
	}
	for _, g := range shown {
		res.Results = append(res.Results, resultOf(g, passages, images[g.page]))
	}
	return res, nil
}

// noteOfWords is the note for a search that found nothing. Unlike the embedded index, this index does not correct
// words.
const noteOfWords = "nothing has these words; this index does not correct words that are misspelt"

// noteOfChange explains that sorting by change is approximate: when one chunk of a page changes, the other chunks are
// not written again and keep their old dates.
const noteOfChange = "sorted by when the passages found last changed, which may be earlier than when their pages did"

// groups returns as many of the best pages as are needed. It also returns the total number of pages, and whether the
// total is an estimate.
func (s searcher) groups(ctx context.Context) (groups []group, count int, estimated bool, err error) {
	q := s.hits()
	at := map[string]int{}
	needed := s.query.Skip + s.query.Top
	for {
		found, err := s.ix.service.query(ctx, q)
		if err != nil {
			return nil, 0, false, err
		}
		for _, h := range found.Value {
			i, known := at[h.ParentPageID]
			if !known {
				i = len(groups)
				at[h.ParentPageID] = i
				groups = append(groups, group{page: h.ParentPageID})
			}
			groups[i].hits = append(groups[i].hits, h)
		}
		q.Skip += len(found.Value)
		over := len(found.Value) == 0 || q.Skip >= found.Count
		if count == 0 && (over || q.Skip >= maxRows) {
			count, estimated = estimate(len(groups), q.Skip, found.Count), !over
		}
		if over || q.Skip >= maxRows && (len(groups) >= needed || q.Skip >= maxHits || s.hybrid) {
			s.sort(groups)
			return groups, max(count, len(groups)), estimated, nil
		}
	}
}

// sort sorts pages by score or by time of change, and equal pages by id. The service guarantees an order only within
// one answer.
func (s searcher) sort(groups []group) {
	slices.SortStableFunc(groups, func(a, b group) int {
		if s.query.Sort == search.ByChange {
			return cmp.Or(b.changed().Compare(a.changed()), strings.Compare(a.page, b.page))
		}
		return cmp.Or(cmp.Compare(b.hits[0].Score, a.hits[0].Score), strings.Compare(a.page, b.page))
	})
	if s.query.Sort == search.ByChange { // sort the chunks of each page, best first, as they are shown
		for _, g := range groups {
			slices.SortStableFunc(g.hits, func(a, b row) int { return cmp.Compare(b.Score, a.Score) })
		}
	}
}

// hits returns the query for the matching chunks. It requests scores that are comparable across the shards of the
// index. It sends the same words to the same replica, so that consecutive pages of results have no gaps
// (https://learn.microsoft.com/azure/search/index-similarity-and-scoring#scoring-statistics-and-sticky-sessions).
func (s searcher) hits() query {
	session := sha256.Sum256([]byte(s.expression))
	q := query{
		Search: s.expression, SearchFields: searchFields(s.query.Language), Filter: filter(s.query),
		OrderBy: "search.score() desc,parentPageId asc,id asc",
		Select:  "id,parentPageId,url,type,title,language,changedAt,publishedAt,group",
		Top:     maxRows, Count: true, ScoringStatistics: "global", SessionID: hex.EncodeToString(session[:8]),
	}
	if s.query.Facets {
		q.Select += ",host,tags"
	}
	if s.query.Sort == search.ByChange {
		q.OrderBy = "changedAt desc,parentPageId asc,id asc"
	}
	if s.hybrid {
		q.OrderBy = "" // an explicit order would replace the fused ranking
		q.VectorQueries = []vectorQuery{{Kind: "vector", Vector: s.query.Vector, Fields: "vector", K: neighbours}}
	}
	return q
}

func resultOf(g group, passages map[string]passage, images []search.Image) search.Result {
	best := g.hits[0]
	r := search.Result{ID: g.page, URL: best.URL, Type: best.Type, Title: best.Title, Language: best.Language,
		Score: best.Score, ChangedAt: g.changed(), PublishedAt: best.PublishedAt, Images: images}
	var others []search.Passage
	for _, h := range shownOf(g) {
		p, found := passages[h.ID]
		switch {
		case !found || p.title != best.Title: // the page was removed or changed in the meantime
		case len(p.Highlights) > 0:
			r.Passages = append(r.Passages, p.Passage)
		default:
			others = append(others, p.Passage)
		}
	}
	if len(r.Passages) == 0 { // only the title or a heading matched, but a result needs some text
		r.Passages = others[:min(len(others), 1)]
	}
	return r
}

// maxPassages limits the number of passages that are shown of one result.
const maxPassages = 3

// group is a page with its best chunks. The best chunk comes first.
type group struct {
	page string
	hits []row
}

// changed returns the latest time of change among the page's chunks that were found.
func (g group) changed() time.Time {
	return slices.MaxFunc(g.hits, func(a, b row) int { return a.ChangedAt.Compare(b.ChangedAt) }).ChangedAt
}

// shownOf returns the best chunks of a page that may be shown together. All have the title of the best chunk. Chunks
// with another title belong to a version of the page that is being replaced.
func shownOf(g group) []row {
	same := slices.DeleteFunc(slices.Clone(g.hits), func(h row) bool { return h.Title != g.hits[0].Title })
	return same[:min(len(same), maxPassages)]
}

// estimate extrapolates the number of all matching pages. The given numbers are those of the best chunks, of the
// pages that contain these chunks, and of all matching chunks.
func estimate(pages, chunks, all int) int {
	if chunks == 0 || all <= chunks {
		return pages
	}
	return int(int64(pages) * int64(all) / int64(chunks))
}

// facets counts the pages that were found. The service's own facets are not used, because they would count chunks. If
// not all chunks were fetched, the counts are estimates, like the count of pages.
func facets(groups []group, count int, now time.Time) *search.Facets {
	hosts, types, languages, ages := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	tags := map[string]int{}
	for _, g := range groups {
		best := g.hits[0]
		hosts[best.Host]++
		types[best.Type]++
		languages[best.Language]++
		ages[search.AgeOf(g.changed(), now)]++
		for _, t := range best.Tags {
			tags[t]++
		}
	}
	top := func(counts map[string]int) []search.Facet { return frequent(counts, len(groups), count) }
	return &search.Facets{Hosts: top(hosts), Tags: top(tags), Types: top(types), Languages: top(languages),
		Ages: top(ages)}
}

// frequent returns the most frequent values of the counted pages, and estimates of their counts among all matching
// pages.
func frequent(counts map[string]int, counted, all int) (list []search.Facet) {
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		if value != "" {
			list = append(list, search.Facet{Value: value, Count: estimate(counts[value], counted, all)})
		}
	}
	slices.SortStableFunc(list, func(a, b search.Facet) int { return cmp.Compare(b.Count, a.Count) })
	return list[:min(len(list), search.MaxFacets)]
}

// maxCompared limits the number of pages that one search compares, and so the number of its requests. A site may give
// the same canonical address for all of its pages.
const maxCompared = 5 * idsPerFilter

// distinct keeps one of the pages that form one result ([search.Page.Group]), and removes the others. Chunks have the
// group, but only the page's own document has the digest of the content. If chunks had the digest, a change to one
// chunk would rewrite all others. Therefore distinct requests the page documents if two of the pages have the same
// group.
func (ix *Index) distinct(ctx context.Context, pages []group) ([]group, error) {
	ids := sharing(pages)
	if len(ids) == 0 {
		return pages, nil
	}
	documents, err := ix.service.pageDocuments(ctx, ids[:min(len(ids), maxCompared)])
	if err != nil {
		return nil, err
	}
	type result struct{ group, content string }
	shown := map[result]row{}
	for _, d := range documents {
		r := result{d.Group, d.Content}
		best, other := shown[r]
		if !other ||
			cmp.Or(strings.Compare(d.Rank, best.Rank), strings.Compare(d.ParentPageID, best.ParentPageID)) < 0 {
			shown[r] = d
		}
	}
	return slices.DeleteFunc(pages, func(g group) bool {
		d, compared := documents[g.page]
		return compared && d.Group != "" && shown[result{d.Group, d.Content}].ParentPageID != g.page
	}), nil
}

// sharing returns the ids of the pages that share their group with another page.
func sharing(pages []group) (ids []string) {
	members := map[string]int{}
	for _, g := range pages {
		members[g.hits[0].Group]++
	}
	for _, g := range pages {
		if name := g.hits[0].Group; name != "" && members[name] > 1 {
			ids = append(ids, g.page)
		}
	}
	return ids
}

// pageDocuments returns the documents of pages, by page.
func (s *service) pageDocuments(ctx context.Context, ids []string) (map[string]row, error) {
	documents := map[string]row{}
	for part := range slices.Chunk(ids, idsPerFilter) {
		err := s.each(ctx, "kind eq 'page' and "+in("parentPageId", part), "id,parentPageId,group,rank,content",
			func(d row) { documents[d.ParentPageID] = d })
		if err != nil {
			return nil, err
		}
	}
	return documents, nil
}

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
