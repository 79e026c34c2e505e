package sqlitesearch

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
)

// maxPassages bounds the passages of one result.
const maxPassages = 3

// Search answers a query: chunks that have all of its words that say something first, any word when no chunk has
// them all. A query without words finds nothing. All is read at one moment, whatever is written meanwhile.
func (ix *Index) Search(ctx context.Context, q search.Query) (search.Results, error) {
	if err := q.Check(); err != nil {
		return search.Results{}, err
	}
	terms := parse(q.Text)
	if len(terms) == 0 {
		return search.Results{}, nil
	}
	res, err := ix.searchTerms(ctx, q, terms)
	return res, ix.fault("search", err)
}

// statement is one reading of a query.
type statement struct {
	words   lexicon
	tx      *sql.Tx
	bounds  bounds
	query   search.Query
	terms   []term
	content []term // those that pages are found by, rarest first
	// meantText is the query as it was meant, when words of it are not in the index; else "".
	meantText string
	near      []int64
	strange   int // vectors of another length than the query's
}

func (ix *Index) searchTerms(ctx context.Context, q search.Query, terms []term) (res search.Results, err error) {
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return res, err
	}
	defer tx.Rollback()
	s := &statement{words: lexicon{ix: ix, tx: tx}, tx: tx, bounds: ix.bounds, query: q, terms: terms}
	if err := s.weigh(ctx); err != nil {
		return res, err
	}
	if q.Sort == search.ByChange {
		return newest(ctx, s)
	}
	f, err := s.find(ctx)
	if err != nil {
		return res, err
	}
	if len(q.Vector) > 0 {
		if s.near, err = s.nearChunks(ctx); err != nil {
			return res, err
		}
		ix.warnOfLength(s)
	}
	pages, err := s.rank(ctx, f)
	if err != nil {
		return res, err
	}
	res.Count, res.Estimated, res.DidYouMean = len(pages), !f.complete, s.meantText
	if q.Facets {
		res.Facets = s.facets(pages, f.whole)
	}
	if !f.complete {
		res.Count = int(float64(len(pages)) * f.whole)
		if pages, err = s.more(ctx, f, pages); err != nil {
			return res, err
		}
		res.Count = max(res.Count, len(pages))
	}
	pages = pages[min(q.Skip, len(pages)):min(q.Skip+q.Top, len(pages))]
	res.Results, err = s.results(ctx, pages)
	return res, err
}

// weigh finds other forms of words, how often all are in the index, and which of them say something.
func (s *statement) weigh(ctx context.Context) (err error) {
	if s.words.totals, err = s.words.readTotals(ctx); err != nil {
		return err
	}
	if s.words.spoken, err = s.words.languages(ctx, s.query.Language); err != nil {
		return err
	}
	if s.terms, err = s.words.widen(ctx, s.terms); err != nil {
		return err
	}
	for i := range s.terms {
		if err := s.words.count(ctx, &s.terms[i]); err != nil {
			return err
		}
	}
	if s.meantText, err = s.correct(ctx); err != nil {
		return err
	}
	s.content = content(s.terms, s.words.totals.chunks)
	return nil
}

// count finds out how often a term is in the index.
func (l *lexicon) count(ctx context.Context, t *term) (err error) {
	if t.df, err = l.frequency(ctx, t.expression()); err != nil {
		return err
	}
	t.idf = math.Log(1 + (l.totals.chunks-min(t.df, l.totals.chunks)+.5)/(t.df+.5))
	return nil
}

// candidate is a page that is found.
type candidate struct {
	row                                        int64
	id, url, host, kind, title, language, same string
	tags                                       string
	place                                      int
	changed, published                         int64
	chunks                                     []chunkScore
	score                                      float64
	nearest                                    int // place of its nearest chunk, from 1; 0 for none
}

