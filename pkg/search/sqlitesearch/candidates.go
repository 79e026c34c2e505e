package sqlitesearch

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// Of all chunks that match, those with the best marks are read, and ranked by what they say (score.go).

// bounds of what one query may cost.
type bounds struct {
	candidates int // chunks that are read
	ofPage     int // of one page
	alike      int // of those that are worth the same
	sampled    int // chunks that match, from which on their pages are estimated first
	exact      int // chunks that match, up to which all are looked up if their pages are few
	counted    int // pages that are counted
}

// enough is how many chunks have all words, if those that lack one are not looked for.
const enough = 100

var (
	usual      = bounds{candidates: 450, ofPage: 8, alike: 150, sampled: 4096, exact: 20_000, counted: 1000}
	everything = bounds{candidates: 300e9, ofPage: 1e9, alike: 1e9, sampled: 1e9, exact: 1e9, counted: 1e9}
)

// match is a chunk that matches, and what it is worth by its marks.
type match struct {
	hit   postings.Hit // its document
	chunk int64
	score float64
}

func (m match) page() int64 { return m.chunk >> slotBits }

// found is what the words of a query match.
type found struct {
	best []match // best first; all, unless they are too many
	// pages are those that match, or a part of them of which whole tells the number of all; complete that they are all.
	pages    []int64
	whole    float64
	complete bool
	lists    []list
}

// find looks for the chunks that match: those that have all words that say something, if there are few those that lack
// one, and if there are none those that have any. It gives so many of the best at least.
func (s *statement) find(ctx context.Context, most int) (found, error) {
	lists := make([]list, len(s.content))
	for i, t := range s.content {
		hits, err := s.words.hitsOf(t)
		if err != nil {
			return found{}, err
		}
		lists[i] = list{hits, t.idf}
	}
	slices.SortStableFunc(lists, func(a, b list) int { return cmp.Compare(len(a.hits), len(b.hits)) })
	f, err := s.matching(ctx, lists, len(lists), most)
	switch {
	case err != nil:
	case len(lists) > 1 && len(f.best) == 0:
		return s.matching(ctx, lists, 1, most)
	case len(lists) > 2 && len(f.best) < enough:
		return s.matching(ctx, lists, len(lists)-1, most)
	}
	return f, err
}

// list is where a term stands, and what it is worth by its rarity.
type list struct {
	hits []postings.Hit
	idf  float64
}

// matching finds the chunks that have so many of the terms.
func (s *statement) matching(ctx context.Context, lists []list, least, most int) (f found, err error) {
	f.lists = lists
	matches := join(lists, least)
	if err := s.addOthers(matches); err != nil {
		return f, err
	}
	conditions, _ := filters(s.query)
	if conditions == "" && len(matches) > s.bounds.sampled {
		// Neighbours are sampled, for those of one page are neighbours.
		sample, err := s.resolved(ctx, windows(matches, s.bounds.sampled))
		if err != nil {
			return f, err
		}
		f.pages, f.whole = pagesOfAll(sample), float64(len(matches))/float64(s.bounds.sampled)
		if n := len(f.pages); n > s.bounds.counted {
			f.pages, f.whole = spread(f.pages, s.bounds.counted), f.whole*float64(n)/float64(s.bounds.counted)
		}
		if many := float64(len(f.pages))*f.whole > 2*float64(s.bounds.counted); many || len(matches) > s.bounds.exact {
			f.best, err = s.bestResolved(ctx, matches, max(s.bounds.sampled, most))
			return f, err
		}
	}
	if matches, err = s.resolved(ctx, matches); err != nil {
		return f, err
	}
	f.pages = pagesOfAll(matches)
	f.best, f.whole = bestOf(matches, len(matches)), 1
	if n := len(f.pages); n > s.bounds.counted {
		f.pages, f.whole = spread(f.pages, s.bounds.counted), float64(n)/float64(s.bounds.counted)
	}
	f.complete = f.whole == 1
	return f, nil
}

