package ui

import (
	"slices"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestZ2BodiesAreShownOnce checks that a body read under several versions is one line in an item's captures and is
// not compared with itself.
func TestZ2BodiesAreShownOnce(t *testing.T) {
	var shown []string
	for _, p := range pairs(bodies([]api.Capture{
		{SHA256: "b", NormalizationVersion: "v2"}, {SHA256: "b", NormalizationVersion: "v1"},
		{SHA256: "a", NormalizationVersion: "v1"},
	})) {
		shown = append(shown, p.SHA256+" "+p.NormalizationVersion+" after "+p.Before)
	}
	if want := []string{"b v2 after a", "a v1 after "}; !slices.Equal(shown, want) {
		t.Errorf("have %q, want %q", shown, want)
	}
}
