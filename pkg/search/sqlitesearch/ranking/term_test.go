package ranking

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct{ name, query, want string }{
		{"words", "a  b", "a, b"},
		{"phrase between words", `a "b c" d`, "a, b c, d"},
		{"prefixes", `a* "b c"* d`, "a*, b c*, d"},
		{"unclosed quote", `a "b c`, "a, b, c"},
		{"operators are words", "NOT a OR (b)", "not, a, or, b"},
		{"doubled word", "a a a*", "a, a*"},
		{"nothing to look for", `- "" "!" * 🐟`, ""},
		{"spaceless script", "Go言語", "go 言 語"},
		{"quote inside a word", `a"b"c`, "a, b, c"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var terms []string
			for _, term := range Parse(tc.query) {
				text := strings.Join(term.Tokens, " ")
				if term.Prefix {
					text += "*"
				}
				terms = append(terms, text)
			}
			if have := strings.Join(terms, ", "); have != tc.want {
				t.Errorf("have %s, want %s", have, tc.want)
			}
		})
	}
	if n := len(Parse(numbered(100))); n != search.MaxTerms {
		t.Errorf("have %d terms, want %d", n, search.MaxTerms)
	}
}

// numbered returns a query of n words.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}
