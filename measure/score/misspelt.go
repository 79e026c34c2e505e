package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tidemark/tidemark/pkg/search"
)

// misspelt is the number of words of a shelf that are misspelt.
const misspelt = 40

// wrongLetters are the letters that are misspelt: the first, the second, the third, and the last but one.
var wrongLetters = []string{"first", "second", "third", "later"}

// mistakes are the ways to misspell a word of at least six letters at one of them.
var mistakes = map[string]func(word []rune, at int) string{
	"changed":  func(w []rune, at int) string { return string(w[:at]) + other(w[at]) + string(w[at+1:]) },
	"dropped":  func(w []rune, at int) string { return string(w[:at]) + string(w[at+1:]) },
	"inserted": func(w []rune, at int) string { return string(w[:at]) + other(w[at]) + string(w[at:]) },
	"swapped": func(w []rune, at int) string {
		return string(w[:at]) + string(w[at+1]) + string(w[at]) + string(w[at+2:])
	},
}

// other returns a letter that the word does not have there.
func other(r rune) string {
	if r == 'k' {
		return "m"
	}
	return "k"
}

var longWord = regexp.MustCompile(`[\p{Ll}]{6,14}`)

// vocabulary returns the words of all pieces, and those of at least three pages in an order that was drawn.
func (s *shelf) vocabulary() (all map[string]map[string]bool, drawn []string) {
	all = map[string]map[string]bool{}
	for _, p := range s.pieces {
		for _, word := range longWord.FindAllString(strings.ToLower(p.text), -1) {
			if all[word] == nil {
				all[word] = map[string]bool{}
			}
			all[word][p.page] = true
		}
	}
	for word, pages := range inOrder(all) {
		if len(pages) >= 3 {
			drawn = append(drawn, word)
		}
	}
	rng := rand.New(rand.NewPCG(62, 7))
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return all, drawn
}

// reportMisspelt misspells words, and reports how often the word is what the answer says was meant.
func (s *shelf) reportMisspelt(out io.Writer) error {
	known, drawn := s.vocabulary()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nmeant\t%s\t\n", strings.Join(wrongLetters, "\t"))
	for mistake, make := range inOrder(mistakes) {
		fmt.Fprint(w, mistake)
		for nth := range wrongLetters {
			right, n := 0, 0
			for _, word := range drawn[:min(misspelt, len(drawn))] {
				letters := []rune(word)
				at := nth
				if nth == len(wrongLetters)-1 {
					at = len(letters) - 2
				}
				query := make(slices.Clone(letters), at)
				if known[query] != nil || query == word {
					continue
				}
				n++
				found, err := s.index.Search(context.Background(), search.Query{Text: query, Top: 1})
				if err != nil {
					return err
				}
				if found.DidYouMean == word {
					right++
				}
			}
			fmt.Fprintf(w, "\t%d of %d", right, n)
		}
		fmt.Fprint(w, "\t\n")
	}
	return w.Flush()
}
