package main

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/myers"

	"github.com/tidemark/tidemark/pkg/content/chunk"
)

// editedTokens is the size of an edit: the tokens of the lines that a difference by lines adds or
// changes. What is only taken out has none.
func editedTokens(old, new string) (tokens int) {
	for _, line := range added(lines(old), lines(new)) {
		tokens += chunk.Tokens(line)
	}
	return tokens
}

// lines are those of a text that say something.
func lines(text string) []string {
	all := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	return slices.DeleteFunc(all, func(line string) bool { return strings.TrimSpace(line) == "" })
}

// added are the lines of new that are not in the longest common subsequence of both.
func added(old, new []string) (out []string) {
	text := func(lines []string) string { return strings.Join(append(lines, ""), "\n") }
	for _, e := range myers.ComputeEdits(text(old), text(new)) {
		out = append(out, lines(e.New)...)
	}
	return out
}
