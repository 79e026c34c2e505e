package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// Bounds copied from package blocks.
const (
	maxAnchor  = 200
	maxWithin  = 200
	maxAnchors = 5_000
)

// anchorsOf returns the anchors of the headings of a document, in order.
func anchorsOf(doc extract.Document) (all []string) {
	for _, b := range doc.Blocks {
		if b.Kind == extract.Heading {
			all = append(all, b.Text+" #"+b.Anchor)
		}
	}
	return all
}

// J4: TestJ4Anchors checks the id by which a browser jumps to a heading, in the markup of common programs. Unless a
// row has another heading, its heading is called Quay.
func TestJ4Anchors(t *testing.T) {
	long := strings.Repeat("x", maxAnchor)
	for name, tc := range map[string]struct{ html, want string }{
		"own":        {`<h2 id=quay>Quay</h2>`, "Quay #quay"},
		"none":       {`<h2>Quay</h2>`, "Quay #"},
		"Sphinx":     {`<section id="quay"><h1>Quay<a class="headerlink" href="#quay">¶</a></h1></section>`, "Quay #quay"},
		"Sphinx 3":   {`<div class="section" id="quay"><span id="old"></span><h2>Quay</h2></div>`, "Quay #old"},
		"docutils":   {`<div id="quay"><h2><a class="toc-backref" href="#id1">Quay</a></h2></div>`, "Quay #quay"},
		"MkDocs":     {`<h2 id="quay">Quay<a class="headerlink" href="#quay" title="Permanent link">&para;</a></h2>`, "Quay #quay"},
		"Docusaurus": {`<h2 class="anchor" id="quay">Quay<a href="#quay" class="hash-link">​</a></h2>`, "Quay #quay"},
		"Hugo":       {`<h2 id="quay">Quay <a href="#quay" class="anchor" aria-hidden="true">#</a></h2>`, "Quay #quay"},
		"rustdoc":    {`<h2 id="quay"><a class="doc-anchor" href="#quay">§</a>Quay</h2>`, "Quay #quay"},
		"rustdoc, a method": {`<details><summary><section id="method.quay" class="method"><span class="rightside"><span
			class="since">1.0.0 (const: 1.39.0)</span> · <a class="src" href="../src/quay.rs.html">Source</a></span><a
			href="#method.quay" class="anchor">§</a><h4 class="code-header">Quay</h4></section></summary></details>`,
			"Quay #method.quay"},
		"rustdoc, once": {`<div id="tymethod.quay" class="method"><div class="rightside"><a class="srclink" href="x">source</a>
			</div><h4 class="code-header">Qu<a href="#tymethod.quay" class="fnname">ay</a></h4></div>`, "Quay #tymethod.quay"},
		"GitHub": {`<div class="markdown-heading"><h2 class="heading-element">Quay</h2><a id="user-content-quay"
			class="anchor" href="#quay"><svg></svg></a></div>`, "Quay #user-content-quay"},
		"GitHub, once": {`<h2><a id="user-content-quay" class="anchor" href="#quay"><svg></svg></a>Quay</h2>`,
			"Quay #user-content-quay"},
		"Wikipedia": {`<div class="mw-heading"><h2 id="Quay">Quay</h2><span class="mw-editsection">[edit]</span></div>`,
			"Quay #Quay"},
		"Wikipedia, once": {`<h2><span id="Qu.C3.A4i"></span><span class="mw-headline" id="Quäi">Quay</span></h2>`,
			"Quay #Quäi"},
		"Javadoc": {`<a name="quay--"></a><ul class="blockList"><li class="blockList"><h4>Quay</h4><pre>quay()</pre></li></ul>`,
			"Quay #quay--"},
		"a name in it":             {`<h2><a name=quay>Quay</a></h2>`, "Quay #quay"},
		"a name before it":         {`<p><a name=quay></a></p> <h2>Quay</h2>`, "Quay #quay"},
		"a name around it":         {`<a name=quay><h2>Quay</h2></a>`, "Quay #quay"},
		"permalink":                {`<h2>Quay <a href="#qu%C3%A4i">#</a></h2>`, "Quay #quäi"},
		"permalink that is none":   {`<h2>Quay <a class=anchor href="#%zz">#</a></h2>`, "Quay #"},
		"a footnote is none":       {`<h2>Quay<sup><a id=fnref1 href="#fn1">1</a></sup></h2>`, "Quay[^1] #"},
		"a link with text is none": {`<p>See <a id=quay href="/q">there</a></p><h2>Quay</h2>`, "Quay #"},
		"text stands before it":    {`<section id=quay><p>Well.</p><h2>Quay</h2></section>`, "Quay #"},
		"nothing stands before it": {`<section id=quay><div class=x><img src=a></div><h2>Quay</h2></section>`, "Quay #quay"},
		"much that is empty": {`<section id=quay><div>` + strings.Repeat("<b></b>", maxWithin) + `</div><h2>Quay</h2></section>`,
			"Quay #"},
		"not the first":         {`<section id=a><h2>Ferry</h2><h2>Quay</h2></section>`, "Ferry #a, Quay #"},
		"nested":                {`<section id=a><h2>Ferry</h2><section id=b><h3>Quay</h3></section></section>`, "Ferry #a, Quay #b"},
		"layout":                {`<div id=content><h1>Quay</h1></div>`, "Quay #"},
		"layout does not go on": {`<section id=a><div id=main-content><h1>Quay</h1></div></section>`, "Quay #"},
		"twice":                 {`<h2 id=quay>Ferry</h2><h2 id=quay>Quay</h2>`, "Ferry #quay, Quay #"},
		"not too long":          {`<h2 id=` + long + `>Quay</h2>`, "Quay #" + long},
		"too long":              {`<h2 id=` + long + `x>Quay</h2>`, "Quay #"},
		"whitespace":            {`<h2 id="a quay">Quay</h2>`, "Quay #"},
		"text fragment":         {"<h2 id='a:~:text=b'>Quay</h2>", "Quay #"},
		"control":               {"<h2 id=\"a\x01\">Quay</h2>", "Quay #"},
		"hostile":               {`<h2 id='"><script>x'>Quay</h2>`, `Quay #"><script>x`},
		"late":                  {`<template id="B:1"></template><div hidden id="S:1"><h2>Quay</h2></div>`, "Quay #"},
	} {
		doc := extractString(t, "<main><p>The harbour has these."+tc.html+"<p>It is closed in winter.</main>")
		if have := strings.Join(anchorsOf(doc), ", "); have != tc.want {
			t.Errorf("%s: have %s, want %s", name, have, tc.want)
		}
	}
}

