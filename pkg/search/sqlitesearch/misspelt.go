package sqlitesearch

import (
	"cmp"
	"context"
	"encoding/json"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// A word that the index does not contain may be misspelt. Only then does a query search for similar words with a
// similar beginning. A correct query costs nothing more.

const (
	leastMisspelt = 5 // minimum length of a word that is corrected, in characters
	longMisspelt  = 7 // minimum length of a word with up to two wrong letters, in characters
	maxSimilar    = 8 // maximum number of similar words to compare by frequency
)

// correct replaces words that the index does not contain with probable corrections, and returns the corrected text of
// the query. It returns "" if it replaced nothing.
func (l *lexicon) correct(ctx context.Context, text string, terms []ranking.Term) (corrected string, err error) {
	for i := range terms {
		t := &terms[i]
		if t.DF > 0 || t.Phrase || t.Prefix {
			continue
		}
		halves, err := l.halves(*t)
		if err != nil {
			return "", err
		}
		if halves != "" {
			t.Variants = append(t.Variants, halves)
			if err := l.count(t); err != nil {
				return "", err
			}
			continue
		}
		right, err := l.meantBy(ctx, *t)
		if err != nil {
			return "", err
		}
		if len(right) == 0 {
			continue
		}
		for part, word := range right {
			text = replaceWord(text, t.Tokens[part], word)
			corrected = text
		}
		t.Tokens = slices.Clone(t.Tokens)
		for part, word := range right {
			t.Tokens[part] = word
		}
		t.Text, t.Raw = strings.Join(t.Tokens, " "), strings.Join(t.Tokens, " ")
		if t.Variants, err = l.formsOf(ctx, *t); err != nil {
			return "", err
		}
		if err := l.count(t); err != nil {
			return "", err
		}
	}
	return corrected, nil
}

// count sets the term's frequency in the index, and its rarity.
func (l *lexicon) count(t *ranking.Term) (err error) {
	if t.DF, err = l.numberOf(*t); err != nil {
		return err
	}
	t.Weigh(l.chunks)
	return nil
}

// halves splits a word of a query into two words that are adjacent in the index. It returns "" if there is no such
// split.
func (l *lexicon) halves(t ranking.Term) (string, error) {
	if !isWord(t) {
		return "", nil
	}
	word := t.Tokens[0]
	var halves []string
	for at := range word[1:] {
		halves = append(halves, word[:at+1], word[at+1:])
	}
	if err := l.termID(halves...); err != nil {
		return "", err
	}
	for i := 0; i < len(halves); i += 2 {
		if n, err := l.number(halves[i : i+2]...); err != nil || n > 0 {
			return halves[i] + " " + halves[i+1], err
		}
	}
	return "", nil
}

// replaceWord replaces a word of a query, regardless of case.
func replaceWord(text, word, by string) string {
	var at *search.Range
	tokens.Each(text, func(t tokens.Token) bool {
		if string(t.Word) == word {
			at = &search.Range{From: t.From, To: t.To}
		}
		return at == nil
	})
	if at == nil {
		return text
	}
	return text[:at.From] + by + text[at.To:]
}

// meantBy returns probable corrections for the parts of a term, by the index of each part.
func (l *lexicon) meantBy(ctx context.Context, t ranking.Term) (right map[int]string, err error) {
	right = map[int]string{}
	for part, word := range t.Tokens {
		if !tokens.HasForms(word) || utf8.RuneCountInString(word) < leastMisspelt {
			continue
		}
		if len(t.Tokens) > 1 {
			if n, err := l.number(word); err != nil || n > 0 {
				return nil, err
			}
		}
		meant, err := l.meant(ctx, word)
		if err != nil {
			return nil, err
		}
		if meant != "" {
			right[part] = meant
		}
	}
	return right, nil
}

// similarWord is a word of the index, with the number of letters in which it differs from a query's word.
type similarWord struct {
	word     string
	distance int
	df       float64
}

// meant returns the word of the index that differs from the given word in the fewest letters. If there are several
// such words, it returns the most frequent.
func (l *lexicon) meant(ctx context.Context, word string) (string, error) {
	letters := []rune(word)
	most := 1
	if len(letters) >= longMisspelt {
		most = 2
	}
	near, err := l.withBeginnings(ctx, letters, most)
	if err != nil {
		return "", err
	}
	var all []similarWord
	has := lettersOf(word)
	for _, w := range near {
		if bits.OnesCount64(has^lettersOf(w)) > 2*most {
			continue
		}
		if d := words.Distance(letters, []rune(w), most); d <= most {
			all = append(all, similarWord{word: w, distance: d})
		}
	}
	slices.SortFunc(all, func(a, b similarWord) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.word, b.word))
	})
	all = slices.Compact(all) // a word that was found for several languages or beginnings is listed once
	all = all[:min(maxSimilar, len(all))]
	near = make([]string, len(all))
	for i, a := range all {
		near[i] = a.word
	}
	if err := l.termID(near...); err != nil {
		return "", err
	}
	for i := range all {
		var err error
		if all[i].df, err = l.number(all[i].word); err != nil {
			return "", err
		}
	}
	all = slices.DeleteFunc(all, func(a similarWord) bool { return a.df == 0 })
	if len(all) == 0 {
		return "", nil
	}
	return slices.MinFunc(all, func(a, b similarWord) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(b.df, a.df), cmp.Compare(a.word, b.word))
	}).word, nil
}

// withBeginnings returns the words of the index that begin with one of the [beginnings] of a word and have about the
// same length as that word. Some words occur twice.
func (l *lexicon) withBeginnings(ctx context.Context, letters []rune, most int) ([]string, error) {
	found, err := column[string](ctx, l.tx, `
WITH l(name) AS (SELECT value FROM json_each(?)), b(begin) AS (SELECT value FROM json_each(?))
SELECT coalesce(group_concat(f.word, ' '), '')
FROM b CROSS JOIN l CROSS JOIN forms f ON f.language = l.name AND f.stem >= b.begin AND f.stem < b.begin || char(0x10ffff)
WHERE length(f.word) BETWEEN ? AND ?`,
		asJSON(l.spoken), asJSON(beginnings(letters)), len(letters)-most, len(letters)+most)
	return strings.Fields(strings.Join(found, " ")), err
}

// lettersOf returns the set of letters in a word, with one bit for each letter. A change of one letter in the word
// changes at most two bits.
func lettersOf(word string) (letters uint64) {
	for _, r := range word {
		letters |= 1 << (r % 64)
	}
	return letters
}

// beginnings returns possible beginnings of the intended word, if letters were changed, omitted, doubled or swapped.
func beginnings(w []rune) []string {
	all := []string{string(w[:2]), string([]rune{w[1], w[0]}), string([]rune{w[0], w[2]}), string(w[1:3])}
	if w[0] < utf8.RuneSelf && len(w) >= longMisspelt {
		for r := 'a'; r <= 'z'; r++ {
			all = append(all, string([]rune{r, w[1], w[2]}), string([]rune{r, w[0], w[1]}))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// asJSON returns a list in the form of an argument of json_each.
func asJSON[T int64 | string](list []T) string {
	b, _ := json.Marshal(list) // encoding numbers and strings never fails
	return string(b)
}

// column returns the values of a query with one column.
func column[T int64 | string](ctx context.Context, tx *sqlitefile.Statements, query string,
	args ...any) (all []T, err error) {
	var v T
	for err := range tx.Rows(ctx, query, args, &v) {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
