package tokens

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/search"
)

// Fold returns a word in the form in which words are compared: in lower case, in the plain form of letters, digits and
// signs that Unicode has in several forms (NFKC), and without the marks and strokes that people leave out when they
// type. So these are equal: é and e, ł and l, ß and ss, ё and е, שָׁ and ש, أ and ا, Ａ and a, ² and 2, ٣ and 3. The
// letters й and ї stay, because they are letters of their own.
func Fold(word string) string {
	word = strings.ToLower(word)
	if isASCII(word) {
		return word
	}
	var out strings.Builder
	last := rune(0) // the last letter that is no mark
	for _, original := range word {
		for _, r := range decomposed(original) {
			r = unicode.ToLower(r)
			switch {
			case unicode.IsMark(r):
				if !unicode.Is(unicode.Mn, r) || !isLeftOut(r, last) {
					out.WriteRune(r)
				}
				continue
			case !search.IsWordRune(r):
				continue
			}
			for _, plain := range plainOf(r) {
				out.WriteRune(plain)
				last = plain
			}
		}
	}
	return norm.NFC.String(out.String())
}

// decomposed returns a character in normalization form KD. Fractions stay, because ½ is not 12.
func decomposed(r rune) string {
	if r >= '¼' && r <= '¾' || r >= 0x2150 && r <= 0x215f || r == 0x2189 {
		return string(r)
	}
	return norm.NFKD.String(string(r))
}

// isLeftOut reports whether people leave out a mark above, in or below a letter when they type.
func isLeftOut(mark, letter rune) bool {
	if unicode.Is(unicode.Cyrillic, letter) {
		return mark == '\u0300' || mark == '\u0301' || mark == '\u0308' && letter == 'е'
	}
	return unicode.In(letter, unicode.Latin, unicode.Greek, unicode.Hebrew, unicode.Arabic)
}

// plainOf returns the plain form of a letter or digit that does not decompose.
func plainOf(r rune) string {
	if r <= unicode.MaxASCII {
		return string(r)
	}
	if plain, known := plainLetters[r]; known {
		return plain
	}
	if unicode.Is(unicode.Nd, r) {
		return string('0' + digitOf(r))
	}
	return string(r)
}

// plainLetters are the plain forms of letters that Unicode does not decompose. Persian and Urdu forms of Arabic
// letters get the Arabic form. Signs that only lengthen a line, or stand for a stop in the voice, are left out.
var plainLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'ħ': "h", 'ı': "i", 'þ': "th", 'ŋ': "n",
	'ŧ': "t", 'ƀ': "b", 'ɨ': "i", 'ƶ': "z", 'ȷ': "j",
	'ς': "σ",
	'ى': "ي", 'ی': "ي", 'ک': "ك", 'ہ': "ه", 'ە': "ه", 'ٱ': "ا", 'ـ': "",
	'ʻ': "", 'ʼ': "", 'ʽ': "", 'ʾ': "", 'ʿ': "", 'ʹ': "", 'ʺ': "",
}

// digitOf returns the value of a decimal digit. Unicode has the digits of each script in order, from 0.
func digitOf(r rune) rune {
	for _, part := range unicode.Nd.R16 {
		if r <= rune(part.Hi) {
			return (r - rune(part.Lo)) % 10
		}
	}
	for _, part := range unicode.Nd.R32 {
		if r <= rune(part.Hi) {
			return (r - rune(part.Lo)) % 10
		}
	}
	return 0
}
