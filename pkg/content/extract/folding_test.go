package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestN4CountedNumbers checks which numbers of a list are left out of its hash: those that browsers count, and no other
// number at the beginning of a line.
func TestN4CountedNumbers(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"a list":                     {"1. a\n2. b\n3. c", "- a\n- b\n- c"},
		"nested":                     {"1. a\n  1. b\n  2. c\n2. d\n  1. e", "- a\n- b\n- c\n- d\n- e"},
		"an item without text":       {"1. a\n3. b", "- a\n- b"},
		"an item that stands alone":  {"7. a", "- a"},
		"a later line of an item":    {"7. opened\n1998. was a good year", "- opened\n1998. was a good year"},
		"a number in an item":        {"1. 2024. a\n2. b", "- 2024. a\n- b"},
		"a later line that restarts": {"7. a\n3. b", "- a\n3. b"},
		"no list":                    {"12 a", "12 a"},
	} {
		if diff := cmp.Diff(tt.want, withoutNumbers(tt.text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestN4FoldedIsListed checks that a document lists the lines of which its hashes leave something out, each once, with
// the rule.
func TestN4FoldedIsListed(t *testing.T) {
	d := Document{Title: "Tides", Blocks: []Block{
		{Kind: Paragraph, Text: "17 people are viewing this"}, {Kind: Paragraph, Text: "Fee: 12 EUR"},
		{Kind: Paragraph, Text: "17 people are viewing this"}, {Kind: Paragraph, Text: "Updated 3 days ago"},
	}}
	h, folded := d.HashesFolded()
	want := []Folded{{"17 people are viewing this", "people now"}, {"Updated 3 days ago", "relative time"}}
	if diff := cmp.Diff(want, folded); diff != "" || h != d.Hashes() {
		t.Error(diff)
	}
}