// J4: TestJ4TermAnchors checks that the explanation of a term in a definition list has the term's id.
func TestJ4TermAnchors(t *testing.T) {
	const code = "<pre>x</pre>"
	for name, tc := range map[string]struct{ html, want string }{
		"texts": {`<dl><dt id=moor>moor<dd>To tie up.<dt id=quay>quay<dd>A wall.</dl><p>After.`,
			"moor #moor, After. #"},
		"blocks": {`<dl><dt id=moor>moor<dd>To tie up.` + code + `<dt id=quay>quay<dd>A wall.` + code + `</dl><p>After.`,
			"moor #moor, To tie up. #moor, x #moor, quay #quay, A wall. #quay, x #quay, After. #"},
		"nested": {`<dl><dt id=a>a<dd>A.` + code + `<dl><dt id=b>b<dd>B.</dl><p>More.</dl>`,
			"a #a, A. #a, x #a, b #b, More. #a"},
		"Javadoc":         {`<dl><dt><a name="moor--">moor</a><dd>To tie up.</dl>`, "moor #moor--"},
		"one without":     {`<dl><dt id=a>a<dd>A.` + code + `<dt>b<dd>B.</dl>`, "a #a, A. #a, x #a, b #, B. #"},
		"twice":           {`<h2 id=a>H</h2><dl><dt id=a>a<dd>A.</dl>`, "H #a, a #"},
		"a heading in it": {`<dl><dt id=a>a<dd>A.<h3>H</h3><p>B.</dl>`, "a #a, A. #a, H #, B. #"},
	} {
		doc := extractString(t, "<main><p>The harbour has these."+tc.html+"</main>")
		var have []string
		for _, b := range doc.Blocks[1:] {
			line, _, _ := strings.Cut(b.Text, "\n")
			have = append(have, line+" #"+b.Anchor)
		}
		if have := strings.Join(have, ", "); have != tc.want {
			t.Errorf("%s: have %s, want %s", name, have, tc.want)
		}
	}
}

