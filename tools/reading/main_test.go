package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDraw checks that a seed draws the same texts again, each once, and that both kinds are there to draw from.
func TestDraw(t *testing.T) {
	all, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(all.comments) < 1000 || len(all.sentences) < 200 {
		t.Fatalf("only %d comments and %d sentences were found", len(all.comments), len(all.sentences))
	}
	first := draw(rand.New(rand.NewPCG(trialSeed, 0)), slices.Clone(all.comments), trialComments)
	again := draw(rand.New(rand.NewPCG(trialSeed, 0)), slices.Clone(all.comments), trialComments)
	if len(first) != trialComments || !slices.Equal(first, again) {
		t.Errorf("one seed drew %d and %d texts, or different ones", len(first), len(again))
	}
	other := draw(rand.New(rand.NewPCG(trialSeed+1, 0)), slices.Clone(all.comments), trialComments)
	if slices.Equal(first, other) {
		t.Error("another seed drew the same texts")
	}
}

func TestSentencesOf(t *testing.T) {
	const text = "One two three four five six seven eight. Short. Nine words stand in this sentence, all of them plain"
	want := []string{"f\nOne two three four five six seven eight.",
		"f\nNine words stand in this sentence, all of them plain"}
	if have := sentencesOf("f", text); !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}
