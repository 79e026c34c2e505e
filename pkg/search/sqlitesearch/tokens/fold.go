package tokens

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a word in the form in which words are compared: in lower case, with Latin letters without diacritics.
func Fold(word string) string {
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
