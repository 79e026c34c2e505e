package form

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestG1ShownValues checks what is said of a value of a page (G1).
func TestG1ShownValues(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	f := api.ItemField{Text: "84 EUR", State: "value", Entries: 2, First: &api.FieldPoint{Text: "79 EUR", At: now},
		Evidence: api.FieldEvidence{From: "css", Path: ".price"}}
	if have, want := fieldWords(f), "84 EUR; first 79 EUR on 2026-11-27; from css .price"; have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	gone := api.ItemField{State: "gone", Why: "the selector finds nothing", Entries: 1}
	if have, want := fieldWords(gone), "none (gone): the selector finds nothing"; have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	for _, tc := range []struct {
		of   *api.UnreadData
		want string
	}{
		{nil, ""},
		{&api.UnreadData{Why: "the page is not read whole"}, "no values: the page is not read whole"},
		{&api.UnreadData{Blocks: 2, Why: "it ends too early", Text: `{"a`},
			`2 blocks of the data that the page declares could not be read, the first because: it ends too early, at “{"a”`},
	} {
		if have := Unread(tc.of); have != tc.want {
			t.Errorf("have %s\nwant %s", have, tc.want)
		}
	}
}

// W25: TestW25RefusedEntries checks that the entries of a list that were not registered are shown with the reasons.
func TestW25RefusedEntries(t *testing.T) {
	l := &api.ListState{Refused: []api.RefusedEntry{{URL: "u", Why: "w"}, {URL: "v", Why: "x"}}, RefusedMore: 2}
	got, want := listWords(l), "0 entries; not registered: u: w; not registered: v: x; and 2 more entries"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
