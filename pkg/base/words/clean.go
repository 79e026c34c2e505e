package words

import (
	"strings"
	"unicode"
)

// Clean makes text of an unknown host safe to print: one line of valid UTF-8 that can neither control what shows it nor
// change the direction of the text after it.
func Clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case Steers(r):
			return unicode.ReplacementChar
		}
		return r
	}, text) // Map writes U+FFFD for bytes that are not UTF-8
	return strings.Join(strings.Fields(text), " ")
}

// Steers reports whether r is a control character, or changes the direction of the text after it.
func Steers(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// CleanPiece does the same as [Clean] for a piece of a longer text: space at either end becomes one space.
func CleanPiece(s string) string {
	text := Clean(s)
	if text == "" {
		return strings.Repeat(" ", min(1, len(s)))
	}
	if strings.TrimLeft(s[:1], " \t\r\n") == "" {
		text = " " + text
	}
	if strings.TrimRight(s[len(s)-1:], " \t\r\n") == "" {
		text += " "
	}
	return text
}
