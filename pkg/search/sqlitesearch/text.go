package sqlitesearch

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/search"
)

// The tokenizer cuts words at spaces and punctuation, so a Chinese sentence would be one word.
// Texts are therefore stored with a zero-width space between the characters of scripts that write
// no spaces; each becomes a word, and a run of them in a query a phrase. The separator and the
// marks of highlighting are taken out of every text that comes in, and the separator out of every
// text that goes out, so a text cannot be mistaken for marks.
const (
	separator = '\u200b'
	markOpen  = '\ufdd0' // noncharacters: Unicode keeps them for a program's own use
	markClose = '\ufdd1'
)

// plain makes a text fit to be stored: valid, without our own characters and without NUL, where
// SQLite's functions stop.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case separator, markOpen, markClose, 0:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// separated is a plain text with separators. Letters that can be written with one character or several
// are written with one, or those of a file that decomposes them would not be found.
func separated(s string) string {
	if isASCII(s) {
		return s
	}
	s = norm.NFC.String(plain(s))
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

// isASCII reports whether s is ASCII without NUL, which needs no work.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] == 0 {
			return false
		}
	}
	return true
}

// needsBorder reports whether a word ends between two characters that stand side by side.
func needsBorder(a, b rune) bool {
	return search.IsWordRune(a) && search.IsWordRune(b) && (isSpaceless(a) || isSpaceless(b))
}

// isSpaceless reports characters of scripts that are written without spaces between words.
func isSpaceless(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar, unicode.Yi, unicode.Bopomofo)
}

// unseparated is the text as it came in.
func unseparated(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.ReplaceAll(s, string(separator), "")
}

// unseparatedRanges is the text as it came in, and where ranges of it are then.
func unseparatedRanges(s string, ranges []search.Range) (string, []search.Range) {
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
