package llm

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBatchesAreTheTexts checks that the batches of any texts contain all of them, in order, within bounds.
func TestBatchesAreTheTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.StringN(0, 60, -1)).Draw(t, "texts")
		count, tokens := rapid.IntRange(1, 5).Draw(t, "count"), rapid.IntRange(1, 40).Draw(t, "tokens")
		var all []string
		for from, batch := range Batches(texts, count, tokens) {
			size := 0
			for _, text := range batch {
				size += tokensIn(text)
			}
			if from != len(all) || len(batch) == 0 || len(batch) > count || size > tokens && len(batch) > 1 {
				t.Fatalf("batch at %d of %d texts, %d tokens; %d came before", from, len(batch), size, len(all))
			}
			all = append(all, batch...)
		}
		if !slices.Equal(all, texts) {
			t.Fatalf("have %q, want %q", all, texts)
		}
	})
}

func TestBatchesMayBeLeft(t *testing.T) {
	for range Batches([]string{"a", "b", "c"}, 1, 10) {
		break // a second yield would panic
	}
}

func TestTokens(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       int
	}{
		{"nothing", "", 1},
		{"English", strings.Repeat("tide ", 40), 51},
		{"Chinese counts by character", "潮汐表", 4},
	} {
		if have := tokensIn(tc.text); have != tc.want {
			t.Errorf("%s: have %d, want %d", tc.name, have, tc.want)
		}
	}
}

func TestUnit(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, tc := range []struct {
		name     string
		v, want  []float32
		directed bool
	}{
		{"scaled", []float32{3, 4}, []float32{0.6, 0.8}, true},
		{"tiny", []float32{3e-30, 4e-30}, []float32{0.6, 0.8}, true},
		{"none", nil, nil, false},
		{"zeros", []float32{0, 0}, []float32{0, 0}, false},
		{"not a number", []float32{1, nan}, nil, false},
		{"infinite", []float32{1, inf}, nil, false},
	} {
		v := slices.Clone(tc.v)
		if have := Unit(v); have != tc.directed || tc.directed && !slices.Equal(v, tc.want) {
			t.Errorf("%s: have %v %v, want %v %v", tc.name, have, v, tc.directed, tc.want)
		}
	}
}
