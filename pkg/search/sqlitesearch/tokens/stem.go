package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"

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

// This file removes the endings of words, so that a search finds other forms of a word.

// stemmers are the algorithms by primary language subtag (https://snowballstem.org/algorithms/).
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "nl": dutch.Stem, "en": english.Stem, "fi": finnish.Stem, "fr": french.Stem,
	"de": german.Stem, "hu": hungarian.Stem, "it": italian.Stem, "nb": norwegian.Stem, "nn": norwegian.Stem,
	"no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem, "es": spanish.Stem,
	"sv": swedish.Stem, "tr": turkish.Stem,
}

// HasStems reports whether there is a stemmer for a language.
func HasStems(language string) bool { return stemmers[language] != nil || language == "he" }

// StemLanguage returns the language by whose rules a word of a page is stemmed, or "" if there are none. If the page
// states no language, the script of a word may tell.
func StemLanguage(word, page string) string {
	if page != "" {
		if !HasStems(page) {
			return ""
		}
		return page
	}
	switch first, _ := utf8.DecodeRuneInString(word); {
	case unicode.Is(unicode.Hebrew, first):
		return "he"
	case unicode.Is(unicode.Arabic, first):
		return "ar"
	}
	return ""
}

// Stem returns a word in lower case and without marks as its stem, or unchanged if the language is not [HasStems].
// Umlauts of German and letters of Scandinavian languages may be written as two letters.
func Stem(word, language string) string {
	cut := stemmers[language]
	switch language {
	case "he":
		return hebrew(word)
	case "ar":
		word = withoutArticle(word)
	case "de":
		word = withoutUmlauts(word)
	case "da", "nb", "nn", "no", "sv":
		word = scandinavian.Replace(word)
	}
	if cut == nil {
		return word
	}
	env := snowballstem.NewEnv(word)
	cut(env)
	return env.Current()
}

// leastStem is the minimum length of what remains of a word without a prefix or an ending, in characters.
const leastStem = 3

// hebrew removes the endings of the plural, and the letters that are written together with the next word: and, the, in,
// as, to, from, that. A word that begins with such a letter loses it, too, in all of its forms.
func hebrew(word string) string {
	for _, ending := range []string{"ים", "ות"} {
		if rest, found := strings.CutSuffix(word, ending); found && utf8.RuneCountInString(rest) >= leastStem {
			word = rest
			break
		}
	}
	for n := utf8.RuneCountInString(word); n > leastStem; n-- {
		first, size := utf8.DecodeRuneInString(word)
		if !strings.ContainsRune("והבכלמש", first) {
			break
		}
		word = word[size:]
	}
	return word
}

// articles are the Arabic article with the words that are written together with it, the longer ones first.
var articles = []string{"وبال", "وكال", "ولل", "وال", "فال", "بال", "كال", "لل", "ال"}

// withoutArticle removes the article of an Arabic word. The algorithm of Snowball does not know it behind "and".
func withoutArticle(word string) string {
	for _, article := range articles {
		if rest, found := strings.CutPrefix(word, article); found && utf8.RuneCountInString(rest) >= leastStem {
			return rest
		}
	}
	return word
}

// withoutUmlauts replaces umlauts that are written as two letters, as Lucene does: ue not after a vowel or q, where it
// is a vowel of its own.
func withoutUmlauts(word string) string {
	if !strings.Contains(word, "e") {
		return word
	}
	out := make([]byte, 0, len(word))
	for i := range len(word) {
		if word[i] == 'e' && i > 0 {
			before := byte(' ')
			if i > 1 {
				before = word[i-2]
			}
			switch c := word[i-1]; {
			case c == 'a', c == 'o', c == 'u' && !strings.ContainsRune("aeiouyq", rune(before)):
				continue
			}
		}
		out = append(out, word[i])
	}
	return string(out)
}

// scandinavian replaces letters that are written as two.
var scandinavian = strings.NewReplacer("aa", "a", "ae", "a", "oe", "o")
