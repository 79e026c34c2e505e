// Package tokens splits texts into the words by which the embedded index finds them. Texts and queries are split in
// the same way. So a word of a query equals a word of a text regardless of case, of the marks that [Fold] leaves out,
// and of Unicode normalization form. A change to what the words are requires a new version of the index.
package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/search"
	"golang.org/x/text/unicode/norm"
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

// LeastStem is the minimum length of a word or stem, in characters. Shorter ones are not significant.
const LeastStem = 3

// longestWord is the maximum length of a natural-language word, in characters.
const longestWord = 40

// HasForms reports whether a text is a single word of letters, neither very short nor very long.
func HasForms(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= LeastStem && n <= longestWord && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) || isSpaceless(r)
	})
}

// goesOn holds the bytes that may come after the first letter of a word that has signs.
var goesOn = func() (table [256]bool) {
	for _, sign := range []string{"+", "#", ".", "＋", "＃", "♯"} {
		table[sign[0]] = true
	}
	return table
}()

// beyond continues a word of a single letter beyond the signs after it. The names of programming languages C++, G++,
// C#, F# and the like are words, so that they are told from C. So is an acronym with dots: U.S.A. is USA. Words
// that begin with a letter and go on otherwise end after the letter. The word begins at from, its first letter ends
// at to. It returns the word and its end.
func beyond(text string, from, to int, folded []byte) (word []byte, end int) {
	letter, size := utf8.DecodeRuneInString(text[from:])
	if size != to-from || !unicode.IsLetter(letter) {
		return folded, to
	}
	if signs, end := signsAt(text, to); signs != "" {
		if signs == "#" || folded[0] == 'c' || folded[0] == 'g' { // i++ is the variable i
			return append(folded, signs...), end
		}
		return folded, to
	}
	if !unicode.IsUpper(letter) {
		return folded, to
	}
	return acronym(text, to, folded)
}

// signsAt returns the signs of a language's name at an offset, and where they end.
func signsAt(text string, at int) (signs string, end int) {
	for _, s := range []struct{ written, signs string }{
		{"++", "++"}, {"＋＋", "++"}, {"#", "#"}, {"＃", "#"}, {"♯", "#"},
	} {
		if strings.HasPrefix(text[at:], s.written) {
			end := at + len(s.written)
			next, _ := utf8.DecodeRuneInString(text[end:])
			if s.signs == "#" && search.IsWordRune(next) || next == '+' || next == '#' {
				return "", at
			}
			return s.signs, end
		}
	}
	return "", at
}

// acronym continues a word of one capital letter, which ends at the offset at, if more such letters follow after dots.
// Two letters are an acronym only if a dot follows the second, because A.b is not the only code of this form.
func acronym(text string, at int, folded []byte) (word []byte, end int) {
	word, end = folded, at
	letters := 1
	for end < len(text) && text[end] == '.' {
		next, size := utf8.DecodeRuneInString(text[end+1:])
		if !unicode.IsUpper(next) {
			if search.IsWordRune(next) || letters < 2 {
				return folded, at
			}
			return word, end + 1
		}
		word, end, letters = append(word, Fold(string(next))...), end+1+size, letters+1
	}
	if next, _ := utf8.DecodeRuneInString(text[end:]); search.IsWordRune(next) && end < len(text) || letters < 3 {
		return folded, at
	}
	return word, end
}

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
