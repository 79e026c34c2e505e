package aisearch

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmers by the name of the language in the names of analyzers
// (https://learn.microsoft.com/azure/search/index-add-language-analyzers).
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem, "fi": finnish.Stem,
	"fr": french.Stem, "hu": hungarian.Stem, "it": italian.Stem, "nl": dutch.Stem, "no": norwegian.Stem,
	"pt-PT": portuguese.Stem, "pt-BR": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem, "sv": swedish.Stem, "tr": turkish.Stem,
}

// stopWords of the English analyzer are not indexed. Those of the other languages are not
// imitated.
var stopWords = map[string]bool{}

func init() {
	const words = "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with"
	for word := range strings.FieldsSeq(words) {
		stopWords[word] = true
	}
}

// languageAnalyzer imitates the analyzer of a language: words as Unicode divides text, roughly, in
// lower case, without endings.
func languageAnalyzer(language string) (func(string) []token, error) {
	stem := stemmers[language]
	if stem == nil {
		return nil, refuse("no analyzer %q", language+".lucene")
	}
	return func(text string) (tokens []token) {
		for _, t := range tokenize(charsOf(text), isLetter) {
			term := strings.Map(unicode.ToLower, t.term)
			if language == "en" && stopWords[term] {
				continue
			}
			env := snowballstem.NewEnv(term)
			stem(env)
			t.term = env.Current()
			tokens = append(tokens, t)
		}
		return tokens
	}, nil
}

func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '\''
}
