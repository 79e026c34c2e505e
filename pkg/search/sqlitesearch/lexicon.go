package sqlitesearch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// lexicon looks up words in the index for one transaction, and caches the results.
type lexicon struct {
	tx       *sqlitefile.Statements
	postings *postings.Reader
	entries  map[string]postings.Entry   // entries of the words that were looked up
	begun    map[string][]postings.Entry // by prefix, the entries of the words that begin with it
	phrases  map[string][]postings.Hit
	hits     map[string][]postings.Hit // hits of a term, by its key
	chunks   float64
	pages    int64    // highest row id of a page
	tokens   float64  // average number of words in the body of a chunk
	spoken   []string // languages of the words that the index contains
}

const (
	// fewHits is the largest number of chunks that is counted exactly. A larger count includes removed chunks that
	// are still listed.
	fewHits = 64
	// maxBegun limits the number of entries that are read for a prefix. A word has one entry in each segment.
	maxBegun = 100_000
)

func newLexicon(ctx context.Context, tx *sqlitefile.Statements) (lexicon, error) {
	r, err := postings.NewReader(ctx, tx)
	if err != nil {
		return lexicon{}, err
	}
	totals := r.Totals()
	l := lexicon{tx: tx, postings: r, entries: map[string]postings.Entry{}, begun: map[string][]postings.Entry{},
		phrases: map[string][]postings.Hit{}, hits: map[string][]postings.Hit{},
		chunks: max(1, float64(totals.Documents)), tokens: max(1, totals.Length)}
	return l, tx.QueryRowContext(ctx, "SELECT coalesce(max(rowid), 0) FROM pages").Scan(&l.pages)
}

