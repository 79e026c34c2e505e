package sqlitesearch

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/tidemark/tidemark/pkg/search"
)

// FTS5 ranks every match or none, and what it ranks costs microseconds each. So it is only asked which chunks
// match, for a bounded number of steps, and the best of these are found by reading them (score.go). The chunks
// looked at are those that have all words of the query that say something; those that have most of them; and those
// of the pages that are called by them.

// bounds of what one query may cost.
type bounds struct {
	candidates int     // chunks that match all words
	relaxed    int     // chunks of each smaller set of words
	subsets    int     // smaller sets
	named      int     // pages that are called by the words
	namedHits  int     // chunks of each of these
	steps      float64 // rows of the rarest word that are passed over for one expression
}

var (
	usual      = bounds{candidates: 1000, relaxed: 250, subsets: 8, named: 8, namedHits: 16, steps: 60_000}
	everything = bounds{candidates: 1e9, relaxed: 1e9, subsets: 1e9, named: 1e9, namedHits: 1e9, steps: 1e12}
)

const (
	enough      = 100  // chunks that match all words, from which on no smaller set is looked for
	windowSteps = 8000 // rows that are passed over at once
)

// found is what the words of a query match.
type found struct {
	chunks map[int64]bool
	// complete says that these are all. If not, whole is the estimate of how many times more there are.
	complete bool
	whole    float64
	last     string // the expression of what there is more of
}

// find looks for the chunks that are worth reading.
func (s *statement) find(ctx context.Context) (f found, err error) {
	f = found{chunks: map[int64]bool{}, complete: true, whole: 1}
	words := s.content
	all, err := s.hits(ctx, expression(words, "AND"), words[0].df, s.bounds.candidates)
	if err != nil {
		return f, err
	}
	f.add(all, expression(words, "AND"))
	switch {
	case len(words) > 1 && len(all.chunks) == 0:
		err = s.anyOf(ctx, &f)
	case len(words) > 2 && len(all.chunks) < enough:
		err = s.mostOf(ctx, &f, len(words)-1)
	}
	if err != nil {
		return f, err
	}
	// A title is in all chunks of its page, so the pages that are called so are among those that were found.
	if all.complete && (len(words) == 1 || len(all.chunks) >= enough) {
		return f, nil
	}
	return f, s.addNamed(ctx, &f, len(all.chunks) > 0)
}

func (f *found) add(h hits, expr string) {
	for _, c := range h.chunks {
		f.chunks[c] = true
	}
	if !h.complete && f.complete {
		f.complete, f.whole, f.last = false, 1/max(h.covered, 1e-6), expr
	}
}

// anyOf finds what has most words, then those that have any.
func (s *statement) anyOf(ctx context.Context, f *found) error {
	for size := len(s.content) - 1; size > 1 && len(f.chunks) < enough; size-- {
		if err := s.mostOf(ctx, f, size); err != nil {
			return err
		}
	}
	var df float64
	for _, t := range s.content {
		df += t.df
	}
	if df <= float64(s.bounds.candidates) {
		h, err := s.hits(ctx, expression(s.content, "OR"), df, s.bounds.candidates)
		if err == nil {
			f.add(h, expression(s.content, "OR"))
		}
		return err
	}
	for _, t := range s.content {
		h, err := s.hits(ctx, t.expression(), t.df, s.bounds.relaxed)
		if err != nil {
			return err
		}
		f.add(h, expression(s.content, "OR"))
		if len(f.chunks) >= s.bounds.candidates {
			f.complete = false
			break
		}
	}
	return nil
}

// mostOf finds what has so many of the words, those sets first that lack the most frequent.
func (s *statement) mostOf(ctx context.Context, f *found, size int) error {
	n := 0
	for subset := range subsets(s.content, size) {
		if n++; n > s.bounds.subsets || len(f.chunks) >= s.bounds.candidates {
			break
		}
		h, err := s.hits(ctx, expression(subset, "AND"), subset[0].df, s.bounds.relaxed)
		if err != nil {
			return err
		}
		for _, c := range h.chunks {
			f.chunks[c] = true
		}
	}
	return nil
}

// subsets gives the sets of so many terms, in the order that keeps the first ones longest.
func subsets(terms []term, size int) func(func([]term) bool) {
	return func(yield func([]term) bool) {
		var walk func(from int, chosen []term) bool
		walk = func(from int, chosen []term) bool {
			if len(chosen) == size {
				return yield(slices.Clone(chosen))
			}
			for i := from; i <= len(terms)-(size-len(chosen)); i++ {
				if !walk(i+1, append(chosen, terms[i])) {
					return false
				}
			}
			return true
		}
		walk(0, make([]term, 0, size))
	}
}

// hits are the first chunks that match an expression, in the order of rows.
type hits struct {
	chunks   []int64
	complete bool
	covered  float64 // the part of the index that was looked at
}

// hits finds at most so many. df is how often the rarest word of it stands in the index: more rows than that need
// not be passed over.
func (s *statement) hits(ctx context.Context, expr string, df float64, most int) (h hits, err error) {
	pages := s.words.totals.pages
	window := pages
	if df > windowSteps {
		window = max(1, int64(windowSteps/df*float64(pages)))
	}
	var steps float64
	for from := int64(1); from <= pages; from += window {
		last, err := s.hitsAmong(ctx, &h, expr, from, from+window, most)
		if err != nil {
			return h, err
		}
		steps += df * float64(window) / float64(pages)
		end := from + window - 1
		if len(h.chunks) == most {
			end = last
		}
		h.covered = min(1, float64(end)/float64(pages))
		if len(h.chunks) == most || steps >= s.bounds.steps && end < pages {
			return h, nil
		}
	}
	h.covered, h.complete = 1, true
	return h, nil
}