// bestResolved are so many of the best, or fewer.
func (s *statement) bestResolved(ctx context.Context, matches []match, n int) ([]match, error) {
	best := bestOf(matches, n)
	slices.SortFunc(best, func(a, b match) int { return cmp.Compare(a.hit, b.hit) })
	best, err := s.resolved(ctx, best)
	return bestOf(best, len(best)), err
}

// join gives the documents that have at least so many of the terms, in their order.
func join(lists []list, least int) (matches []match) {
	var rarity float64
	rest := make([][]postings.Hit, len(lists))
	for i, l := range lists {
		rarity += l.idf
		rest[i] = l.hits
	}
	for {
		next := int64(-1)
		for i := range rest[:len(rest)-least+1] { // one of these has to have it
			if len(rest[i]) > 0 && (next < 0 || rest[i][0].Document() < next) {
				next = rest[i][0].Document()
			}
		}
		if next < 0 {
			return matches
		}
		have, m, covered := 0, match{hit: postings.NewHit(next, 0)}, 0.
		for i, l := range lists {
			if rest[i] = behind(rest[i], next); len(rest[i]) > 0 && rest[i][0].Document() == next {
				have++
				m.score += l.idf * worthOf(rest[i][0].Mark())
				covered += l.idf
				rest[i] = rest[i][1:]
			}
		}
		if have >= least {
			m.score *= coverage(covered, rarity)
			matches = append(matches, m)
		}
	}
}

// everywhere is the part of all chunks from which on a word is worth next to nothing.
const everywhere = .1

// addOthers adds what the words are worth that find nothing.
func (s *statement) addOthers(matches []match) error {
	for i, t := range s.terms {
		if s.says(i) || len(matches) <= s.bounds.candidates || t.df > s.words.chunks*everywhere {
			continue
		}
		hits, err := s.words.hitsOf(t)
		if err != nil {
			return err
		}
		for j := range matches {
			document := matches[j].hit.Document()
			if hits = behind(hits, document); len(hits) > 0 && hits[0].Document() == document {
				matches[j].score += t.idf * worthOf(hits[0].Mark())
			}
		}
	}
	return nil
}

// behind leaves out the hits before a document.
func behind(hits []postings.Hit, document int64) []postings.Hit {
	step := 1
	for step < len(hits) && hits[step].Document() < document {
		step *= 2
	}
	from, to := step/2, min(step+1, len(hits))
	if from >= to {
		return hits
	}
	at, _ := slices.BinarySearch(hits[from:to], postings.NewHit(document, 0))
	if from > 0 || at > 0 {
		return hits[from+at:]
	}
	return hits
}

// resolved leaves out what is gone and what does not pass the filters, and tells the others' chunks.
func (s *statement) resolved(ctx context.Context, matches []match) ([]match, error) {
	hits := make([]postings.Hit, len(matches))
	for i, m := range matches {
		hits[i] = m.hit
	}
	keys, err := s.words.postings.Keys(hits)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		matches[i].chunk = key
	}
	matches = slices.DeleteFunc(matches, func(m match) bool { return m.chunk == 0 })
	conditions, args := filters(s.query)
	if conditions == "" {
		return matches, nil
	}
	allowed, err := s.words.allowed(ctx, pagesOfAll(matches), conditions, args)
	return slices.DeleteFunc(matches, func(m match) bool { return !allowed[m.page()] }), err
}

// allowed are the pages that pass the filters. To ask for some by their rows costs about as much as to read so many
// times more in a row.
func (l *lexicon) allowed(ctx context.Context, pages []int64, conditions string, args []any) (map[int64]bool, error) {
	const scanned = 8
	query := "SELECT f.rowid FROM json_each(?) w CROSS JOIN pages f ON f.rowid = w.value WHERE TRUE" + conditions
	args = append([]any{asJSON(pages)}, args...)
	if len(pages)*scanned > int(l.pages) {
		query, args = "SELECT f.rowid FROM pages f WHERE TRUE"+conditions, args[1:]
	}
	rows, err := numbers(ctx, l.tx, query, args...)
	allowed := make(map[int64]bool, len(rows))
	for _, row := range rows {
		allowed[row] = true
	}
	return allowed, err
}

