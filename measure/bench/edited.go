package main

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/myers"

	"github.com/tidemark/tidemark/pkg/content/chunk"
)

// editedTokens returns the size of an edit: the number of tokens in the lines that a line diff adds or changes.
// Removed lines do not count.
func editedTokens(old, new string) (tokens int) {
	for _, line := range added(lines(old), lines(new)) {
		tokens += chunk.Tokens(line)
	}
	return tokens
}

// lines returns the lines of a text that are not blank.
func lines(text string) []string {
	all := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	return slices.DeleteFunc(all, func(line string) bool { return strings.TrimSpace(line) == "" })
}

// added returns the new lines that are not in the longest common subsequence of both texts.
func added(old, new []string) (out []string) {
	text := func(lines []string) string { return strings.Join(append(lines, ""), "\n") }
	for _, e := range myers.ComputeEdits(text(old), text(new)) {
		out = append(out, lines(e.New)...)
	}
	return out
}
