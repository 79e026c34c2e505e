package sqlitesearch

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

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
