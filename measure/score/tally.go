package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// tally has the results of an extractor so far.
type tally struct {
	pages                 int // pages that were scored by their whole text
	precision, recall, f1 float64
	runs                  [2]float64 // precision and recall by runs of four words
	kept, lost, strays    int        // numbers of phrases
}

// add scores the text found on one page.
func (t *tally) add(p page, have string) {
	if p.hasText {
		precision, recall := overlap(p.text, have)
		t.pages++
		t.precision += precision
		t.recall += recall
		t.f1 += harmonic(precision, recall)
		precision, recall = overlapOf(countRuns(p.text), countRuns(have))
		t.runs[0] += precision
		t.runs[1] += recall
	}
	folded := dom.Fold(have)
	for _, phrase := range p.keep {
		if strings.Contains(folded, dom.Fold(phrase)) {
			t.kept++
		} else {
			t.lost++
		}
	}
	for _, phrase := range p.drop {
		if strings.Contains(folded, dom.Fold(phrase)) {
			t.strays++
		}
	}
}

// words formats the scores by words as columns of the table. The phrases method does the same for the scores by
// phrases.
func (t *tally) words() string {
	n := float64(t.pages)
	return columns(t.pages > 0, t.precision/n, t.recall/n, t.f1/n)
}

// inRuns formats the scores by runs of four words, as the article-extraction-benchmark has them: F1 is computed from
// the means.
func (t *tally) inRuns() string {
	p, r := t.runs[0]/float64(t.pages), t.runs[1]/float64(t.pages)
	return columns(t.pages > 0, p, r, harmonic(p, r))
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

// overlap compares the words of two texts. A word that both texts have counts as often as in the text where it
// is less frequent. Two empty texts agree.
func overlap(want, have string) (precision, recall float64) {
	return overlapOf(countWords(want), countWords(have))
}

func overlapOf(w, h map[string]int) (precision, recall float64) {
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
	for _, word := range wordsOf(s) {
		count[word]++
	}
	return count
}

// countRuns counts each run of four words. A shorter text counts as one run.
func countRuns(s string) map[string]int {
	const length = 4
	count := map[string]int{}
	words := wordsOf(s)
	for i := 0; i < max(1, len(words)-length+1) && len(words) > 0; i++ {
		count[strings.Join(words[i:min(i+length, len(words))], " ")]++
	}
	return count
}

func wordsOf(s string) []string {
	isGap := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }
	return strings.FieldsFunc(strings.ToLower(dom.Fold(s)), isGap)
}

func harmonic(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}