// hitsAmong adds those among the pages from one row up to but without another, and gives the page of the last.
func (s *statement) hitsAmong(ctx context.Context, h *hits, expr string, from, to int64, most int) (last int64,
	err error) {
	conditions, args := s.filters()
	query := "SELECT fts.rowid FROM fts WHERE fts MATCH ? AND fts.rowid >= ? AND fts.rowid < ? LIMIT ?"
	if len(args) > 0 {
		query = "SELECT fts.rowid FROM fts CROSS JOIN pages f ON f.rowid = (fts.rowid >> 16) " +
			"WHERE fts MATCH ? AND fts.rowid >= ? AND fts.rowid < ?" + conditions + " LIMIT ?"
	}
	args = append(append([]any{expr, firstSlot(from), firstSlot(to)}, args...), most-len(h.chunks))
	rows, err := s.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var chunk int64
		if err := rows.Scan(&chunk); err != nil {
			return 0, err
		}
		h.chunks, last = append(h.chunks, chunk), chunk>>slotBits
	}
	return last, rows.Err()
}

// filters are the conditions on a page f that the query asks for.
func (s *statement) filters() (conditions string, args []any) {
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
	if s.query.Tag != "" {
		conditions += " AND instr(f.tags, ?)"
		args = append(args, tagLines([]string{s.query.Tag}))
	}
	if s.query.Path != "" {
		from, to := search.PathRange(s.query.Path)
		narrow("path >= ?", from)
		narrow("path < ?", to)
	}
	if !s.query.Since.IsZero() {
		narrow("changed_at >= ?", s.query.Since.Unix())
	}
	if !s.query.PublishedAfter.IsZero() {
		narrow("published_at >= ?", max(1, s.query.PublishedAfter.Unix()))
	}
	return conditions, args
}

// addNamed adds chunks of the pages that are called by the words: by all, or by any when no chunk has all.
func (s *statement) addNamed(ctx context.Context, f *found, all bool) error {
	var rare []term
	for _, t := range s.content {
		n, err := s.words.named(ctx, t.expression())
		if err != nil {
			return err
		}
		if n < maxNamedDF {
			rare = append(rare, t)
		}
	}
	operator := "OR"
	if all {
		operator = "AND"
		if len(rare) < len(s.content) {
			return nil
		}
	}
	if len(rare) == 0 {
		return nil
	}
	conditions, args := s.filters()
	query := "SELECT names.rowid FROM names CROSS JOIN pages f ON f.rowid = names.rowid WHERE names MATCH ?" + conditions +
		" ORDER BY bm25(names, 10.0, 3.0, 5.0), names.rowid LIMIT ?"
	args = append(append([]any{expression(rare, operator)}, args...), s.bounds.named)
	pages, err := numbers(ctx, s.tx, query, args...)
	if err != nil {
		return err
	}
	titled, err := s.titled(ctx)
	if err != nil {
		return err
	}
	pages = append(titled, slices.DeleteFunc(pages, func(p int64) bool { return slices.Contains(titled, p) })...)
	anyOf := expression(s.content, "OR")
	for i, page := range pages {
		most := s.bounds.namedHits
		if i < firstNamed { // those that are called so most of all
			most *= 4
		}
		for _, expr := range []string{anyOf, "{heading} : (" + anyOf + ")"} {
			chunks, err := numbers(ctx, s.tx, "SELECT rowid FROM fts WHERE fts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?", expr,
				firstSlot(page), lastSlot(page), most)
			if err != nil {
				return err
			}
			for _, c := range chunks {
				f.chunks[c] = true
			}
			if len(chunks) < most {
				break
			}
		}
	}
	return nil
}

// titled are the pages whose title has all words, the shortest titles first: those have the least else.
func (s *statement) titled(ctx context.Context) ([]int64, error) {
	conditions, args := s.filters()
	query := "SELECT names.rowid FROM names CROSS JOIN pages f ON f.rowid = names.rowid WHERE names MATCH ?" + conditions +
		" ORDER BY length(f.title), names.rowid LIMIT ?"
	args = append(append([]any{"{title} : (" + expression(s.content, "AND") + ")"}, args...), s.bounds.named/2)
	return numbers(ctx, s.tx, query, args...)
}

// firstNamed is how many pages are read more of.
const firstNamed = 4

// maxNamedDF is how many pages may be called by a word that pages are looked for by.
const maxNamedDF = 3000

// named counts the pages that are called by an expression, up to maxNamedDF.
func (l *lexicon) named(ctx context.Context, expr string) (n int, err error) {
	err = l.tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM names WHERE names MATCH ? LIMIT ?)", expr,
		maxNamedDF).Scan(&n)
	return n, err
}

// numbers reads the only column of a query.
func numbers(ctx context.Context, tx *sql.Tx, query string, args ...any) (all []int64, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n sql.NullInt64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n.Int64)
	}
	return all, rows.Err()
}
