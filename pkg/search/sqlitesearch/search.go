package sqlitesearch

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
)

// How much a match in title, heading and body counts (bm25). Pages rank by the first. All chunks of a page
// have its title, and those of a section its heading, so that of them the shortest would be shown: by
// the second, those are that say something of it.
const (
	weights        = "10.0, 4.0, 1.0"
	passageWeights = "0.0, 0.2, 1.0"
)

// scores are both ranks of a hit; less is better.
const scores = "bm25(fts, " + weights + ") AS score, bm25(fts, " + passageWeights + ") AS said"

// maxPassages bounds the passages of one result.
const maxPassages = 3

// Search answers a query: all words first, any word when no chunk has them all. A query without
// words finds nothing. Count and results are read at one moment, whatever is written meanwhile.
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

func (ix *Index) searchTerms(ctx context.Context, q search.Query, terms []term) (search.Results, error) {
	tx, err := ix.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return search.Results{}, err
	}
	defer tx.Rollback()
	s := statement{tx: tx, query: q}
	if terms, err = s.widen(ctx, terms); err != nil {
		return search.Results{}, err
	}
	for _, operator := range []string{"AND", "OR"} {
		s.match, s.literal = expression(terms, operator), literal(terms, operator)
		count, err := s.count(ctx)
		if err != nil {
			return search.Results{}, err
		}
		if count == 0 && operator == "AND" && len(terms) > 1 {
			continue
		}
		if len(q.Vector) > 0 {
			if count, err = s.addNear(ctx); err != nil {
				return search.Results{}, err
			}
			ix.warnOfLength(s)
		}
		res := search.Results{Count: count}
		if res.Results, err = s.results(ctx); err == nil && q.Facets {
			res.Facets, err = s.facets(ctx)
		}
		return res, err
	}
	return search.Results{}, nil // Unreachable: the second round returns.
}

// statement is one reading of a query.
type statement struct {
	tx    *sql.Tx
	match string
	// literal is what was asked for to the letter, where match has other forms of words, too.
	literal string
	query   search.Query
	near    []int64 // chunks that the query's vector adds, nearest first
	// strange is how many vectors have another length than the query's.
	strange int
}

// from gives the hits of the query and the arguments of its placeholders. Pages are joined only
// when a filter needs them.
func (s statement) from() (clause string, args []any) {
	conditions, args := s.filters()
	if len(args) > 0 {
		return "FROM fts JOIN pages f ON f.rowid = (fts.rowid >> 16) WHERE fts MATCH ?" +
			conditions, append([]any{s.match}, args...)
	}
	return "FROM fts WHERE fts MATCH ?", []any{s.match}
}

// filters are the conditions on a page f that the query asks for.
func (s statement) filters() (conditions string, args []any) {
	narrow := func(condition string, value any) {
		conditions += " AND f." + condition
		args = append(args, value)
	}
	for _, f := range []struct{ column, value string }{
		{"host", s.query.Host}, {"type", s.query.Type}, {"language", s.query.Language},
	} {
		if f.value != "" {
			narrow(f.column+" = ?", f.value)
		}
	}
	if !s.query.Since.IsZero() {
		narrow("changed_at >= ?", s.query.Since.Unix())
	}
	if !s.query.PublishedAfter.IsZero() {
		narrow("published_at >= ?", max(1, s.query.PublishedAfter.Unix()))
	}
	return conditions, args
}

// pages gives the pages that match, each once, and the arguments of its placeholders.
func (s statement) pages() (query string, args []any) {
	from, args := s.from()
	query = "SELECT DISTINCT fts.rowid >> 16 AS page " + from
	if len(s.near) > 0 {
		query, args = query+" UNION SELECT value >> 16 FROM json_each(?)", append(args, asJSON(s.near))
	}
	return once("page", query), args
}

// once leaves one page of those that are one result: SQLite takes the other columns from the row that
// has the minimum (https://sqlite.org/lang_select.html#bareagg). It goes by the pages that match, not by
// all that the index holds, so a filter hides no page behind one that it leaves out.
func once(columns, pages string) string {
	return `SELECT ` + columns + ` FROM (SELECT u.*, min(p.place || ' ' || p.id) FROM (` + pages +
		`) u CROSS JOIN pages p ON p.rowid = u.page GROUP BY p.same)`
}

func (s statement) count(ctx context.Context) (n int, err error) {
	pages, args := s.pages()
	err = s.tx.QueryRowContext(ctx, "SELECT count(*) FROM ("+pages+")", args...).Scan(&n)
	return n, err
}

// matching gives the chunks that match and their pages with their best scores, as hits and scored. Both are
// materialized: bm25 can only be asked while the index is read, and hits are read again.
func (s statement) matching() (with string, args []any) {
	from, args := s.from()
	hits := "SELECT fts.rowid AS chunk, fts.rowid >> 16 AS page, " + scores + " " + from
	if s.literal != "" {
		// A form that is rare counts more than the word itself, by its rarity; who asked for the word
		// wants that first: in a text it counts like another form in a title.
		hits = `
SELECT chunk, page, score * CASE WHEN chunk IN (SELECT rowid FROM fts WHERE fts MATCH ?) THEN 10 ELSE 1 END AS score,
	said FROM (` + hits + `)`
		args = append([]any{s.literal}, args...)
	}
	return `
WITH hits AS MATERIALIZED (` + hits + `),
scored AS MATERIALIZED (SELECT page, min(score) AS score FROM hits GROUP BY page)`, args
}

