package sqlitesearch

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

const (
	maxPassages = 3   // of one result
	leastShown  = .25 // of what the first says a passage says at least
	// chunksOfResult is how many chunks are looked for, for each result that is wanted.
	chunksOfResult = 16
	// Of so many pages more chunks are read, and so many of each.
	firstPages, moreOfPage = 15, 4
)

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
	tx      *sqlitefile.Statements
	bounds  bounds
	query   search.Query
	terms   []term
	content []term // those that pages are found by, rarest first
	// meantText is the query as it was meant, when words of it are not in the index; else "".
	meantText string
	near      []int64
	signs     *signCache
	strange   int // vectors of another length than the query's
}

func (ix *Index) searchTerms(ctx context.Context, q search.Query, terms []term) (res search.Results, err error) {
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return res, err
	}
	defer tx.Rollback()
	s := &statement{tx: sqlitefile.NewStatements(tx), bounds: ix.bounds, query: q, terms: terms, signs: &ix.signs}
	if s.words, err = newLexicon(ctx, s.tx); err != nil {
		return res, err
	}
	if err := s.weigh(ctx); err != nil {
		return res, err
	}
	if q.Sort == search.ByChange {
		return newest(ctx, s)
	}
	f, err := s.find(ctx, chunksOfResult*(q.Skip+q.Top))
	if err != nil {
		return res, err
	}
	if len(q.Vector) > 0 {
		if s.near, err = s.nearChunks(ctx); err != nil {
			return res, err
		}
		ix.warnOfLength(s)
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
	pages = pages[min(q.Skip, len(pages)):min(q.Skip+q.Top, len(pages))]
	res.Results, err = s.results(ctx, pages)
	return res, err
}

// weigh finds other forms of words, how often all are in the index, and which of them say something.
func (s *statement) weigh(ctx context.Context) (err error) {
	if s.words.spoken, err = s.words.languages(ctx, s.query.Language); err != nil {
		return err
	}
	if s.terms, err = s.words.widen(ctx, s.terms); err != nil {
		return err
	}
	if err := s.words.lookUpTerms(s.terms...); err != nil {
		return err
	}
	for i := range s.terms {
		if err := s.words.count(&s.terms[i]); err != nil {
			return err
		}
	}
	if s.meantText, err = s.correct(ctx); err != nil {
		return err
	}
	s.content = content(s.terms, s.words.chunks)
	return nil
}

// count finds out how often a term is in the index.
func (l *lexicon) count(t *term) (err error) {
	if t.df, err = l.numberOf(t); err != nil {
		return err
	}
	t.idf = math.Log(1 + (l.chunks-min(t.df, l.chunks)+.5)/(t.df+.5))
	return nil
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

// shown are the chunks of a page that say most, unless that is little beside the first, and those that are near.
func (s *statement) shown(p *candidate) []chunkScore {
	places := map[int64]float64{}
	slices.SortFunc(p.chunks, func(a, b chunkScore) int {
		return cmp.Or(cmp.Compare(b.said, a.said), cmp.Compare(a.chunk, b.chunk))
	})
	most := 0.
	for i, c := range p.chunks {
		if c.aside || c.said < leastShown*most {
			continue
		}
		most = max(most, c.said)
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
