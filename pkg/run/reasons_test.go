package run_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/tidemark/tidemark/pkg/run"
)

// TestExamplesAreOfCounts checks that each example belongs to a count, also when there are more reasons than counts.
func TestExamplesAreOfCounts(t *testing.T) {
	var counts run.Reasons
	var examples run.Examples
	for i := range 50 {
		reason := strconv.Itoa(i)
		examples.Note(counts.Add(reason, 1), "https://a.example/"+reason)
	}
	have, want := slices.Sorted(maps.Keys(examples)), slices.Sorted(maps.Keys(counts))
	other := examples["other reasons"]
	if !slices.Equal(have, want) || counts["other reasons"] != 10 || other != "https://a.example/40" {
		t.Errorf("examples of %q, counts of %q: %q", have, want, other)
	}
}