// rank reads what was found, and gives the pages, best first. Equal pages rank by id, so that paging
// neither repeats nor skips.
func (s *statement) rank(ctx context.Context, f found) ([]*candidate, error) {
	chunks := make([]int64, 0, len(f.chunks))
	for c := range f.chunks {
		chunks = append(chunks, c)
	}
	slices.Sort(chunks)
	byRow, err := s.pagesOf(ctx, chunks, s.near)
	if err != nil {
		return nil, err
	}
	if err := s.scoreChunks(ctx, chunks, byRow); err != nil {
		return nil, err
	}
	copies(byRow)
	for i, c := range s.near {
		if p := byRow[c>>slotBits]; p.nearest == 0 {
			p.nearest = i + 1
		}
	}
	pages := once(byRow)
	for _, p := range pages {
		p.score = s.pageScore(p)
	}
	if len(s.near) > 0 {
		fuse(pages)
	}
	slices.SortFunc(pages, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return pages, nil
}

// pagesOf reads the pages of chunks.
func (s *statement) pagesOf(ctx context.Context, lists ...[]int64) (map[int64]*candidate, error) {
	byRow := map[int64]*candidate{}
	var wanted []int64
	for _, chunk := range slices.Concat(lists...) {
		if row := chunk >> slotBits; byRow[row] == nil {
			byRow[row] = &candidate{row: row}
			wanted = append(wanted, row)
		}
	}
	rows, err := s.tx.QueryContext(ctx, `
SELECT rowid, id, url, host, type, title, language, same, place, changed_at, published_at, tags
FROM pages
WHERE rowid IN (SELECT value FROM json_each(?))`, asJSON(wanted))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p candidate
		if err := rows.Scan(&p.row, &p.id, &p.url, &p.host, &p.kind, &p.title, &p.language, &p.same, &p.place,
			&p.changed, &p.published, &p.tags); err != nil {
			return nil, err
		}
		*byRow[p.row] = p
	}
	return byRow, rows.Err()
}

// scoreChunks reads chunks and gives them their worth.
func (s *statement) scoreChunks(ctx context.Context, chunks []int64, byRow map[int64]*candidate) error {
	r := s.newScorer()
	rows, err := s.tx.QueryContext(ctx,
		"SELECT id, heading, body FROM chunks WHERE id IN (SELECT value FROM json_each(?))", asJSON(chunks))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var chunk int64
		var heading, body string
		if err := rows.Scan(&chunk, &heading, &body); err != nil {
			return err
		}
		p := byRow[chunk>>slotBits]
		p.chunks = append(p.chunks, r.score(chunk, p.title, heading, body))
	}
	return rows.Err()
}

// once leaves one page of those that are one result: the one with the least place, then the least id. It goes by
// the pages that match, not by all that the index holds, so a filter hides no page behind one that it leaves out.
func once(byRow map[int64]*candidate) []*candidate {
	bySame := map[string]*candidate{}
	for _, p := range byRow {
		other := bySame[p.same]
		if other == nil || cmp.Or(cmp.Compare(p.place, other.place), cmp.Compare(p.id, other.id)) < 0 {
			bySame[p.same] = p
		}
	}
	pages := make([]*candidate, 0, len(bySame))
	for _, p := range bySame {
		pages = append(pages, p)
	}
	return pages
}

// pageScore is that of the page's best chunk, and a little of what else it has.
func (s *statement) pageScore(p *candidate) float64 {
	if len(p.chunks) == 0 {
		return 0
	}
	slices.SortFunc(p.chunks, func(a, b chunkScore) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.chunk, b.chunk))
	})
	best := p.chunks[0]
	score := best.total
	for i, t := range s.terms {
		if !best.has[i] && slices.ContainsFunc(p.chunks, func(c chunkScore) bool { return c.has[i] }) {
			score += elsewhere * t.idf
		}
	}
	for _, c := range p.chunks[1:min(3, len(p.chunks))] {
		score += others * c.total
	}
	score *= 1 - shorter*float64(min(len(p.url), 300))
	if lists.MatchString(p.url) || lists.MatchString(p.title) {
		score *= listing
	}
	return score
}

// more adds the pages that were not read, unranked, where somebody pages so far.
func (s *statement) more(ctx context.Context, f found, pages []*candidate) ([]*candidate, error) {
	want := s.query.Skip + s.query.Top
	if want <= len(pages) || len(s.near) > 0 {
		return pages, nil
	}
	seen, last := map[string]bool{}, 0.
	for _, p := range pages {
		seen[p.same], last = true, p.score
	}
	h, err := s.hits(ctx, f.last, 1, min(want*8, 200_000))
	if err != nil {
		return nil, err
	}
	byRow, err := s.pagesOf(ctx, h.chunks)
	if err != nil {
		return nil, err
	}
	for _, c := range h.chunks {
		p := byRow[c>>slotBits]
		p.chunks = append(p.chunks[:0:0], chunkScore{chunk: c})
	}
	rest := once(byRow)
	slices.SortFunc(rest, func(a, b *candidate) int { return cmp.Compare(a.row, b.row) })
	for _, p := range rest {
		if !seen[p.same] {
			p.score = last
			pages = append(pages, p)
		}
	}
	return pages, nil
}

