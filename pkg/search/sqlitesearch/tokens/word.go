package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// LeastStem is how many characters a word or stem has at least; shorter ones say too little.
const LeastStem = 3

// longestWord is how many characters a word of a language has at most.
const longestWord = 40

// HasForms reports whether a text is a word by itself, of letters, neither very short nor long.
func HasForms(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= LeastStem && n <= longestWord && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) || IsSpaceless(r)
	})
}
