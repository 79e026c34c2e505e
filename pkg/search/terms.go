package search

import (
	"strings"
	"unicode"
)

// MaxTerms is the number of words and phrases of a query that are used. Later ones are ignored, so that a pasted
// paragraph still finds its page.
const MaxTerms = 32

// Term is a word or a phrase of a query, with at least one letter or digit. It is plain text. An engine must quote it
// before putting it into an expression.
type Term struct {
	Text   string
	Phrase bool // the term was quoted
	Prefix bool // the last word may be the beginning of a longer word
}

// Terms parses a query, which consists of words, "phrases", and prefixes that end in *. It ignores a quote that is
// not closed, and words without a letter or digit.
func Terms(query string) []Term {
	var terms []Term
	seen := map[Term]bool{}
	add := func(t Term) {
		same := Term{Text: t.Text, Prefix: t.Prefix}
		if len(terms) < MaxTerms && strings.ContainsFunc(t.Text, isLetterOrNumber) && !seen[same] {
			seen[same] = true
			terms = append(terms, t)
		}
	}
	for query = straightQuotes.Replace(query); query != ""; {
		before, rest, quoted := strings.Cut(query, `"`)
		phrase, after, closed := strings.Cut(rest, `"`)
		for word := range strings.FieldsSeq(before) {
			trimmed := strings.TrimRight(word, "*")
			add(Term{Text: trimmed, Prefix: trimmed != word})
		}
		if !quoted {
			break
		}
		if !closed {
			query = rest
			continue
		}
		after, prefix := strings.CutPrefix(after, "*")
		add(Term{Text: phrase, Phrase: true, Prefix: prefix})
		query = after
	}
	return terms
}

// Unclosed reports whether a query has a quote that is not closed. The text after such a quote is not a phrase.
func Unclosed(query string) bool { return strings.Count(straightQuotes.Replace(query), `"`)%2 == 1 }

// IsSigns reports whether a query has signs such as emoji, and no words. Such a query is valid but finds nothing,
// because only words are indexed.
func IsSigns(query string) bool {
	return len(Terms(query)) == 0 && strings.ContainsFunc(query, func(r rune) bool {
		return unicode.Is(unicode.So, r) || r > unicode.MaxASCII && unicode.In(r, unicode.Sm, unicode.Sc)
	})
}

// straightQuotes replaces quotes from keyboards and word processors with straight ones.
var straightQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)

// isLetterOrNumber reports whether a character makes a term of what it is in. Marks alone do not: one of them follows
// most emoji.
func isLetterOrNumber(r rune) bool { return IsWordRune(r) && !unicode.IsMark(r) }

// IsWordRune reports whether words may contain the character.
func IsWordRune(r rune) bool {
	if r <= unicode.MaxASCII {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.Is(unicode.Co, r)
}
