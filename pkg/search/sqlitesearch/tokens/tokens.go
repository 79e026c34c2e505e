// Package tokens splits texts into the words by which the embedded index finds them. Texts and queries are split in
// the same way. So a word of a query equals a word of a text regardless of case, of the marks that [Fold] leaves out,
// and of Unicode normalization form. A change to what the words are requires a new version of the index.
package tokens

import (
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/search"
)

// Token is a word of a text, folded ([Fold]). Word is valid until the next token.
type Token struct {
	Word     []byte
	From, To int // byte offsets in the text
}

// Each calls the given function with the words of a text, in order, until the function returns false. Combining marks
// are parts of words. Otherwise words of Hindi, Bengali or Tamil would be split at every vowel. Variation selectors
// of emoji are not parts of words. C++, C# and U.S.A. are words, see [beyond].
func Each(text string, each func(t Token) bool) {
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
			if folded = append(folded[:0], Fold(text[from:i])...); len(folded) == 0 {
				continue
			}
		}
		if i < len(text) && i-from <= utf8.UTFMax && goesOn[text[i]] {
			folded, i = beyond(text, from, i, folded)
		}
		if !each(Token{folded, from, i}) {
			return
		}
	}
}

// lower maps ASCII letters and digits to lower case, and all other characters to 0.
var lower = func() (table [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		if r := rune(c); unicode.IsLetter(r) || unicode.IsDigit(r) {
			table[c] = byte(unicode.ToLower(r))
		}
	}
	return table
}()

// Of returns the words of a short text.
func Of(text string) (words []string) {
	Each(text, func(t Token) bool {
		words = append(words, string(t.Word))
		return true
	})
	return words
}
