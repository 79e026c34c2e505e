package terminal

import (
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Clean makes text of an unknown host safe to print; see [words.Clean].
func Clean(text string) string { return words.Clean(text) }

// CleanLines does the same as [Clean] for a message of several lines.
func CleanLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = Clean(l)
	}
	return strings.Join(lines, "\n")
}

// CleanPiece does the same as [Clean] for a piece of a longer text; see [words.CleanPiece].
func CleanPiece(s string) string { return words.CleanPiece(s) }

// CleanText does the same as [Clean] for a text whose lines and spaces must be kept.
func CleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && words.Steers(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
