package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// H14: TestH14PagesOfPrograms checks code and formulas in pages that programs made; see testdata/made/README.md for
// how.
func TestH14PagesOfPrograms(t *testing.T) {
	code := extract.Block{Kind: extract.Code, Language: "go",
		Text: "// opens the lock\nfunc open(n int) string {\n\treturn \"lock \" + name[n] // see <docs>\n}"}
	formulas := func(integral, square, energy string) []extract.Block {
		return []extract.Block{
			{Kind: extract.Paragraph, Text: "The integral is $" + integral + "$ and the square is $" + square + "$."},
			{Kind: extract.Paragraph, Text: "$$" + energy + "$$"}, {Kind: extract.Paragraph, Text: "That is all."},
		}
	}
	sphinxCode := code
	sphinxCode.Text = strings.Replace(code.Text, "\t", "     ", 1) // as Sphinx writes it
	for name, want := range map[string][]extract.Block{
		"prism": {code}, "hljs": {code}, "shiki": {code},
		"katex":    formulas(`\frac{\sqrt{\pi}}{2}`, "x^2", "E = mc^2"),
		"mathjax2": formulas(`\frac{\sqrt{\pi}}{2}`, "x^2", "E = mc^2"),
		"mathjax3": formulas(`\frac{\sqrt{π}}{2}`, "{x}^{2}", "E=m{c}^{2}"),
		"sphinx": {{Kind: extract.Paragraph, Text: "The square is $x^2$, as noted. [^1]"},
			{Kind: extract.Paragraph, Text: "$$E = mc^2$$"},
			sphinxCode, {Kind: extract.List, Text: "depth\n: How deep the basin is.\nlength\n: How long a ship may be."},
			{Kind: extract.Table, Text: "| Berth | Depth |\n| --- | --- |\n| 4 | 6.5 m |\n| 7 | 11 m |"},
			{Kind: extract.Paragraph, Text: "[^1]:"}, {Kind: extract.Paragraph, Text: "By the harbour master."}},
	} {
		doc := extractString(t, readPage(t, "made/"+name+".html"))
		heading := extract.Block{Kind: extract.Heading, Level: 1, Text: "Locks"}
		if name == "sphinx" {
			heading.Anchor = "locks"
		}
		want = append([]extract.Block{heading}, want...)
		if diff := cmp.Diff(want, doc.Blocks); diff != "" {
			t.Errorf("%s: -want +have\n%s", name, diff)
		}
	}
}

// H14: TestH14Pieces checks pieces of pages and the blocks that they become.
func TestH14Pieces(t *testing.T) {
	for name, tc := range map[string]struct {
		html string
		want []extract.Block
	}{
		"spans": {`<table><tr><th rowspan=2>Berth<th colspan=2>Depth<tr><th>low<th>high<tr><td>4<td>6<td>8</table>`,
			[]extract.Block{{Kind: extract.Table,
				Text: "| Berth | Depth | Depth |\n| --- | --- | --- |\n| Berth | low | high |\n| 4 | 6 | 8 |"}}},
		"no header, a bar, an empty column": {`<table><tr><td><img src=a.png><td>a|b<td>c<tr><td><td>d<td>e</table>`,
			[]extract.Block{{Kind: extract.Table, Text: "|  |  |\n| --- | --- |\n| a\\|b | c |\n| d | e |"}}},
		"a table in a table is no data": {`<table><tr><td>left<td><table><tr><th>x<th>y<tr><td>1<td>2</table></table>`,
			[]extract.Block{{Kind: extract.Paragraph, Text: "left"},
				{Kind: extract.Table, Text: "| x | y |\n| --- | --- |\n| 1 | 2 |"}}},
		"Wikipedia": {`<p>So <span class="mwe-math-element"><span style="display:none"><math alttext="{\displaystyle x^{2}}">
			<mi>x</mi></math></span><img class="mwe-math-fallback-image-inline" alt="{\displaystyle x^{2}}"></span>.`,
			[]extract.Block{{Kind: extract.Paragraph, Text: "So $x^{2}$."}}},
		"LaTeXML": {`<p><math alttext="a_{1}"><semantics><mi>a</mi></semantics></math>`,
			[]extract.Block{{Kind: extract.Paragraph, Text: "$a_{1}$"}}},
		"bare MathML": {`<math display=block><mroot><mi>x</mi><mn>3</mn></mroot><mo>=</mo><munderover><mo>∑</mo><mi>i</mi>
			<mi>n</mi></munderover><mtable><mtr><mtd>1</mtd><mtd><mi>b</mi></mtd></mtr></mtable></math>`,
			[]extract.Block{{Kind: extract.Paragraph, Text: `$$\sqrt[3]{x}={∑}_{i}^{n} & b \\$$`}}},
		"tasks": {`<ul><li class="task-list-item"><input type=checkbox checked> lock<li><input type=checkbox disabled> gate
			<li><label><input type=checkbox>Brand</label></ul>`,
			[]extract.Block{{Kind: extract.List, Text: "- [x] lock\n- [ ] gate"}}},
		"footnotes of GitHub": {`<p>Closed<sup><a href="#user-content-fn-1" data-footnote-ref>1</a></sup>.</p><section
			class="footnotes"><ol><li id="user-content-fn-1"><p>By storm. <a href="#x" data-footnote-backref>↩</a></p></ol></section>`,
			[]extract.Block{{Kind: extract.Paragraph, Text: "Closed[^1]."}, {Kind: extract.List, Text: "[^1]: By storm."}}},
		"definitions": {`<dl><div><dt>depth<dd>of the basin<dd>of a ship</div></dl>`,
			[]extract.Block{{Kind: extract.List, Text: "depth\n: of the basin\n: of a ship"}}},
		"definitions that hold more": {`<dl><dt>open<dd><pre>open(1)</pre></dl>`,
			[]extract.Block{{Kind: extract.Paragraph, Text: "open"}, {Kind: extract.Code, Text: "open(1)"}}},
		"language beside numbers": {`<div class="language-ruby"><table><tr><td class="gutter"><pre>1</pre><td><pre>x = 1</pre></table></div>`,
			[]extract.Block{{Kind: extract.Code, Text: "x = 1", Language: "ruby"}}},
		"brush": {`<pre class="brush: js; toolbar: false">x = 1</pre>`, []extract.Block{{Kind: extract.Code, Text: "x = 1", Language: "js"}}},
	} {
		doc := extractString(t, "<main>"+tc.html+"</main>")
		if diff := cmp.Diff(tc.want, extract.MainBlocks(doc.Blocks)); diff != "" {
			t.Errorf("%s: -want +have\n%s", name, diff)
		}
	}
}

// H14, S1: TestH14SpansAreBounded checks that spans make a table at most about twice as large.
func TestH14SpansAreBounded(t *testing.T) {
	page := "<table><tr><th>a<th>b" + strings.Repeat("<tr><td colspan=1000 rowspan=1000>"+strings.Repeat("x", 80), 200)
	if doc := extractString(t, page); len(doc.Text) > 3*len(page) {
		t.Errorf("%d bytes of %d", len(doc.Text), len(page))
	}
}
