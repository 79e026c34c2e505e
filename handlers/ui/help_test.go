package ui

import (
	"bytes"
	"strings"
	"testing"
)

// TestL7HelpIsSafe checks that a document can contain only text, and links to pages and to the web (L7).
func TestL7HelpIsSafe(t *testing.T) {
	for _, tt := range []struct{ markdown, want string }{
		{"a <script>alert(1)</script> b", "<p>a <!-- raw HTML omitted -->alert(1)<!-- raw HTML omitted --> b</p>\n"},
		{"[x](javascript:alert(1)) [y](data:text/html,z) ![p](images/a.png)", "<p>x y p</p>\n"},
		{"[a *b* c](../pkg/api)", "<p>a <em>b</em> c</p>\n"},
		{"[guide](guide.md#search) [top](help.md) [web](https://a.example/?a=1&b=2) [here](#x)",
			`<p><a href="/api/ui/help/guide#search">guide</a> <a href="/api/ui/help">top</a> ` +
				`<a href="https://a.example/?a=1&amp;b=2">web</a> <a href="#x">here</a></p>` + "\n"},
		{"| a | b |\n|---|--:|\n| 1 | 2 |", `<td align="right">2</td>`},
	} {
		var out bytes.Buffer
		if err := handbook.Convert([]byte(tt.markdown), &out); err != nil || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: %v\n%s\nwant %s", tt.markdown, err, &out, tt.want)
		}
	}
}
