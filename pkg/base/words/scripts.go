package words

import "unicode"

// IsSpaceless reports whether r is a letter of a script that puts no spaces between words.
func IsSpaceless(r rune) bool {
	const first = 0x0e00 // Thai; no letter before it is of such a script
	return r >= first && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}
