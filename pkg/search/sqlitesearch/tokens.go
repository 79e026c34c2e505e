package sqlitesearch

import (
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/search"
)

// token is a word of a text, folded: lower case, Latin letters without their marks. The word is only good until the
// next.
type token struct {
	word     []byte
	from, to int // bytes of the text
}

// tokens gives the words of a text to each, in order, until it says no. Marks belong to words, or those of Hindi,
// Bengali or Tamil would be cut at every vowel; what picks the look of an emoji is none.
func tokens(text string, each func(t token) bool) {
	var folded []byte
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf && lower[text[i]] == 0 {
			i++
			continue
		}
		from, ascii := i, true
		folded = folded[:0]
		for i < len(text) {
			if c := text[i]; c < utf8.RuneSelf {
				if c = lower[c]; c == 0 {
					break
				}
				folded = append(folded, c)
				i++
				continue
			}
			r, size := utf8.DecodeRuneInString(text[i:])
			if !search.IsWordRune(r) || r == '\ufe0e' || r == '\ufe0f' || unicode.Is(unicode.Me, r) {
				break
			}
			folded, ascii = append(folded, text[i:i+size]...), false
			i += size
		}
		if i == from {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		if !ascii {
			folded = append(folded[:0], fold(text[from:i])...)
		}
		if !each(token{folded, from, i}) {
			return
		}
	}
}

// lower has the letters and digits of ASCII in lower case, and 0 for all else.
var lower = func() (table [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		if r := rune(c); unicode.IsLetter(r) || unicode.IsDigit(r) {
			table[c] = byte(unicode.ToLower(r))
		}
	}
	return table
}()

// tokensOf are the words of a short text.
func tokensOf(text string) (words []string) {
	tokens(text, func(t token) bool {
		words = append(words, string(t.word))
		return true
	})
	return words
}
