package sqlitesearch

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// A word of a query also finds its other forms (tide finds tides) in the languages of the pages in the index. The
// table "forms" holds the words of each language by stem. A query searches each form separately, so that the forms
// rank below the word itself. Words are never removed from the table. A word that no text contains any more finds
// nothing.

// maxVariants is the maximum number of other forms of a word that a query searches.
const maxVariants = 10

// widen adds the other forms and spellings of a query's words. Phrases and prefixes match only as they are written. Two
// adjacent words also match the compound word that they form, if the index contains it.
func (l *lexicon) widen(ctx context.Context, terms []ranking.Term) (wide []ranking.Term, err error) {
	wide = slices.Clone(terms)
	for i, t := range wide {
		if wide[i].Variants, err = l.formsOf(ctx, t); err != nil {
			return nil, err
		}
	}
	var joined []string
	for i := 1; i < len(wide); i++ {
		if a, b := wide[i-1], wide[i]; isHalf(a) && isHalf(b) {
			joined = append(joined, a.Tokens[0]+b.Tokens[0])
		}
	}
	if err := l.termID(joined...); err != nil {
		return nil, err
	}
	for i := 1; i < len(wide); i++ {
		a, b := &wide[i-1], &wide[i]
		if !isHalf(*a) || !isHalf(*b) {
			continue
		}
		word := a.Tokens[0] + b.Tokens[0]
		n, err := l.number(word)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			a.Variants, b.Variants = append(a.Variants, word), append(b.Variants, word)
		}
	}
	return wide, l.spell(wide)
}

// isHalf reports whether a term may be one half of a compound word.
func isHalf(t ranking.Term) bool { return isWord(t) && !t.FunctionWord }

// isWord reports whether a term is a single word.
func isWord(t ranking.Term) bool {
	return !t.Phrase && !t.Prefix && len(t.Tokens) == 1 && tokens.HasForms(t.Text)
}

// formsOf returns the other forms of a query's word. Of a word with hyphens, the last part has other forms.
func (l *lexicon) formsOf(ctx context.Context, t ranking.Term) ([]string, error) {
	switch {
	case t.Phrase || t.Prefix || t.Symbol || t.FunctionWord || len(t.Tokens) == 0:
		return nil, nil
	case len(t.Tokens) > 1 && strings.Contains(t.Raw, "-"):
		last := len(t.Tokens) - 1
		if !tokens.HasForms(t.Tokens[last]) {
			return nil, nil
		}
		var forms []string
		others, err := l.variants(ctx, t.Tokens[last], l.spoken)
		for _, other := range others {
			forms = append(forms, strings.Join(append(slices.Clone(t.Tokens[:last]), other), " "))
		}
		return forms, err
	case len(t.Tokens) > 1 || !tokens.HasForms(t.Text):
		return nil, nil
	}
	return l.variants(ctx, tokens.Fold(t.Text), l.spoken)
}

// languages returns the languages of the words in the index, or only the given language if it is not "".
func (l *lexicon) languages(ctx context.Context, only string) ([]string, error) {
	if only != "" {
		return []string{only}, nil
	}
	// The query takes one step for each language, however many words there are.
	return column[string](ctx, l.tx, `
WITH RECURSIVE l(name) AS (
	SELECT min(language) FROM forms
	UNION ALL SELECT (SELECT min(language) FROM forms WHERE language > l.name) FROM l WHERE l.name IS NOT NULL
)
SELECT name FROM l WHERE name IS NOT NULL`)
}

// variants returns the words of the index that have the same stem as a folded word.
func (l *lexicon) variants(ctx context.Context, word string, languages []string) (found []string, err error) {
	for _, name := range languages {
		cut := tokens.Stem(word, name)
		if !tokens.HasStems(name) || utf8.RuneCountInString(cut) < tokens.LeastStem {
			continue
		}
		forms, err := column[string](ctx, l.tx, "SELECT word FROM forms WHERE language = ? AND stem = ? AND "+
			"word <> ? LIMIT ?", name, cut, word, maxVariants)
		if err != nil {
			return nil, err
		}
		found = append(found, forms...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return found[:min(len(found), maxVariants)], nil
}