// results shows pages.
func (s *statement) results(ctx context.Context, pages []*candidate) ([]search.Result, error) {
	var chunks []int64
	for _, p := range pages {
		p.chunks = s.shown(p)
		for _, c := range p.chunks {
			chunks = append(chunks, c.chunk)
		}
	}
	passages, err := s.passages(ctx, chunks)
	if err != nil {
		return nil, err
	}
	results := make([]search.Result, len(pages))
	for i, p := range pages {
		r := &results[i]
		*r = search.Result{ID: p.id, URL: p.url, Type: p.kind, Title: p.title, Language: p.language, Score: p.score,
			ChangedAt: time.Unix(p.changed, 0).UTC()}
		if p.published != 0 {
			r.PublishedAt = time.Unix(p.published, 0).UTC()
		}
		r.Passages = chosen(p.chunks, s.near, passages)
		if s.query.NestImages {
			if r.Images, err = s.images(ctx, p.row); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// shown are the chunks of a page that say most, and those that are near.
func (s *statement) shown(p *candidate) []chunkScore {
	places := map[int64]float64{}
	slices.SortFunc(p.chunks, func(a, b chunkScore) int {
		return cmp.Or(cmp.Compare(b.said, a.said), cmp.Compare(a.chunk, b.chunk))
	})
	for i, c := range p.chunks {
		places[c.chunk] += 1 / float64(fusionK+i+1)
	}
	n := 0
	for _, c := range s.near {
		if c>>slotBits == p.row {
			n++
			places[c] += 1 / float64(fusionK+n)
		}
	}
	var all []chunkScore
	for c, score := range places {
		all = append(all, chunkScore{chunk: c, said: score})
	}
	slices.SortFunc(all, func(a, b chunkScore) int {
		return cmp.Or(cmp.Compare(b.said, a.said), cmp.Compare(a.chunk, b.chunk))
	})
	return all[:min(maxPassages, len(all))]
}

// chosen are the passages of one result: those in whose text a word was found, and those that are
// near. When only title or headings matched, the first is given without: a result without any text
// would puzzle.
func chosen(chunks []chunkScore, near []int64, passages map[int64]search.Passage) (chosen []search.Passage) {
	for _, c := range chunks {
		if p := passages[c.chunk]; len(p.Highlights) > 0 || slices.Contains(near, c.chunk) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 && len(chunks) > 0 {
		return []search.Passage{passages[chunks[0].chunk]}
	}
	return chosen
}

// passages reads what is shown of chunks.
func (s *statement) passages(ctx context.Context, chunks []int64) (map[int64]search.Passage, error) {
	rows, err := s.tx.QueryContext(ctx,
		"SELECT id, uid, heading, body, anchor FROM chunks WHERE id IN (SELECT value FROM json_each(?))", asJSON(chunks))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	passages := make(map[int64]search.Passage, len(chunks))
	r := s.newScorer()
	m := r.m
	var found scanned
	for rows.Next() {
		var chunk int64
		var p search.Passage
		var body string
		if err := rows.Scan(&chunk, &p.ChunkUID, &p.Heading, &body, &p.Anchor); err != nil {
			return nil, err
		}
		m.scan(body, &found)
		text, ranges := unseparatedRanges(body, s.marks(&found))
		p.Heading = unseparated(p.Heading)
		if p.Text, p.Highlights = text, ranges; !s.query.Whole {
			p.Text, p.Highlights = search.ExcerptAt(text, ranges, r.definesAt(text))
		}
		passages[chunk] = p
	}
	return passages, rows.Err()
}

// marks are the places of the words that say something; of a symbol that does not stand there, of its parts.
func (s *statement) marks(found *scanned) (ranges []search.Range) {
	for _, h := range found.hits {
		if s.says(h.term) {
			ranges = append(ranges, h.Range)
		}
	}
	for _, h := range found.single {
		if found.times[h.term] == 0 && s.says(h.term) {
			ranges = append(ranges, h.Range)
		}
	}
	slices.SortFunc(ranges, func(a, b search.Range) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To))
	})
	var apart []search.Range
	for _, r := range ranges {
		if n := len(apart); n > 0 && r.From < apart[n-1].To {
			apart[n-1].To = max(apart[n-1].To, r.To)
			continue
		}
		apart = append(apart, r)
	}
	return apart
}

// says reports whether a term is one that pages are found by.
func (s *statement) says(i int) bool {
	t := s.terms[i]
	return slices.ContainsFunc(s.content, func(c term) bool { return c.text == t.text && c.prefix == t.prefix })
}
