package terminal

import (
	"strings"
	"unicode"
)

// Clean makes text of an unknown host safe to print: one line of valid UTF-8 that can neither control a terminal nor
// change the direction of the text after it.
func Clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case steers(r):
			return unicode.ReplacementChar
		}
		return r
	}, text) // Map writes U+FFFD for bytes that are not UTF-8
	return strings.Join(strings.Fields(text), " ")
}

// steers reports whether r controls a terminal or changes the direction of the text after it.
func steers(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// CleanLines does the same as [Clean] for a message of several lines.
func CleanLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = Clean(l)
	}
	return strings.Join(lines, "\n")
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

// CleanText does the same as [Clean] for a text whose lines and spaces must be kept.
func CleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && steers(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