// byWords ranks by words alone, and gives for each result the chunks that matched best. A page ranks
// by its best chunk; equal pages rank by id, so that paging neither repeats nor skips. What is
// known of pages is looked up once for each, not for each hit, and hits are not joined: that would
// make an index of all of them.
func (s statement) byWords() (query string, args []any) {
	with, args := s.matching()
	query = with + `,
matched AS MATERIALIZED (` + once("page, score", "SELECT page, score FROM scored") + `),
best AS MATERIALIZED (
	SELECT p.rowid AS page, p.id, p.url, p.title, p.type, p.language, m.score
	FROM matched m JOIN pages p ON p.rowid = m.page ORDER BY m.score, p.id LIMIT ? OFFSET ?
),
pieces AS (
	SELECT page, chunk, row_number() OVER (PARTITION BY page ORDER BY said, score, chunk) AS place
	FROM hits WHERE page IN (SELECT page FROM best)
)
SELECT b.id, b.url, b.title, b.type, b.language, -b.score, c.chunk
FROM pieces c JOIN best b ON b.page = c.page WHERE c.place <= ?
ORDER BY b.score, b.id, c.place`
	return query, append(args, s.query.Top, s.query.Skip, maxPassages)
}

// results reads one page of results.
func (s statement) results(ctx context.Context) ([]search.Result, error) {
	query, args := s.byWords()
	if len(s.near) > 0 {
		query, args = s.byBoth()
	}
	rows, err := s.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	results, chunks, err := scanResults(rows)
	if err != nil {
		return nil, err
	}
	shown, err := s.passages(ctx, chunks)
	if err != nil {
		return nil, err
	}
	for i := range results {
		results[i].Passages = s.chosen(chunks[i], shown)
		if !s.query.NestImages {
			continue
		}
		if results[i].Images, err = s.images(ctx, chunks[i][0]>>slotBits); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// scanResults reads results and, for each, the ids of its chunks.
func scanResults(rows *sql.Rows) (results []search.Result, chunks [][]int64, err error) {
	defer rows.Close()
	for rows.Next() {
		var r search.Result
		var chunk int64
		if err := rows.Scan(&r.ID, &r.URL, &r.Title, &r.Type, &r.Language, &r.Score, &chunk); err != nil {
			return nil, nil, err
		}
		if n := len(results); n == 0 || results[n-1].ID != r.ID {
			results, chunks = append(results, r), append(chunks, nil)
		}
		chunks[len(chunks)-1] = append(chunks[len(chunks)-1], chunk)
	}
	return results, chunks, rows.Err()
}

// chosen are the passages of one result: those in whose text a word was found, and those that are
// near. When only title or headings matched, the first is given without: a result without any text
// would puzzle.
func (s statement) chosen(chunks []int64, passages map[int64]search.Passage) (chosen []search.Passage) {
	for _, chunk := range chunks {
		if p := passages[chunk]; len(p.Highlights) > 0 || slices.Contains(s.near, chunk) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return []search.Passage{passages[chunks[0]]}
	}
	return chosen
}

// passages reads the passages of all results, by chunk. One pass over the hits does it (the + keeps
// the row ids out of the index's hands): a pass for each would look up a prefix as many times.
func (s statement) passages(ctx context.Context, results [][]int64) (map[int64]search.Passage, error) {
	const marked = `
SELECT c.id, c.uid, c.heading, highlight(fts, 2, ?, ?) FROM fts CROSS JOIN chunks c ON c.id = fts.rowid
WHERE fts MATCH ? AND +fts.rowid IN (SELECT value FROM json_each(?))`
	const plain = "SELECT id, uid, heading, body FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
	chunks := slices.Concat(results...)
	passages := make(map[int64]search.Passage, len(chunks))
	if err := s.addPassages(ctx, passages, marked, string(markOpen), string(markClose), s.match,
		asJSON(chunks)); err != nil {
		return nil, err
	}
	// What is left is near, without any of the words.
	chunks = slices.DeleteFunc(chunks, func(chunk int64) bool { _, found := passages[chunk]; return found })
	if len(chunks) == 0 {
		return passages, nil
	}
	return passages, s.addPassages(ctx, passages, plain, asJSON(chunks))
}

func (s statement) addPassages(ctx context.Context, to map[int64]search.Passage, query string, args ...any) error {
	rows, err := s.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var chunk int64
		var p search.Passage
		var text string
		if err := rows.Scan(&chunk, &p.ChunkUID, &p.Heading, &text); err != nil {
			return err
		}
		p.Heading = unseparated(p.Heading)
		p.Text, p.Highlights = search.Excerpt(readMarks(strings.ReplaceAll(text, string(separator), "")))
		to[chunk] = p
	}
	return rows.Err()
}
