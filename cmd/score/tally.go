package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// tally is what an extractor got right so far.
type tally struct {
	pages                 int // with their whole text
	precision, recall, f1 float64
	kept, lost, strays    int // phrases
}

// add scores the text found on one page.
func (t *tally) add(p page, have string) {
	if p.hasText {
		precision, recall := overlap(p.text, have)
		t.pages++
		t.precision += precision
		t.recall += recall
		t.f1 += harmonic(precision, recall)
	}
	folded := extract.Fold(have)
	for _, phrase := range p.keep {
		if strings.Contains(folded, extract.Fold(phrase)) {
			t.kept++
		} else {
			t.lost++
		}
	}
	for _, phrase := range p.drop {
		if strings.Contains(folded, extract.Fold(phrase)) {
			t.strays++
		}
	}
}

// words are the scores by words as columns, phrases those by phrases.
func (t *tally) words() string {
	n := float64(t.pages)
	return columns(t.pages > 0, t.precision/n, t.recall/n, t.f1/n)
}

func (t *tally) phrases() string {
	kept := float64(t.kept)
	precision, recall := kept/float64(t.kept+t.strays), kept/float64(t.kept+t.lost)
	return columns(t.kept > 0, precision, recall, harmonic(precision, recall))
}

func columns(known bool, precision, recall, f1 float64) string {
	if !known {
		return "-\t-\t-"
	}
	return fmt.Sprintf("%.3f\t%.3f\t%.3f", precision, recall, f1)
}

// overlap counts the words that two texts share, each as often as both have it. Two empty texts
// agree.
func overlap(want, have string) (precision, recall float64) {
	w, h := countWords(want), countWords(have)
	shared, wanted, had := 0, 0, 0
	for word, n := range w {
		wanted += n
		shared += min(n, h[word])
	}
	for _, n := range h {
		had += n
	}
	return share(shared, had, wanted == 0), share(shared, wanted, had == 0)
}

func share(part, whole int, otherIsEmpty bool) float64 {
	if whole > 0 {
		return float64(part) / float64(whole)
	}
	if otherIsEmpty {
		return 1
	}
	return 0
}

func countWords(s string) map[string]int {
	count := map[string]int{}
	isGap := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(extract.Fold(s)), isGap) {
		count[word]++
	}
	return count
}

func harmonic(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}