// J4: TestJ4MarkdownHasNoAnchors checks that Markdown has no anchors: browsers show it as written, so no id works.
func TestJ4MarkdownHasNoAnchors(t *testing.T) {
	doc, err := Extract([]byte("# Quay\n\n<h2 id=\"a\">Ferry</h2>\n"), "text/markdown", goldenBase, extract.Limits{})
	if diff := cmp.Diff([]string{"Quay #", "Ferry #"}, anchorsOf(doc)); diff != "" || err != nil {
		t.Errorf("%v, -want +have\n%s", err, diff)
	}
}

// J4, S1: TestJ4AnchorsAreBounded checks that the number of anchors of a page is bounded.
func TestJ4AnchorsAreBounded(t *testing.T) {
	var page strings.Builder
	for i := range maxAnchors + 2 {
		fmt.Fprintf(&page, "<h2 id=h%d>Quay %d</h2>", i, i)
	}
	all := anchorsOf(extractString(t, page.String()))
	if last := all[maxAnchors-1:]; last[0] == "Quay 4999 #" || last[1] != "Quay 5000 #" {
		t.Errorf("%q", last)
	}
}

// headingShapes are the ways in [TestJ4Anchors] to give a heading an id; %[1]s is the text of the heading.
var headingShapes = []string{
	`<h2%[2]s>%[1]s</h2>`,
	`<section%[2]s><h2>%[1]s</h2></section>`,
	`<div%[2]s><h2>%[1]s</h2></div>`,
	`<div><h2>%[1]s</h2><a%[2]s class="anchor"></a></div>`,
	`<h2><a%[2]s></a>%[1]s</h2>`,
	`<h2><span%[2]s>%[1]s</span></h2>`,
	`<p><a%[2]s></a></p><h2>%[1]s</h2>`,
	`<a%[2]s><h2>%[1]s</h2></a>`,
}

// J4: TestJ4AnchorsAreNoText checks that ids do not change the texts, the links or either hash of a page.
func TestJ4AnchorsAreNoText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var bare, named strings.Builder
		for i := range rapid.IntRange(1, 12).Draw(t, "sections") {
			shape := rapid.SampledFrom(headingShapes).Draw(t, "shape")
			title, text := drawWords(t), "<p>"+drawWords(t)+".</p>"
			attr := rapid.SampledFrom([]string{"id", "name"}).Draw(t, "attr")
			id := fmt.Sprintf(` %s="%s%d"`, attr, rapid.StringMatching(`[a-zß]{0,9}`).Draw(t, "id"), i)
			fmt.Fprintf(&bare, shape+"%[3]s", title, "", text)
			fmt.Fprintf(&named, shape+"%[3]s", title, id, text)
		}
		without, with := extractFramed(t, bare.String()), extractFramed(t, named.String())
		for i := range with.Blocks {
			if with.Blocks[i].Kind != extract.Heading && with.Blocks[i].Anchor != "" {
				t.Fatalf("%+v has an anchor", with.Blocks[i])
			}
			with.Blocks[i].Anchor = ""
		}
		if diff := cmp.Diff(without, with); diff != "" || without.ContentHash() != with.ContentHash() ||
			without.TextHash() != with.TextHash() {
			t.Fatalf("-without +with\n%s", diff)
		}
	})
}

func extractFramed(t *rapid.T, html string) extract.Document {
	doc, err := Extract(fmt.Appendf(nil, frame, html), "text/html; charset=utf-8", goldenBase, extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
