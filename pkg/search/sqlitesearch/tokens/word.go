package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/search"
)

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
