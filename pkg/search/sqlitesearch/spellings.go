package sqlitesearch

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
)

// spell adds to terms their other spellings whose words the index contains.
func (l *lexicon) spell(terms []ranking.Term) error {
	var words []string
	for _, t := range terms {
		for _, s := range t.Spellings {
			words = append(words, strings.Fields(s)...)
		}
	}
	if err := l.termID(words...); err != nil {
		return err
	}
	for i := range terms {
		t := &terms[i]
		if t.FunctionWord || t.Symbol {
			continue
		}
		for _, s := range t.Spellings {
			if !slices.ContainsFunc(strings.Fields(s), func(w string) bool { return l.entry(w).Documents == 0 }) &&
				!slices.Contains(t.Variants, s) {
				t.Variants = append(t.Variants, s)
			}
		}
		if err := l.spellNumber(t); err != nil {
			return err
		}
	}
	return nil
}

// The bounds of spellNumber.
const (
	leastGrouped  = 7  // minimum length of a number that texts have in groups of any lengths
	longestNumber = 24 // maximum length of such a number
	longestGroup  = 8  // maximum length of a group
	mostTried     = 48 // maximum number of sequences of groups that are looked up
)

// spellNumber adds to a long number the groups in which the index has it: telephone numbers and ISBNs are written in
// groups of many lengths.
func (l *lexicon) spellNumber(t *ranking.Term) error {
	number := strings.Join(t.Tokens, "")
	if t.Phrase || t.Prefix || len(number) < leastGrouped || len(number) > longestNumber || !isNumber(number) {
		return nil
	}
	var parts []string
	for from := range number {
		for to := from + 1; to <= min(len(number), from+longestGroup); to++ {
			parts = append(parts, number[from:to])
		}
	}
	if err := l.termID(parts...); err != nil {
		return err
	}
	tried := 0
	groups, err := l.groups(number, nil, &tried)
	if spelling := strings.Join(groups, " "); len(groups) > 1 && !slices.Equal(groups, t.Tokens) &&
		!slices.Contains(t.Variants, spelling) {
		t.Variants = append(t.Variants, spelling)
	}
	return err
}

func isNumber(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// groups completes groups that follow each other in the index by groups for the rest of the number. It returns nil if
// there are none. Longer groups are tried first, because they are rarer.
func (l *lexicon) groups(rest string, before []string, tried *int) ([]string, error) {
	if rest == "" {
		return before, nil
	}
	for n := min(len(rest), longestGroup); n > 0; n-- {
		all := append(slices.Clone(before), rest[:n])
		if l.entry(rest[:n]).Documents == 0 || len(all) == 1 && n == len(rest) {
			continue
		}
		if len(all) > 1 {
			if *tried++; *tried > mostTried {
				return nil, nil
			}
			if hits, err := l.phrase(all...); err != nil || len(hits) == 0 {
				if err != nil {
					return nil, err
				}
				continue
			}
		}
		if found, err := l.groups(rest[n:], all, tried); err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}