// termID looks up several words at once. This is cheaper than one by one.
func (l *lexicon) termID(words ...string) error {
	var unknown []string
	for _, w := range words {
		if w = postings.Clip(w); !slices.Contains(unknown, w) {
			if _, known := l.entries[w]; !known {
				unknown = append(unknown, w)
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	found, err := l.postings.Lookup(unknown...)
	for _, w := range unknown {
		l.entries[w] = found[w]
	}
	return err
}

// entry returns the entry of a word, which must have been looked up.
func (l *lexicon) entry(word string) postings.Entry { return l.entries[postings.Clip(word)] }

// termIDs looks up all words of terms.
func (l *lexicon) termIDs(terms ...ranking.Term) error {
	var words []string
	for _, t := range terms {
		words = append(words, t.Tokens...)
		for _, v := range t.Variants {
			words = append(words, strings.Fields(v)...)
		}
	}
	return l.termID(words...)
}

// phrase finds the chunks in which the words follow each other.
func (l *lexicon) phrase(words ...string) ([]postings.Hit, error) {
	key := strings.Join(words, " ")
	if hits, known := l.phrases[key]; known {
		return hits, nil
	}
	if err := l.termID(words...); err != nil {
		return nil, err
	}
	entries := make([]postings.Entry, len(words))
	for i, w := range words {
		if entries[i] = l.entry(w); entries[i].Documents == 0 {
			return nil, nil
		}
	}
	hits, err := l.postings.Phrase(entries)
	l.phrases[key] = hits
	return hits, err
}

// beginning finds the words that are longer than the prefix and begin with it.
func (l *lexicon) beginning(prefix string) ([]postings.Entry, error) {
	if all, known := l.begun[prefix]; known {
		return all, nil
	}
	found, err := l.postings.Prefix(prefix, maxBegun)
	all := make([]postings.Entry, 0, len(found))
	for _, e := range found {
		all = append(all, e)
	}
	l.begun[prefix] = all
	return all, err
}

// number returns the number of chunks in which the words follow each other. Small numbers are exact.
func (l *lexicon) number(words ...string) (float64, error) {
	return l.numberOf(ranking.Term{Tokens: words})
}

// numberOf returns the number of chunks that contain a term. For terms that may select pages, small numbers are
// exact.
func (l *lexicon) numberOf(t ranking.Term) (n float64, err error) {
	if err := l.termIDs(t); err != nil {
		return 0, err
	}
	if n, err = l.most(t); err != nil || t.FunctionWord || n == 0 || ranking.IsCommon(n, l.chunks) {
		return min(n, l.chunks), err
	}
	hits, err := l.hitsOf(t)
	if err != nil || len(hits) > fewHits {
		return float64(len(hits)), err
	}
	keys, err := l.postings.Keys(hits)
	return float64(len(slices.DeleteFunc(keys, func(key int64) bool { return key == 0 }))), err
}

// most returns an upper bound on the number of chunks that contain a term, without reading postings.
func (l *lexicon) most(t ranking.Term) (n float64, err error) {
	least := func(words []string) (least float64) {
		least = l.chunks
		for _, w := range words {
			least = min(least, float64(l.entry(w).Documents))
		}
		return least
	}
	n = least(t.Tokens)
	for _, v := range t.Variants {
		n += least(strings.Fields(v))
	}
	if t.Prefix {
		words, err := l.beginning(t.Tokens[len(t.Tokens)-1])
		if err != nil {
			return 0, err
		}
		for _, e := range words {
			n += float64(e.Documents)
		}
	}
	return n, nil
}

// hitsOf finds the chunks that contain a term. If a chunk contains several forms of the term, its hit has the
// greatest of their impacts.
func (l *lexicon) hitsOf(t ranking.Term) ([]postings.Hit, error) {
	key := keyOf(t)
	hits, known := l.hits[key]
	if known {
		return hits, nil
	}
	hits, err := l.findHits(t)
	if err == nil {
		l.hits[key] = hits
	}
	return hits, err
}

// keyOf returns a key that is the same for terms that match the same chunks with the same impacts.
func keyOf(t ranking.Term) string {
	return fmt.Sprintf("%t %t %s\n%s", t.Symbol, t.Prefix, strings.Join(t.Tokens, " "), strings.Join(t.Variants, "\n"))
}

func (l *lexicon) findHits(t ranking.Term) (hits []postings.Hit, err error) {
	last := len(t.Tokens) - 1
	switch {
	case t.Symbol:
		return l.allOf(t.Tokens)
	case t.Prefix && last > 0:
		if hits, err = l.phrase(t.Tokens[:last]...); err == nil {
			var ends []postings.Hit
			ends, err = l.hitsOf(ranking.Term{Tokens: t.Tokens[last:], Prefix: true})
			hits = postings.Intersect(hits, ends)
		}
	default:
		hits, err = l.phrase(t.Tokens...)
	}
	if err != nil {
		return nil, err
	}
	lists := [][]postings.Hit{hits}
	for _, v := range t.Variants {
		hits, err := l.phrase(strings.Fields(v)...)
		if err != nil {
			return nil, err
		}
		lists = append(lists, asForm(hits))
	}
	if t.Prefix && last == 0 {
		words, err := l.beginning(t.Tokens[0])
		if err != nil {
			return nil, err
		}
		for _, e := range words {
			hits, err := l.postings.Hits(e)
			if err != nil {
				return nil, err
			}
			lists = append(lists, hits)
		}
	}
	return postings.Union(lists), nil
}

// allOf finds the chunks that contain all words. Each hit has the smallest impact among these words.
func (l *lexicon) allOf(words []string) (hits []postings.Hit, err error) {
	for i, w := range words {
		more, err := l.phrase(w)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			hits = more
			continue
		}
		hits = postings.Intersect(hits, more)
	}
	return hits, nil
}

// asForm reduces the impacts of hits, because the chunks contain only another form of the query's word.
func asForm(hits []postings.Hit) []postings.Hit {
	out := make([]postings.Hit, len(hits))
	for i, h := range hits {
		out[i] = postings.NewHit(h.Document(), uint16(ranking.Impact(h.Impact()).OfForm()))
	}
	return out
}
