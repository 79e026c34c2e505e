package main

import (
	"slices"
	"strings"
	"testing"
)

// TestT5Difference checks the interval of the difference of two sets of questions.
func TestT5Difference(t *testing.T) {
	one, none := slices.Repeat([]float64{1}, 30), slices.Repeat([]float64{0}, 30)
	if from, to := intervalOf(one, none); from < .999 || to > 1.001 {
		t.Errorf("of certain sets: %v to %v", from, to)
	}
	mixed := append(slices.Clone(one), none...)
	if from, to := intervalOf(mixed, mixed); from > -.1 || to < .1 || from < -.3 || to > .3 {
		t.Errorf("of equal sets: %v to %v", from, to)
	}
	var out strings.Builder
	printSets(&out, []asked{{question: question{set: "a"}, position: 2}, {question: question{set: "b"}}})
	const want = "a: 1 questions, MRR 0.500\nb: 1 questions, MRR 0.000\n" +
		"difference +0.500, 95 % interval +0.500 to +0.500\n"
	if out.String() != want {
		t.Errorf("have %q, want %q", out.String(), want)
	}
}
