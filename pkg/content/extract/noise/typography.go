package noise

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Typography returns a line in a form that is the same for all variants of writing. It unifies quotation marks,
// dashes, spaces, and composed and decomposed letters, and drops characters that nobody sees.
func Typography(line string) string {
	if isPlain(line) {
		return line
	}
	if !norm.NFC.IsNormalString(line) {
		line = norm.NFC.String(line)
	}
	out := make([]byte, 0, len(line))
	for i, r := range line {
		switch form := oneForm(r); {
		case form != "":
			if r == '»' && len(out) > 0 && out[len(out)-1] == ' ' {
				out = out[:len(out)-1] // « so » is the same as «so»
			}
			out = append(out, form...)
		case unicode.IsSpace(r):
			if len(out) > 0 && out[len(out)-1] == ' ' || strings.HasSuffix(line[:i], "«") {
				continue
			}
			out = append(out, ' ')
		case unseen(r):
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	// Some of the dropped characters may have separated letters that now combine.
	return norm.NFC.String(string(out))
}

// isPlain reports whether a line is ASCII text with single spaces, which Typography would not change.
func isPlain(line string) bool {
	for i := range len(line) {
		if c := line[i]; c >= utf8.RuneSelf || c < ' ' || c == 0x7f || c == ' ' && i > 0 && line[i-1] == ' ' {
			return false
		}
	}
	return true
}

// unseen reports whether r is a character that readers do not see: a soft hyphen, a direction mark, a variation
// selector or the like.
func unseen(r rune) bool {
	switch {
	case r == '\u00ad', r == '\u061c', r == '\u200b', r == '\u2060', r == '\ufeff', '\u200e' <= r && r <= '\u200f',
		'\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', '\ufe00' <= r && r <= '\ufe0f',
		0xe0100 <= r && r <= 0xe01ef:
		return true
	}
	return false
}

// oneForm returns the hashed form of a punctuation mark that is written differently in different regions. It returns
// "" for other characters.
func oneForm(r rune) string {
	switch r {
	case '“', '”', '„', '‟', '«', '»', '″', '＂':
		return `"`
	case '‘', '’', '‚', '‛', '′', '‹', '›', '´', '＇':
		return "'"
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return "-"
	case '…':
		return "..."
	}
	return ""
}

// Line returns the hashed form of a line. The line may be from any kind of block. Text that would be content in a
// table, a list or a definition is therefore treated as content.
func Line(line string) string {
	s := Filter{DayFirst: true}
	switch trimmed := strings.TrimSpace(line); {
	case strings.Contains(trimmed, " | ") || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, ": "):
		s.facts = true
	case strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "#"):
		s.list = true
	}
	s.add(Typography(line))
	return string(s.Out)
}
