package sqlitesearch

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/search"
)

// A word that the index does not have may be misspelt. Only then are the words that are like it looked for, among
// those that begin nearly as it does, so a query that is right pays nothing.

const (
	leastMisspelt = 5 // characters
	longMisspelt  = 7 // from which on two letters may be wrong
	maxAlike      = 8 // words whose frequency is compared
)

// correct replaces words that the index does not have by those that were meant, and tells what the query reads then;
// "" when nothing was wrong.
func (s *statement) correct(ctx context.Context) (text string, err error) {
	text = s.query.Text
	changed := false
	for i := range s.terms {
		t := &s.terms[i]
		if t.df > 0 || t.phrase || t.prefix {
			continue
		}
		if apart, err := s.words.apart(t); err != nil || apart != "" {
			t.variants, t.hits = append(t.variants, apart), nil
			if err == nil {
				err = s.words.count(t)
			}
			if err != nil {
				return "", err
			}
			continue
		}
		right, err := s.words.rightOf(ctx, t)
		if err != nil {
			return "", err
		}
		if len(right) == 0 {
			continue
		}
		for part, word := range right {
			text, changed = replaceFold(text, t.tokens[part], word), true
		}
		t.tokens = slices.Clone(t.tokens)
		for part, word := range right {
			t.tokens[part] = word
		}
		t.text, t.raw = strings.Join(t.tokens, " "), strings.Join(t.tokens, " ")
		t.hits = nil
		if t.variants, err = s.words.formsOf(ctx, *t); err != nil {
			return "", err
		}
		if err := s.words.count(t); err != nil {
			return "", err
		}
	}
	if !changed {
		return "", nil
	}
	return text, nil
}

// apart is a word of a query in two, if the index has them side by side.
func (l *lexicon) apart(t *term) (string, error) {
	if !t.joins() {
		return "", nil
	}
	word := t.tokens[0]
	var halves []string
	for at := range word[1:] {
		halves = append(halves, word[:at+1], word[at+1:])
	}
	if err := l.lookUp(halves...); err != nil {
		return "", err
	}
	for i := 0; i < len(halves); i += 2 {
		if n, err := l.number(halves[i : i+2]...); err != nil || n > 0 {
			return halves[i] + " " + halves[i+1], err
		}
	}
	return "", nil
}

// replaceFold replaces a word of a query, however its letters are written.
func replaceFold(text, word, by string) string {
	var at *search.Range
	tokens(text, func(t token) bool {
		if string(t.word) == word {
			at = &search.Range{From: t.from, To: t.to}
		}
		return at == nil
	})
	if at == nil {
		return text
	}
	return text[:at.From] + by + text[at.To:]
}

// rightOf are the words that were meant by the parts of a term, by part.
func (l *lexicon) rightOf(ctx context.Context, t *term) (right map[int]string, err error) {
	right = map[int]string{}
	for part, word := range t.tokens {
		if !hasForms(word) || utf8.RuneCountInString(word) < leastMisspelt {
			continue
		}
		if len(t.tokens) > 1 {
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

// alike is a word of the index and how many letters of it are other ones.
type alike struct {
	word     string
	distance int
	df       float64
}

// meant is the word of the index that is most like one: with the fewest letters changed, and among these the most
// frequent.
func (l *lexicon) meant(ctx context.Context, word string) (string, error) {
	letters := []rune(word)
	most := 1
	if len(letters) >= longMisspelt {
		most = 2
	}
	near, err := l.nearly(ctx, letters, most)
	if err != nil {
		return "", err
	}
	var all []alike
	has := lettersOf(word)
	for _, w := range near {
		if bits.OnesCount64(has^lettersOf(w)) > 2*most {
			continue
		}
		if d := words.Distance(letters, []rune(w), most); d <= most {
			all = append(all, alike{word: w, distance: d})
		}
	}
	slices.SortFunc(all, func(a, b alike) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.word, b.word))
	})
	all = slices.Compact(all) // several beginnings and languages have a word
	all = all[:min(maxAlike, len(all))]
	near = make([]string, len(all))
	for i, a := range all {
		near[i] = a.word
	}
	if err := l.lookUp(near...); err != nil {
		return "", err
	}
	for i := range all {
		var err error
		if all[i].df, err = l.number(all[i].word); err != nil {
			return "", err
		}
	}
	all = slices.DeleteFunc(all, func(a alike) bool { return a.df == 0 })
	if len(all) == 0 {
		return "", nil
	}
	return slices.MinFunc(all, func(a, b alike) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(b.df, a.df), cmp.Compare(a.word, b.word))
	}).word, nil
}

// nearly are the words of the index of nearly the same length that begin nearly as one does, some of them twice.
func (l *lexicon) nearly(ctx context.Context, letters []rune, most int) ([]string, error) {
	found, err := l.column(ctx, `
WITH l(name) AS (SELECT value FROM json_each(?)), b(begin) AS (SELECT value FROM json_each(?))
SELECT group_concat(f.word, ' ')
FROM b CROSS JOIN l CROSS JOIN forms f ON f.language = l.name AND f.stem >= b.begin AND f.stem < b.begin || char(0x10ffff)
WHERE length(f.word) BETWEEN ? AND ?`,
		asJSON(l.spoken), asJSON(beginnings(letters)), len(letters)-most, len(letters)+most)
	return strings.Fields(strings.Join(found, " ")), err
}

// lettersOf has a bit for each letter of a word. To change one of them changes two bits at most.
func lettersOf(word string) (letters uint64) {
	for _, r := range word {
		letters |= 1 << (r % 64)
	}
	return letters
}

// beginnings are those that a word may have had before two letters of it were changed, left out, doubled or exchanged,
// or the first one was another.
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
