package words

import (
	"strings"
	"unicode"
)

// IsSpaceless reports whether r is a letter of a script that puts no spaces between words.
func IsSpaceless(r rune) bool {
	const first = 0x0e00 // Thai; no letter before it is of such a script
	return r >= first && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}

// IsSentence reports whether a text is as long as a sentence: eight words with a letter, or, in scripts that put no
// spaces between words, twenty letters.
func IsSentence(text string) bool {
	const least, unspaced = 8, 20
	n, letters := 0, 0
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			n++
		}
		for _, r := range word {
			if IsSpaceless(r) {
				letters++
			}
		}
	}
	return n >= least || letters >= unspaced
}
