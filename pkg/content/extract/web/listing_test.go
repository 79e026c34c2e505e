package web

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// TestC3Languages checks that the language of a listing is the one that the page names, in any of the usual ways.
func TestC3Languages(t *testing.T) {
	for _, tc := range []struct{ name, contentType, body, want string }{
		{"standard", "text/html", `<pre><code class="hljs language-Go">a</code></pre>`, "go"},
		{"on the pre element", "text/html", `<pre class="lang-c++ prettyprint">a</pre>`, "c++"},
		{"around it", "text/html", `<div class="highlight-source-shell"><div class="highlight"><pre>a</pre></div></div>`,
			"shell"},
		{"by an attribute", "text/html", `<pre><code data-lang="toml">a</code></pre>`, "toml"},
		{"the code element first", "text/html", `<pre class="language-html"><code class="language-jsx">a</code></pre>`,
			"jsx"},
		{"none", "text/html", `<pre><code class="hljs highlight">a</code></pre>`, ""},
		{"an empty one", "text/html", `<pre class="language-"><code data-lang="">a</code></pre>`, ""},
		{"no name", "text/html", `<pre class="language-` + strings.Repeat("x", 33) + `">a</pre>`, ""},
		{"fence", "text/markdown", "```Go\na\n```\n", "go"},
		{"fence with more than a name", "text/markdown", "```js{1,3} title=\"x\"\na\n```\n", "js"},
		{"fence with attributes only", "text/markdown", "~~~ {.go}\na\n~~~\n", ""},
		{"fence without", "text/markdown", "```\na\n```\n", ""},
		{"indented", "text/markdown", "    a\n", ""},
		{"plain text", "text/plain", "    a\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := Extract([]byte(tc.body), tc.contentType, goldenBase, extract.Limits{})
			if err != nil || len(doc.Blocks) != 1 {
				t.Fatalf("%v, %+v", err, doc.Blocks)
			}
			if b := doc.Blocks[0]; b.Kind != extract.Code || b.Language != tc.want {
				t.Errorf("have %+v, want %q", b, tc.want)
			}
		})
	}
}
