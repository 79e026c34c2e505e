package aisearch

import (
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// stopWords are the words that the English analyzer does not index. The stop words of other languages are not
// imitated.
var stopWords = map[string]bool{}

func init() {
	const words = "a an and are as at be but by for if in into is it no not of on or such that the their then there " +
		"these they this to was will with"
	for word := range strings.FieldsSeq(words) {
		stopWords[word] = true
	}
}

// languageAnalyzer imitates the analyzer of a language. It splits text into words roughly as Unicode does, in lower
// case, and stems them.
func languageAnalyzer(language string) (func(string) []token, error) {
	subtag, _, _ := strings.Cut(language, "-") // pt-PT and pt-BR
	if !tokens.HasStems(subtag) {
		return nil, refuse("no analyzer %q", language+".lucene")
	}
	return func(text string) (words []token) {
		for _, t := range tokenize(charsOf(text), isLetter) {
			term := strings.Map(unicode.ToLower, t.term)
			if language == "en" && stopWords[term] {
				continue
			}
			t.term = tokens.Stem(term, subtag)
			words = append(words, t)
		}
		return words
	}, nil
}

func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '\''
}
