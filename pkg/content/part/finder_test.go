package part

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

// W22: TestW22SearchIsBounded checks that a line counts that is too expensive to search.
func TestW22SearchIsBounded(t *testing.T) {
	m := &finder{counts: map[string]bool{"79": true}, lines: []string{"79"}, left: maxSearched}
	line, hits := "seen 12 times", []span{{5, 7}}
	if got := m.of(line, hits); got.differs {
		t.Fatalf("a counter counts: %+v", got)
	}
	for _, left := range []int{0, eachSearch + len(line) - 1, eachSearch + len(line) + 1} {
		m.left = left
		if got := m.of(line, hits); !got.differs {
			t.Errorf("with %d bytes, a line that was not searched does not count: %+v", left, got)
		}
	}
}

// FuzzFinder checks that the places of a text in a line are of this text and in order, that a text is found in itself
// and between other words, and that a text that is in a line is also found word by word.
func FuzzFinder(f *testing.F) {
	f.Add("Price: 79 EUR, seen 12 times since May.", "Price: 79 EUR, since May.")
	f.Add("价格79元，12人看过，五月起。", "价格79元，，五月起。")
	f.Add("17 7", "7")
	f.Add("a\xff b", "\xff")
	f.Fuzz(func(t *testing.T, line, text string) {
		text = strings.TrimSpace(text)
		if text == "" {
			return
		}
		m := &finder{left: maxSearched}
		for _, find := range []func(line, text string) []span{m.occurrences, m.scattered} {
			at := 0
			for _, f := range find(line, text) {
				if f.from < at || f.to <= f.from || !strings.Contains(text, line[f.from:f.to]) {
					t.Fatalf("%q is at %v in %q", text, f, line)
				}
				at = f.to
			}
			if len(find("( "+text+" )", text)) == 0 || len(find(text, text)) == 0 {
				t.Errorf("%q is not found in itself", text)
			}
		}
		if len(m.occurrences(line, text)) > 0 && len(m.scattered(line, text)) == 0 {
			t.Errorf("the words of %q are not in %q, where it is", text, line)
		}
		for _, h := range hitsOf([]textdiff.Piece{{Text: line}, {Text: text, Hit: true}}) {
			if (line + text)[h.from:h.to] != text {
				t.Errorf("%v is not %q", h, text)
			}
		}
	})
}
