package sqlitesearch

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

const (
	// chunksOfResult is the number of chunks that are searched for each requested result.
	chunksOfResult = 16
	// For each of the first firstPages pages, moreOfPage more chunks are read.
	firstPages, moreOfPage = 15, 4
)

// Search answers a query. It finds the chunks that contain all content terms. If few chunks contain them all, it also
// finds those that lack one term. If no chunk contains them all, any term suffices. A query without words finds
// nothing. All reads are in one transaction and see one state.
func (ix *Index) Search(ctx context.Context, q search.Query) (search.Results, error) {
	if err := q.Check(); err != nil {
		return search.Results{}, err
	}
	terms := ranking.Parse(q.Text)
	if len(terms) == 0 {
		return search.Results{}, nil
	}
	res, err := ix.searchTerms(ctx, q, terms)
	return res, ix.fault("search", err)
}

// searcher answers a query within a transaction.
type searcher struct {
	lexicon lexicon
	tx      *sqlitefile.Statements
	bounds  bounds
	query   search.Query
	ranked  ranking.Query
	// corrected is the text of the query after misspelt words were replaced, or "" if no word was replaced.
	corrected    string
	near         []int64 // chunks nearest to the query's vector, nearest first
	signs        *signCache
	otherLengths int // number of vectors whose length differs from the query's
}

func (ix *Index) searchTerms(ctx context.Context, q search.Query, terms []ranking.Term) (search.Results, error) {
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return search.Results{}, err
	}
	defer tx.Rollback()
	s := &searcher{tx: sqlitefile.NewStatements(tx), bounds: ix.bounds, query: q, signs: &ix.signs}
	if s.lexicon, err = newLexicon(ctx, s.tx); err != nil {
		return search.Results{}, err
	}
	if err := s.weigh(ctx, terms); err != nil {
		return search.Results{}, err
	}
	if q.Sort == search.ByChange {
		return newest(ctx, s)
	}
	res, err := s.best(ctx)
	if s.otherLengths > 0 {
		ix.warnOfLength(s.otherLengths, len(q.Vector))
	}
	return res, err
}

// weigh finds the other forms of the terms and the frequencies of the terms, and selects the content terms.
func (s *searcher) weigh(ctx context.Context, terms []ranking.Term) (err error) {
	if s.lexicon.spoken, err = s.lexicon.languages(ctx, s.query.Language); err != nil {
		return err
	}
	if terms, err = s.lexicon.widen(ctx, terms); err != nil {
		return err
	}
	if err := s.lexicon.termIDs(terms...); err != nil {
		return err
	}
	for i := range terms {
		if err := s.lexicon.count(&terms[i]); err != nil {
			return err
		}
	}
	if s.corrected, err = s.lexicon.correct(ctx, s.query.Text, terms); err != nil {
		return err
	}
	s.ranked = ranking.Query{Terms: terms, Content: ranking.Content(terms, s.lexicon.chunks), Length: s.lexicon.tokens}
	return nil
}

// best answers a query by relevance.
func (s *searcher) best(ctx context.Context) (res search.Results, err error) {
	f, err := s.find(ctx, chunksOfResult*(s.query.Skip+s.query.Top))
	if err != nil {
		return res, err
	}
	if len(s.query.Vector) > 0 {
		if s.near, err = s.nearestChunks(ctx); err != nil {
			return res, err
		}
	}
	pages, err := s.rank(ctx, f, candidates(f, s.bounds))
	if err != nil {
		return res, err
	}
	if err := s.count(ctx, f, pages, &res); err != nil {
		return res, err
	}
	if pages, err = s.more(ctx, f, pages); err != nil {
		return res, err
	}
	pages = pages[min(s.query.Skip, len(pages)):min(s.query.Skip+s.query.Top, len(pages))]
	res.Results, err = s.results(ctx, pages)
	return res, err
}

