package tokens

import (
	"strings"
	"unicode/utf8"
)

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
