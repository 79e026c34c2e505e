package main

import (
	"slices"
	"sort"
	"strings"

	"github.com/tidemark/tidemark/pkg/chunk"
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

// added are the lines of new that are not in the longest common subsequence of both, by the way of
// Hunt and Szymanski (https://doi.org/10.1145/359581.359603).
func added(old, new []string) (out []string) {
	places := map[string][]int{} // in old, last first
	for i := len(old) - 1; i >= 0; i-- {
		places[old[i]] = append(places[old[i]], i)
	}
	type match struct {
		line   int // of new
		before *match
	}
	var ends []int       // least place in old where a common subsequence of each length ends
	var matches []*match // its last match
	for line, text := range new {
		for _, place := range places[text] {
			n := sort.SearchInts(ends, place)
			if n == len(ends) {
				ends, matches = append(ends, 0), append(matches, nil)
			}
			m := &match{line: line}
			if n > 0 {
				m.before = matches[n-1]
			}
			ends[n], matches[n] = place, m
		}
	}
	common := map[int]bool{}
	if n := len(matches); n > 0 {
		for m := matches[n-1]; m != nil; m = m.before {
			common[m.line] = true
		}
	}
	for line, text := range new {
		if !common[line] {
			out = append(out, text)
		}
	}
	return out
}