// results converts ranked pages to results.
func (s *searcher) results(ctx context.Context, pages []*ranking.Page) ([]search.Result, error) {
	var chunks []int64
	shown := make([][]int64, len(pages))
	for i, p := range pages {
		shown[i] = p.Shown(s.nearOf(p))
		chunks = append(chunks, shown[i]...)
	}
	passages, err := s.passages(ctx, chunks)
	if err != nil {
		return nil, err
	}
	results := make([]search.Result, len(pages))
	for i, p := range pages {
		r := &results[i]
		*r = search.Result{ID: p.ID, URL: p.URL, Type: p.Type, Title: p.Title, Language: p.Language, Score: p.Score,
			ChangedAt: time.Unix(p.Changed, 0).UTC()}
		if p.Published != 0 {
			r.PublishedAt = time.Unix(p.Published, 0).UTC()
		}
		r.Passages = chosen(shown[i], s.near, passages)
		if s.query.NestImages {
			if r.Images, err = s.images(ctx, p.Row); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// nearOf returns the chunks of a page that are near to the query's vector.
func (s *searcher) nearOf(p *ranking.Page) (chunks []int64) {
	for _, c := range s.near {
		if c>>slotBits == p.Row {
			chunks = append(chunks, c)
		}
	}
	return chunks
}

// chosen returns the passages of one result: those whose text matches a word, and those that are near. If only the
// title or headings matched, it returns the first passage, because every result needs some text.
func chosen(chunks, near []int64, passages map[int64]search.Passage) (chosen []search.Passage) {
	for _, c := range chunks {
		if p := passages[c]; len(p.Highlights) > 0 || slices.Contains(near, c) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 && len(chunks) > 0 {
		return []search.Passage{passages[chunks[0]]}
	}
	return chosen
}

// passages reads the passages of chunks.
func (s *searcher) passages(ctx context.Context, chunks []int64) (map[int64]search.Passage, error) {
	passages := make(map[int64]search.Passage, len(chunks))
	r := ranking.NewScorer(s.ranked)
	var chunk int64
	var p search.Passage
	var body string
	for err := range s.tx.Rows(ctx,
		"SELECT id, uid, heading, body, anchor, zone FROM chunks WHERE id IN (SELECT value FROM json_each(?))",
		[]any{asJSON(chunks)}, &chunk, &p.ChunkUID, &p.Heading, &body, &p.Anchor, &p.Zone) {
		if err != nil {
			return nil, err
		}
		text, ranges := tokens.JoinRanges(body, r.Highlights(body))
		p.Heading = tokens.Join(p.Heading)
		if p.Text, p.Highlights = text, ranges; !s.query.Whole {
			p.Text, p.Highlights = search.ExcerptAt(text, ranges, r.DefinesAt(text))
		}
		passages[chunk] = p
	}
	return passages, nil
}

// images reads the images that are nested under a result.
func (s *searcher) images(ctx context.Context, page int64) ([]search.Image, error) {
	var images []search.Image
	var img search.Image
	for err := range s.tx.Rows(ctx,
		"SELECT id, src, alt, title, caption FROM images WHERE page = ? ORDER BY ordinal LIMIT ?",
		[]any{page, search.MaxNested}, &img.ID, &img.Src, &img.Alt, &img.Title, &img.Caption) {
		if err != nil {
			return nil, err
		}
		images = append(images, img)
	}
	return images, nil
}

const (
	maxSorted = 200_000 // maximum number of chunks whose pages are sorted by time of change
	maxRead   = 64      // maximum number of chunks to read of a page; the best of them are shown
)

// newest answers a query with pages that are sorted by time of change. The newest pages may be anywhere in the index,
// so newest looks up all matching chunks. But it reads only chunks of the pages that are shown.
func newest(ctx context.Context, s *searcher) (res search.Results, err error) {
	f, err := s.find(ctx, maxSorted)
	if err != nil {
		return res, err
	}
	chunks := make([]int64, len(f.best))
	for i, m := range f.best {
		chunks[i] = m.chunk
	}
	slices.Sort(chunks)
	byRow, err := s.pagesOf(ctx, chunks)
	if err != nil {
		return res, err
	}
	pages := ranking.Distinct(maps.Values(byRow))
	slices.SortFunc(pages, func(a, b *ranking.Page) int {
		return cmp.Or(cmp.Compare(b.Changed, a.Changed), cmp.Compare(a.ID, b.ID))
	})
	if err := s.count(ctx, f, pages, &res); err != nil {
		return res, err
	}
	pages = pages[min(s.query.Skip, len(pages)):min(s.query.Skip+s.query.Top, len(pages))]
	if err := s.scoreChunks(ctx, chunksOf(pages, chunks), byRow); err != nil {
		return res, err
	}
	for _, p := range pages {
		s.ranked.ScorePage(p)
	}
	res.Results, err = s.results(ctx, pages)
	return res, err
}

// chunksOf returns the first few chunks of each page.
func chunksOf(pages []*ranking.Page, chunks []int64) (some []int64) {
	shown := map[int64]int{}
	for _, p := range pages {
		shown[p.Row] = maxRead
	}
	for _, c := range chunks {
		if row := c >> slotBits; shown[row] > 0 {
			shown[row]--
			some = append(some, c)
		}
	}
	return some
}

// count sets the number of matching pages, and the facets if the query requests them. If there are more pages than
// [bounds] allows, the number and the facets are estimates.
func (s *searcher) count(ctx context.Context, f found, ranked []*ranking.Page, res *search.Results) error {
	res.Estimated, res.DidYouMean = !f.complete, s.corrected
	rows, known := f.pages, map[int64]bool{}
	if !f.complete && !s.query.Facets {
		res.Count = max(int(math.Round(float64(len(rows))*f.whole)), len(ranked))
		return nil
	}
	if f.complete {
		for _, row := range rows {
			known[row] = true
		}
		for _, c := range s.near {
			if row := c >> slotBits; !known[row] {
				known[row] = true
				rows = append(rows, row)
			}
		}
	}
	if !s.query.Facets { // at this point, all pages are known
		const distinct = "SELECT count(DISTINCT p.same) FROM json_each(?) w CROSS JOIN pages p ON p.rowid = w.value"
		return s.tx.QueryRowContext(ctx, distinct, asJSON(rows)).Scan(&res.Count)
	}
	pages, err := values(ctx, s.tx, rows)
	if err != nil {
		return err
	}
	res.Count = max(int(math.Round(float64(len(pages))*f.whole)), len(ranked))
	res.Facets = facets(pages, f.whole, s.query.Now)
	return nil
}

// values reads the values for facets. It keeps only one of the pages that form one result.
func values(ctx context.Context, tx *sqlitefile.Statements, rows []int64) ([]*ranking.Page, error) {
	byRow := make(map[int64]*ranking.Page, len(rows))
	var p ranking.Page
	for err := range tx.Rows(ctx, "SELECT p.rowid, p.same, p.place, p.id, p.host, p.type, p.language, p.tags, "+
		"p.changed_at FROM json_each(?) w CROSS JOIN pages p ON p.rowid = w.value", []any{asJSON(rows)},
		&p.Row, &p.Same, &p.Precedence, &p.ID, &p.Host, &p.Type, &p.Language, &p.Tags, &p.Changed) {
		if err != nil {
			return nil, err
		}
		one := p
		byRow[p.Row] = &one
	}
	return ranking.Distinct(maps.Values(byRow)), nil
}

// facets counts the matching pages by each of their values. Each count is multiplied by whole, because the pages that
// were read may be only a sample.
func facets(pages []*ranking.Page, whole float64, now time.Time) *search.Facets {
	now = now.Truncate(time.Second) // the precision of stored times
	of := func(value func(*ranking.Page) string) []search.Facet {
		counts := map[string]int{}
		for _, p := range pages {
			for v := range strings.SplitSeq(value(p), "\n") {
				counts[v]++
			}
		}
		delete(counts, "")
		facets := make([]search.Facet, 0, len(counts))
		for v, n := range counts {
			facets = append(facets, search.Facet{Value: v, Count: int(math.Round(float64(n) * whole))})
		}
		slices.SortFunc(facets, func(a, b search.Facet) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
		})
		if len(facets) == 0 {
			return nil
		}
		return facets[:min(search.MaxFacets, len(facets))]
	}
	return &search.Facets{
		Hosts:     of(func(p *ranking.Page) string { return p.Host }),
		Tags:      of(func(p *ranking.Page) string { return p.Tags }),
		Types:     of(func(p *ranking.Page) string { return p.Type }),
		Languages: of(func(p *ranking.Page) string { return p.Language }),
		Ages:      of(func(p *ranking.Page) string { return search.AgeOf(time.Unix(p.Changed, 0), now) }),
	}
}
