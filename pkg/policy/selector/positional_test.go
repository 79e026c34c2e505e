package selector_test

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// TestW33Positional checks which selectors find a row or an entry by its place (W33).
func TestW33Positional(t *testing.T) {
	for text, want := range map[string]bool{
		"tr:nth-of-type(3)": true, "main > table > tbody > tr:nth-child(3) > td": true, ".jobs > :nth-child( 2 )": true,
		".jobs > article.a:not(.b):nth-last-of-type(1) > h3": true, "h1, li:nth-child(2)": true,
		"tr:nth-of-type(2n+1)": false, "li:first-child": false, "tr.total > td:nth-of-type(2)": false,
		`tr:nth-of-type(3):named("x")`: false, ".price": false, `[title=":nth-child(2)"]`: false,
	} {
		if have := selector.IsPositional(text); have != want {
			t.Errorf("%s: %t", text, have)
		}
	}
}
