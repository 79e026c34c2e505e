package ui

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestALookBackShowsTheNewText checks that a line about what would have been told has the text after a change, with the
// one before if they belong together, and what went only if nothing came.
func TestALookBackShowsTheNewText(t *testing.T) {
	old, now := api.ChangedPassage{Text: "Open on Mondays", Op: "removed"}, api.ChangedPassage{Text: "Closed", Op: "added"}
	paired := old
	paired.Pieces = []api.DiffPiece{{Text: old.Text}}
	for want, passages := range map[string][]api.ChangedPassage{
		"Open on Mondays → Closed": {paired, now},
		"+ Closed":                 {old, now},
		"- Open on Mondays":        {old},
	} {
		if have := toldOf(api.FeedChange{Passages: passages}); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
}
