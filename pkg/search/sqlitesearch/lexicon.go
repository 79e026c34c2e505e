package sqlitesearch

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// lexicon is what the index knows of words, at one moment.
type lexicon struct {
	tx       *sqlitefile.Statements
	postings *postings.Reader
	entries  map[string]postings.Entry   // of words that were looked up
	begun    map[string][]postings.Entry // of the words that begin so
	phrases  map[string][]postings.Hit
	chunks   float64
	pages    int64    // the last row of a page
	tokens   float64  // of the body of a chunk, on average
	spoken   []string // languages whose words are known
}

const (
	// fewHits is how many chunks are counted. Of more, those are counted, too, that left the index and not yet its lists.
	fewHits = 64
	// maxBegun bounds what is looked at of a prefix: words, once for each segment.
	maxBegun = 100_000
)

func newLexicon(ctx context.Context, tx *sqlitefile.Statements) (lexicon, error) {
	r, err := postings.NewReader(ctx, tx)
	if err != nil {
		return lexicon{}, err
	}
	totals := r.Totals()
	l := lexicon{tx: tx, postings: r, entries: map[string]postings.Entry{}, begun: map[string][]postings.Entry{},
		phrases: map[string][]postings.Hit{}, chunks: max(1, float64(totals.Documents)), tokens: max(1, totals.Length)}
	return l, tx.QueryRowContext(ctx, "SELECT coalesce(max(rowid), 0) FROM pages").Scan(&l.pages)
}

// lookUp finds words together, which costs less than one by one.
func (l *lexicon) lookUp(words ...string) error {
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

// entry is what is known of a word that was looked up.
func (l *lexicon) entry(word string) postings.Entry { return l.entries[postings.Clip(word)] }

// lookUpTerms finds all words of terms.
func (l *lexicon) lookUpTerms(terms ...term) error {
	var words []string
	for _, t := range terms {
		words = append(words, t.tokens...)
		for _, v := range t.variants {
			words = append(words, strings.Fields(v)...)
		}
	}
	return l.lookUp(words...)
}

// phrase finds the chunks where words stand side by side.
func (l *lexicon) phrase(words ...string) ([]postings.Hit, error) {
	key := strings.Join(words, " ")
	if hits, known := l.phrases[key]; known {
		return hits, nil
	}
	if err := l.lookUp(words...); err != nil {
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

// beginning finds the words that begin so, and go on.
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

// number is how many chunks have words side by side: exact if they are few.
func (l *lexicon) number(words ...string) (float64, error) {
	return l.numberOf(&term{tokens: words})
}

// numberOf is how many chunks have a term: exact for one that pages may be found by, unless that are many.
func (l *lexicon) numberOf(t *term) (n float64, err error) {
	if err := l.lookUpTerms(*t); err != nil {
		return 0, err
	}
	if n, err = l.most(*t); err != nil || t.empty || n == 0 || n > max(fewest, l.chunks*common) {
		return min(n, l.chunks), err
	}
	if t.hits, err = l.hitsOf(*t); err != nil || len(t.hits) > fewHits {
		return float64(len(t.hits)), err
	}
	keys, err := l.postings.Keys(t.hits)
	return float64(len(slices.DeleteFunc(keys, func(key int64) bool { return key == 0 }))), err
}

// most is how many chunks may have a term, without reading where.
func (l *lexicon) most(t term) (n float64, err error) {
	least := func(words []string) (least float64) {
		least = l.chunks
		for _, w := range words {
			least = min(least, float64(l.entry(w).Documents))
		}
		return least
	}
	n = least(t.tokens)
	for _, v := range t.variants {
		n += least(strings.Fields(v))
	}
	if t.prefix {
		words, err := l.beginning(t.tokens[len(t.tokens)-1])
		if err != nil {
			return 0, err
		}
		for _, e := range words {
			n += float64(e.Documents)
		}
	}
	return n, nil
}

// hitsOf finds the chunks that have a term, each with the best mark of it.
func (l *lexicon) hitsOf(t term) (hits []postings.Hit, err error) {
	if t.hits != nil {
		return t.hits, nil
	}
	last := len(t.tokens) - 1
	switch {
	case t.symbol:
		return l.allOf(t.tokens)
	case t.prefix && last > 0:
		if hits, err = l.phrase(t.tokens[:last]...); err == nil {
			var ends []postings.Hit
			ends, err = l.hitsOf(term{tokens: t.tokens[last:], prefix: true})
			hits = inBoth(hits, ends)
		}
	default:
		hits, err = l.phrase(t.tokens...)
	}
	if err != nil {
		return nil, err
	}
	lists := [][]postings.Hit{hits}
	for _, v := range t.variants {
		hits, err := l.phrase(strings.Fields(v)...)
		if err != nil {
			return nil, err
		}
		lists = append(lists, lessened(hits))
	}
	if t.prefix && last == 0 {
		words, err := l.beginning(t.tokens[0])
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
	return union(lists), nil
}

// allOf finds the chunks that have all words, with the least of their marks.
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
		hits = inBoth(hits, more)
	}
	return hits, nil
}

// lessened are hits of another form of a word, which says less.
func lessened(hits []postings.Hit) []postings.Hit {
	const part = .8
	out := make([]postings.Hit, len(hits))
	for i, h := range hits {
		m := h.Mark()
		out[i] = postings.NewHit(h.Document(), m&inTitle|markOf(part*worthOf(m)))
	}
	return out
}

// union has each document once, with its best mark.
func union(lists [][]postings.Hit) []postings.Hit {
	lists = slices.DeleteFunc(lists, func(l []postings.Hit) bool { return len(l) == 0 })
	for len(lists) > 1 { // pairs, so that no hit is merged more often than it must
		merged := lists[:0]
		for pair := range slices.Chunk(lists, 2) {
			if len(pair) == 2 {
				pair[0] = inAny(pair[0], pair[1])
			}
			merged = append(merged, pair[0])
		}
		lists = merged
	}
	return slices.Concat(lists...)
}

// inAny are the documents of either list, with the better mark.
func inAny(a, b []postings.Hit) []postings.Hit {
	if len(a) < len(b) {
		a, b = b, a
	}
	all := make([]postings.Hit, 0, len(a)+len(b))
	for _, h := range b {
		rest := behind(a, h.Document())
		all = append(all, a[:len(a)-len(rest)]...)
		if a = rest; len(a) > 0 && a[0].Document() == h.Document() {
			h, a = max(h, a[0]), a[1:]
		}
		all = append(all, h)
	}
	return append(all, a...)
}

// inBoth are the documents of two lists, with the lesser mark.
func inBoth(a, b []postings.Hit) (both []postings.Hit) {
	for len(a) > 0 && len(b) > 0 {
		switch da, db := a[0].Document(), b[0].Document(); {
		case da < db:
			a = a[1:]
		case da > db:
			b = b[1:]
		default:
			both = append(both, min(a[0], b[0]))
			a, b = a[1:], b[1:]
		}
	}
	return both
}
