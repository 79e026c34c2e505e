package sqlitesearch

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
	"golang.org/x/text/unicode/norm"
)

// stemmers cut the endings of a language's words (https://snowballstem.org/algorithms/).
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "nl": dutch.Stem, "en": english.Stem, "fi": finnish.Stem, "fr": french.Stem,
	"de": german.Stem, "hu": hungarian.Stem, "it": italian.Stem, "nb": norwegian.Stem, "nn": norwegian.Stem,
	"no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem, "es": spanish.Stem,
	"sv": swedish.Stem, "tr": turkish.Stem,
}

// stem is a folded word without its ending in a language; the word itself in one that is not known.
func stem(word, language string) string {
	cut := stemmers[language]
	if cut == nil {
		return word
	}
	env := snowballstem.NewEnv(word)
	cut(env)
	return env.Current()
}

// fold brings words that the tokenizer takes for the same to one form: lower case, and Latin
// letters without their marks.
func fold(word string) string {
	word = strings.ToLower(word)
	if isASCII(word) {
		return word
	}
	var out strings.Builder
	latin := false
	for _, r := range norm.NFD.String(word) {
		if latin && unicode.Is(unicode.Mn, r) {
			continue
		}
		latin = unicode.Is(unicode.Latin, r)
		out.WriteRune(r)
	}
	return norm.NFC.String(out.String())
}
