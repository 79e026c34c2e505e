package sqlitesearch

import (
	"cmp"
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
)

// The chunks to read are those matching chunks whose words have the greatest impacts. They are then ranked by their
// texts (rank.go).

// enough is the number of chunks that must have all content terms. If fewer chunks have them all, chunks that lack
// one term also match.
const enough = 100

// Of two terms, the rarer one suffices if fewer than few chunks have both and it is rarer by the factor muchRarer. Then
// the other is a word such as "change" in "change the hostname".
const few, muchRarer = 20, 10

// found describes the chunks and pages that the words of a query match.
type found struct {
	best []match // matches, best first; if there are too many, only the best of them
	// Pages are all matching pages if complete is set, or else a sample of them. The estimated number of all matching
	// pages is whole times the length of the sample.
	pages    []int64
	whole    float64
	complete bool
	lists    []list
}

// find finds the matching chunks: those with all content terms; if these are few, also those that lack one term, of two
// terms only the far more common one; if there are none, those with any term. If very many chunks match, find may
// return only the best of them, but at least as many as the caller needs.
func (s *searcher) find(ctx context.Context, most int) (found, error) {
	lists := make([]list, len(s.ranked.Content))
	for i, t := range s.ranked.Content {
		hits, err := s.lexicon.hitsOf(t)
		if err != nil {
			return found{}, err
		}
		lists[i] = list{hits, t.IDF}
	}
	slices.SortStableFunc(lists, func(a, b list) int { return cmp.Compare(len(a.hits), len(b.hits)) })
	f, err := s.matching(ctx, lists, len(lists), most)
	switch {
	case err != nil:
	case len(lists) > 1 && len(f.best) == 0:
		return s.matching(ctx, lists, 1, most)
	case len(lists) == 2 && len(f.best) < few && len(lists[0].hits)*muchRarer < len(lists[1].hits):
		return s.matching(ctx, lists[:1], 1, most)
	case len(lists) > 2 && len(f.best) < enough:
		return s.matching(ctx, lists, len(lists)-1, most)
	}
	return f, err
}

// matching finds the chunks that have at least the given number of terms.
func (s *searcher) matching(ctx context.Context, lists []list, least, most int) (f found, err error) {
	f.lists = lists
	matches := join(lists, least)
	if err := s.addOthers(matches); err != nil {
		return f, err
	}
	conditions, _ := filters(s.query)
	if conditions == "" && len(matches) > s.bounds.sampled {
		// The sample consists of runs of neighbouring chunks, because the chunks of a page are neighbours.
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

// bestResolved finds the n best matches. It returns those of them whose chunk was not removed and passes the filters.
func (s *searcher) bestResolved(ctx context.Context, matches []match, n int) ([]match, error) {
	best := bestOf(matches, n)
	slices.SortFunc(best, func(a, b match) int { return cmp.Compare(a.hit, b.hit) })
	best, err := s.resolved(ctx, best)
	return bestOf(best, len(best)), err
}

// everywhere is a share of all chunks. A word that occurs in a greater share adds almost nothing to a score.
const everywhere = .1

// addOthers adds to each match the scores of the terms that only affect the ranking.
func (s *searcher) addOthers(matches []match) error {
	content := s.ranked.IsContent()
	for i, t := range s.ranked.Terms {
		if content[i] || len(matches) <= s.bounds.candidates || t.DF > s.lexicon.chunks*everywhere {
			continue
		}
		hits, err := s.lexicon.hitsOf(t)
		if err != nil {
			return err
		}
		for j := range matches {
			document := matches[j].hit.Document()
			if hits = postings.From(hits, document); len(hits) > 0 && hits[0].Document() == document {
				matches[j].score += t.IDF * ranking.Impact(hits[0].Impact()).Score()
			}
		}
	}
	return nil
}

// resolved looks up the chunks of matches. It drops matches whose chunk was removed or does not pass the filters.
func (s *searcher) resolved(ctx context.Context, matches []match) ([]match, error) {
	hits := make([]postings.Hit, len(matches))
	for i, m := range matches {
		hits[i] = m.hit
	}
	keys, err := s.lexicon.postings.Keys(hits)
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
	allowed, err := s.lexicon.allowed(ctx, pagesOfAll(matches), conditions, args)
	return slices.DeleteFunc(matches, func(m match) bool { return !allowed[m.page()] }), err
}

// allowed returns the pages that pass the filters. It either reads single rows by id or scans all rows in order,
// whichever is cheaper. Reading one row by its id costs about as much as scanning several.
func (l *lexicon) allowed(ctx context.Context, pages []int64, conditions string, args []any) (map[int64]bool, error) {
	const scanned = 8
	query := "SELECT f.rowid FROM json_each(?) w CROSS JOIN pages f ON f.rowid = w.value WHERE TRUE" + conditions
	args = append([]any{asJSON(pages)}, args...)
	if len(pages)*scanned > int(l.pages) {
		query, args = "SELECT f.rowid FROM pages f WHERE TRUE"+conditions, args[1:]
	}
	rows, err := column[int64](ctx, l.tx, query, args...)
	allowed := make(map[int64]bool, len(rows))
	for _, row := range rows {
		allowed[row] = true
	}
	return allowed, err
}

// pagesOfAll returns the pages of matches, without repeats.
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

// candidates returns the chunks to read. These are the best, but not too many of one page, and not too many with
// exactly equal scores, because such chunks are copies.
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

// bounds limits the cost of one query.
type bounds struct {
	candidates int // maximum number of chunks to read
	ofPage     int // maximum number of chunks to read of one page
	alike      int // maximum number of chunks with equal scores to read
	sampled    int // if more chunks match, the number of their pages is first estimated from a sample
	exact      int // up to this number, all matching chunks are looked up if they are on few pages
	counted    int // maximum number of pages to count
}

var (
	usual      = bounds{candidates: 450, ofPage: 8, alike: 150, sampled: 4096, exact: 20_000, counted: 1000}
	everything = bounds{candidates: 300e9, ofPage: 1e9, alike: 1e9, sampled: 1e9, exact: 1e9, counted: 1e9}
)

// filters returns the conditions that a query imposes on a row of the table "pages". The alias of this table in the
// statement must be f.
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
