package tokens

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/search"
)

// The tokenizer splits at spaces and punctuation, so a Chinese sentence would be one word. Texts are therefore stored
// with a zero-width space between the characters of scripts that are written without spaces. Each such character
// becomes a word, and a sequence of them in a query becomes a phrase. The separator is removed from all texts that
// come in or go out.
const (
	separator = '\u200b'
	reserved1 = '\ufdd0' // noncharacters; removed because earlier indexes delimited highlights with them
	reserved2 = '\ufdd1'
)

// Plain returns a text that can be stored: valid UTF-8, without the reserved characters, and without NUL, because
// functions of SQLite stop at NUL.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case separator, reserved1, reserved2, 0:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// Separate returns a plain text with separators between the words of scripts without spaces. The text is in Unicode
// normalization form C, so that a letter matches whether the source wrote it composed or decomposed.
func Separate(s string) string {
	if isASCII(s) {
		return s
	}
	s = norm.NFC.String(Plain(s))
	if !strings.ContainsFunc(s, isSpaceless) {
		return s
	}
	var out strings.Builder
	last := rune(0)
	for _, r := range s {
		if needsBorder(last, r) {
			out.WriteRune(separator)
		}
		out.WriteRune(r)
		last = r
	}
	return out.String()
}

// isASCII reports whether s is ASCII without NUL. Such a text needs no conversion.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] == 0 {
			return false
		}
	}
	return true
}

// needsBorder reports whether a word ends between two adjacent characters.
func needsBorder(a, b rune) bool {
	return (isSpaceless(a) || isSpaceless(b)) && search.IsWordRune(a) && search.IsWordRune(b) && !isVoicing(b)
}

// isVoicing reports whether a character is a mark that changes the sound of the Japanese character before it.
func isVoicing(r rune) bool { return r == 'ﾞ' || r == 'ﾟ' || r == '\u3099' || r == '\u309a' }

// isSpaceless reports whether a character belongs to a script that is written without spaces between words. Korean has
// spaces, but not between a noun and its particles, or between the parts of a compound.
func isSpaceless(r rune) bool {
	if r < 0x0e00 || 0x2000 <= r && r < 0x2e80 { // signs stand there, which are frequent in all scripts
		return false
	}
	return r == 'ー' || r == 'ｰ' || isVoicing(r) || unicode.In(r, unicode.Han, unicode.Hiragana,
		unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Yi, unicode.Bopomofo,
		unicode.Hangul)
}

// Join removes the separators from a text.
func Join(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.ReplaceAll(s, string(separator), "")
}

// JoinRanges removes the separators from a text, and adjusts the ranges.
func JoinRanges(s string, ranges []search.Range) (string, []search.Range) {
	if isASCII(s) {
		return s, ranges
	}
	var out strings.Builder
	moved := slices.Clone(ranges)
	from := 0
	for {
		gap := strings.Index(s[from:], string(separator))
		if gap < 0 {
			break
		}
		at := from + gap
		for i, r := range ranges {
			if r.From > at {
				moved[i].From -= len(string(separator))
			}
			if r.To > at {
				moved[i].To -= len(string(separator))
			}
		}
		out.WriteString(s[from:at])
		from = at + len(string(separator))
	}
	out.WriteString(s[from:])
	return out.String(), moved
}
