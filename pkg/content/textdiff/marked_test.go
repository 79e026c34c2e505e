package textdiff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// marked writes pieces as a text in which the words that differ are in brackets.
func marked(all []Piece) string {
	var b strings.Builder
	for _, p := range all {
		if p.Hit {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// W20: TestW20Words checks which words of two passages are marked, also where both were cut.
func TestW20Words(t *testing.T) {
	for name, tt := range map[string]struct{ old, text, before, after string }{
		"a price":           {"Price: 79 EUR", "Price: 84 EUR", "Price: [79] EUR", "Price: [84] EUR"},
		"nothing in common": {"Open every day", "Closed until May", "", ""},
		"a word is added": {"You may moor here", "You may not moor here", "You may moor here",
			"You may [not] moor here"},
		"cut at another place": {"It costs 5 euros to moor…", "It costs 16 euros to…", "It costs [5] euros to moor…",
			"It costs [16] euros to…"},
		"cut at both ends": {"…old wall, six feet to the…", "…wall, ten feet to…", "…old wall, [six] feet to the…",
			"…wall, [ten] feet to…"},
		"the end is not cut": {"It costs 5 euros to moor", "It costs 16 euros", "It costs [5] euros [to moor]",
			"It costs [16] euros"},
		"words without a space": {"Preis 79€", "Preis 84€", "Preis [79€]", "Preis [84€]"},
	} {
		before, after := Words(tt.old, tt.text)
		if diff := cmp.Diff([]string{tt.before, tt.after}, []string{marked(before), marked(after)}); diff != "" {
			t.Errorf("%s: (-want +have)\n%s", name, diff)
		}
	}
}

// FuzzMarked checks that pieces are the passages, and that two equal passages do not differ.
func FuzzMarked(f *testing.F) {
	f.Add("…It costs 5 euros to…", "…costs 6 euros to moor…")
	f.Add(" a", "a  …")
	f.Fuzz(func(t *testing.T, old, text string) {
		before, after := Words(old, text)
		if before != nil && (join(before) != old || join(after) != text) {
			t.Errorf("%q, %q: %v, %v", old, text, before, after)
		}
		if x, _ := Words(text, text); strings.Contains(marked(x), "[") && !strings.Contains(text, "[") {
			t.Errorf("%q differs from itself: %v", text, x)
		}
	})
}
