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
// one by one, so that ranking and marks stay with FTS5. Words are never taken out again: one that no
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
func (w *writer) learn(language string, texts []textOp) error {
	if !stem.Known(language) {
		return nil
	}
	seed, most := xxhash.Sum64String(language), len(w.learned)+maxLearned
	for _, op := range texts {
		if op.remove {
			continue
		}
		for _, text := range []string{op.title, op.heading, op.body} {
			for word := range words(text) {
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

// words are those of a text that may have other forms.
func words(text string) func(yield func(string) bool) {
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

// widen adds the other forms of the words of a query. Phrases and prefixes mean what they say.
func (s statement) widen(ctx context.Context, terms []term) ([]term, error) {
	languages, err := s.languages(ctx)
	if err != nil || len(languages) == 0 {
		return terms, err
	}
	wide := slices.Clone(terms)
	for i, t := range wide {
		if t.phrase || t.prefix || !hasForms(t.text) {
			continue
		}
		if wide[i].variants, err = s.variants(ctx, fold(t.text), languages); err != nil {
			return nil, err
		}
	}
	return wide, nil
}

// languages are those whose forms are known, of the pages that are asked for.
func (s statement) languages(ctx context.Context) ([]string, error) {
	if s.query.Language != "" {
		return []string{s.query.Language}, nil
	}
	// One step from each language to the next, whatever the number of words.
	return s.column(ctx, `
WITH RECURSIVE l(name) AS (
	SELECT min(language) FROM forms
	UNION ALL SELECT (SELECT min(language) FROM forms WHERE language > l.name) FROM l WHERE l.name IS NOT NULL
)
SELECT name FROM l WHERE name IS NOT NULL`)
}

// variants are the words of the index that share their stem with a folded word.
func (s statement) variants(ctx context.Context, word string, languages []string) (found []string, err error) {
	for _, l := range languages {
		cut := stem.Word(word, l)
		if !stem.Known(l) || utf8.RuneCountInString(cut) < leastStem {
			continue
		}
		forms, err := s.column(ctx, "SELECT word FROM forms WHERE language = ? AND stem = ? AND word <> ? LIMIT ?", l, cut,
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
func (s statement) column(ctx context.Context, query string, args ...any) (values []string, err error) {
	rows, err := s.tx.QueryContext(ctx, query, args...)
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