// pagesOfAll are the pages of matches, each once.
func pagesOfAll(matches []match) (pages []int64) {
	seen := map[int64]bool{}
	for _, m := range matches {
		if p := m.page(); (len(pages) == 0 || pages[len(pages)-1] != p) && !seen[p] {
			seen[p] = true
			pages = append(pages, p)
		}
	}
	return pages
}

// spread are so many of a list, evenly.
func spread[T any](all []T, n int) []T {
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// windows are so many matches, in sixteen runs of neighbours.
func windows(matches []match, n int) (some []match) {
	const runs = 16
	for i := range runs {
		from := i * len(matches) / runs
		some = append(some, matches[from:from+n/runs]...)
	}
	return some
}

// bestOf are the best of some matches, best first. Of more than are wanted those are sorted that may be among them.
func bestOf(matches []match, n int) []match {
	best := slices.Clone(matches)
	if n < len(best) {
		least := leastOf(best, n)
		best = slices.DeleteFunc(best, func(m match) bool { return m.score < least })
	}
	slices.SortFunc(best, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.hit, b.hit))
	})
	return best[:min(n, len(best))]
}

// leastOf is a score that so many matches have, and few more.
func leastOf(matches []match, n int) float64 {
	const steps = 4096
	var most float64
	for _, m := range matches {
		most = max(most, m.score)
	}
	if most == 0 {
		return 0
	}
	var counts [steps + 1]int
	for _, m := range matches {
		counts[int(m.score/most*steps)]++
	}
	step := steps
	for have := counts[step]; have < n && step > 0; have += counts[step] {
		step--
	}
	return float64(step) / steps * most * (1 - 1e-9)
}

// candidates are the chunks that are read: the best, but not too many of one page, nor of those that are worth exactly
// the same, which are copies.
func candidates(f found, most bounds) []int64 {
	var chunks []int64
	ofPage := map[int64]int{}
	alike, score := 0, 0.
	for _, m := range f.best {
		if len(chunks) == most.candidates {
			break
		}
		if alike++; m.score != score {
			alike, score = 1, m.score
		}
		if alike > most.alike {
			continue
		}
		if ofPage[m.page()]++; ofPage[m.page()] <= most.ofPage {
			chunks = append(chunks, m.chunk)
		}
	}
	slices.Sort(chunks)
	return chunks
}

// filters are the conditions on a page f that the query asks for.
func filters(q search.Query) (conditions string, args []any) {
	narrow := func(condition string, value any) {
		conditions += " AND f." + condition
		args = append(args, value)
	}
	for _, f := range []struct{ column, value string }{
		{"host", q.Host}, {"type", q.Type}, {"language", q.Language},
	} {
		if f.value != "" {
			narrow(f.column+" = ?", f.value)
		}
	}
	if q.Tag != "" {
		conditions += " AND instr(f.tags, ?)"
		args = append(args, tagLines([]string{q.Tag}))
	}
	if q.Path != "" {
		from, to := search.PathRange(q.Path)
		narrow("path >= ?", from)
		narrow("path < ?", to)
	}
	if !q.Since.IsZero() {
		narrow("changed_at >= ?", q.Since.Unix())
	}
	if !q.PublishedAfter.IsZero() {
		narrow("published_at >= ?", max(1, q.PublishedAfter.Unix()))
	}
	return conditions, args
}

// numbers reads the only column of a query.
func numbers(ctx context.Context, tx *sqlitefile.Statements, query string, args ...any) (all []int64, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}
