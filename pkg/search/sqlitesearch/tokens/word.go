package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// LeastStem is the minimum length of a word or stem, in characters. Shorter ones are not significant.
const LeastStem = 3

// longestWord is the maximum length of a natural-language word, in characters.
const longestWord = 40

// HasForms reports whether a text is a single word of letters, neither very short nor very long.
func HasForms(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= LeastStem && n <= longestWord && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) || IsSpaceless(r)
	})
}
