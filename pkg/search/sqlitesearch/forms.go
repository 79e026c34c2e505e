package sqlitesearch

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/stem"
)

// A word of a query also finds its other forms: tide finds tides, in the languages that the index
// has pages of. The table forms has the words of each language by their stem; a query names the forms
// one by one, so that they rank below the word itself. Words are never taken out again: one that no
// text has any more finds nothing.

const (
	maxVariants = 10 // other forms of one word
	leastStem   = 3  // characters; shorter stems say too little
	longestWord = 40 // characters; longer ones are no words
	maxKnown    = 200_000
	// maxLearned is how many words the table learns of a page at once. Novels have fewer; a page of
	// random words, new each time, would otherwise grow it by megabytes with every change.
	maxLearned = 50_000
)

// vocabulary remembers words that are in the table already, as hashes with their language. It may
// forget, which costs a statement that changes nothing.
type vocabulary struct {
	mu    sync.Mutex
	known map[uint64]struct{}
}

func (v *vocabulary) has(key uint64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, known := v.known[key]
	return known
}

// add remembers what has been committed.
func (v *vocabulary) add(keys map[uint64]bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known)+len(keys) > maxKnown {
		v.known = map[uint64]struct{}{}
	}
	for k := range keys {
		v.known[k] = struct{}{}
	}
}

// learn has the words of texts that enter the index found by their other forms.
func (w *writer) learn(language string, texts []row) error {
	if !stem.Known(language) {
		language = "" // words without other forms
	}
	seed, most := xxhash.Sum64String(language), len(w.learned)+maxLearned
	for _, r := range texts {
		for _, text := range []string{r.title, r.heading, r.body} {
			for word := range wordsIn(text) {
				// Two words of one hash cost the second its forms, which is rare enough.
				key := seed ^ xxhash.Sum64String(word)
				if w.learned[key] || w.words.has(key) {
					continue
				}
				if len(w.learned) == most {
					return nil
				}
				if err := w.learnWord(language, fold(word)); err != nil {
					return err
				}
				w.learned[key] = true
			}
		}
	}
	return nil
}

func (w *writer) learnWord(language, word string) error {
	return w.exec("INSERT OR IGNORE INTO forms (language, stem, word) VALUES (?, ?, ?)", language,
		stem.Word(word, language), word)
}

// wordsIn are those of a text that may have other forms.
func wordsIn(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !search.IsWordRune(r) }) {
			if hasForms(word) && !yield(word) {
				return
			}
		}
	}
}

// hasForms reports whether a text is a word by itself, of letters, neither very short nor long.
func hasForms(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= leastStem && n <= longestWord && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) || isSpaceless(r)
	})
}

// widen adds the other forms of the words of a query. Phrases and prefixes mean what they say. What is written in
// one word by some and in two by others is found either way.
func (l *lexicon) widen(ctx context.Context, terms []term) (wide []term, err error) {
	wide = slices.Clone(terms)
	for i, t := range wide {
		if wide[i].variants, err = l.formsOf(ctx, t); err != nil {
			return nil, err
		}
	}
	var joined []string
	for i := 1; i < len(wide); i++ {
		if a, b := wide[i-1], wide[i]; a.joins() && b.joins() && !a.empty && !b.empty {
			joined = append(joined, a.tokens[0]+b.tokens[0])
		}
	}
	if err := l.lookUp(joined...); err != nil {
		return nil, err
	}
	for i := 1; i < len(wide); i++ {
		a, b := &wide[i-1], &wide[i]
		if !a.joins() || !b.joins() || a.empty || b.empty {
			continue
		}
		word := a.tokens[0] + b.tokens[0]
		n, err := l.number(word)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			a.variants, b.variants = append(a.variants, word), append(b.variants, word)
		}
	}
	return wide, nil
}

// joins reports a word that may be the half of one.
func (t term) joins() bool { return !t.phrase && !t.prefix && len(t.tokens) == 1 && hasForms(t.text) }

// formsOf are the other forms of a word of a query; of one with a hyphen, the word without.
func (l *lexicon) formsOf(ctx context.Context, t term) ([]string, error) {
	switch {
	case t.phrase || t.prefix || t.symbol || t.empty || len(t.tokens) == 0:
		return nil, nil
	case len(t.tokens) > 1 && strings.Contains(t.raw, "-"):
		last := len(t.tokens) - 1
		forms := []string{strings.Join(t.tokens, "")}
		if !hasForms(t.tokens[last]) {
			return forms, nil
		}
		others, err := l.variants(ctx, t.tokens[last], l.spoken)
		for _, other := range others {
			forms = append(forms, strings.Join(append(slices.Clone(t.tokens[:last]), other), " "))
		}
		return forms, err
	case len(t.tokens) > 1 || !hasForms(t.text):
		return nil, nil
	}
	return l.variants(ctx, fold(t.text), l.spoken)
}

// languages are those whose words are known; only is one that pages are asked for in, or "".
func (l *lexicon) languages(ctx context.Context, only string) ([]string, error) {
	if only != "" {
		return []string{only}, nil
	}
	// One step from each language to the next, whatever the number of words.
	return l.column(ctx, `
WITH RECURSIVE l(name) AS (
	SELECT min(language) FROM forms
	UNION ALL SELECT (SELECT min(language) FROM forms WHERE language > l.name) FROM l WHERE l.name IS NOT NULL
)
SELECT name FROM l WHERE name IS NOT NULL`)
}

// variants are the words of the index that share their stem with a folded word.
func (l *lexicon) variants(ctx context.Context, word string, languages []string) (found []string, err error) {
	for _, name := range languages {
		cut := stem.Word(word, name)
		if !stem.Known(name) || utf8.RuneCountInString(cut) < leastStem {
			continue
		}
		forms, err := l.column(ctx, "SELECT word FROM forms WHERE language = ? AND stem = ? AND word <> ? LIMIT ?", name, cut,
			word, maxVariants)
		if err != nil {
			return nil, err
		}
		found = append(found, forms...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return found[:min(len(found), maxVariants)], nil
}

// column reads the only column of a query.
func (l *lexicon) column(ctx context.Context, query string, args ...any) (values []string, err error) {
	rows, err := l.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v sql.NullString
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		values = append(values, v.String)
	}
	return values, rows.Err()
}
