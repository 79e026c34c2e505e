package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// readsAs checks the text of pages, each inside main and below a heading.
func readsAs(t *testing.T, rows [][2]string) {
	t.Helper()
	for _, row := range rows {
		doc := extractString(t, "<title>T</title><main><h1>T</h1>"+row[0]+"</main>")
		if diff := cmp.Diff("T\n\n"+row[1], doc.Text); diff != "" {
			t.Errorf("%s: -want +have\n%s", row[0], diff)
		}
	}
}

// N3: TestN3StruckText checks that struck text is marked, also where it spans blocks.
func TestN3StruckText(t *testing.T) {
	readsAs(t, [][2]string{
		{"<p>You may <del>not</del> moor here.", "You may ~~not~~ moor here."},
		{"<p>Price <s>100</s> <ins>80</ins> EUR", "Price ~~100~~ 80 EUR"},
		{"<p>a<strike> b </strike>c <del></del><s> </s>d", "a ~~b~~ c d"},
		{"<p>Now <span class='price line-through'>100</span> <b style='text-decoration:line-through'>90</b> 80",
			"Now ~~100 90~~ 80"},
		{"<p><span class='click-through'>x</span>", "x"},
		{"<del><p>One</p><p>Two</p></del><p>Three", "~~One~~\n\n~~Two~~\n\nThree"},
		{"<ul><li>a<li><s>b</s></ul>", "- a\n- ~~b~~"},
		{"<del><ul><li>a<li>b</ul><h2>H</h2></del>", "- ~~a~~\n- ~~b~~\n\n~~H~~"},
		{"<table><tr><th>Fee<td><s>12</s> 14</table>", "|  |  |\n| --- | --- |\n| Fee | ~~12~~ 14 |"},
		{"<pre>a\n<del>b</del>\nc</pre>", "a\n~~b~~\nc"},
		{"<pre>a\n<del></del><del> </del>c</pre>", "a\n c"},
		{"<pre>a <del>b <s>c</s> d</del> e</pre>", "a ~~b c d~~ e"},
		{"<del><pre>a <s>b</s>\n</pre></del>", "~~a b~~"},
		{"<pre><del><div>a</div><div>b</div></del><div>c</div></pre>", "~~a\nb~~\nc"},
		{"<pre>  <del style='display:block'>a</del>\nb</pre>", "  ~~a~~\nb"},
		{"<p><s>a<br>b</s>", "~~a~~\n~~b~~"},
		{"<p><s>a <del>b</del> c</s> d", "~~a b c~~ d"},
	})
}

// N3: TestN3Scripts checks that superscripts and subscripts keep their meaning.
func TestN3Scripts(t *testing.T) {
	readsAs(t, [][2]string{
		{"<p>10<sup>6</sup> cells, 10<sup>-3</sup> m, 10 <sup>6</sup>", "10^6 cells, 10^-3 m, 10 ^6"},
		{"<p>120 m<sup>2</sup>, x<sup>2</sup>, 2<sup>n</sup>, Fe<sup>3+</sup>", "120 m², x^2, 2^n, Fe^3+"},
		{"<p>the 1<sup>st</sup>, XX<sup>e</sup>, Co<sup>TM</sup>, <sup>14</sup>C", "the 1st, XXe, CoTM, 14C"},
		{"<p>H<sub>2</sub>O, Al<sub>2</sub>(SO<sub>4</sub>)<sub>3</sub>", "H2O, Al2(SO4)3"},
		{"<p>x<sub>2</sub>, x<sub>i</sub>, log<sub>2</sub> n, 101<sub>2</sub>", "x_2, x_i, log_2 n, 101_2"},
		{"<p>word<sup><a href=#fn1>1</a></sup> and<sup class=reference><a href=#cite_note-2>[2]</a></sup>",
			"word[^1] and[^2]"},
		{"<p>5<sup><a href=#below>1</a></sup>", "5^1"},
	})
}

// N3: TestN3Ruby checks that a word with its reading above it is found whole, with the reading behind it.
func TestN3Ruby(t *testing.T) {
	readsAs(t, [][2]string{
		{"<p><ruby>勉<rt>べん</rt>強<rt>きょう</rt></ruby>する。", "勉強する(べんきょう)。"},
		{"<p><ruby>勉<rp>(</rp><rt>べん</rt><rp>)</rp></ruby><ruby>強<rt>きょう</rt></ruby> x", "勉強(べん きょう) x"},
		{"<p><ruby><rb>勉<rb>強<rt>べん<rt>きょう</ruby>", "勉強(べんきょう)"},
		{"<p><ruby>勉強<rtc><rt>a</rt></rtc><rtc>b</rtc></ruby>", "勉強(ab)"},
		{"<p>x<ruby>y</ruby>z", "xyz"},
	})
}

// N3: TestN3Numbers checks that numbers that the page states are text, and that those that browsers count are shown
// and not compared.
func TestN3Numbers(t *testing.T) {
	readsAs(t, [][2]string{
		{"<ol start=3><li>Steer<li value=7>Anchor<li>Rope</ol>", "3. Steer\n7. Anchor\n8. Rope"},
		{"<ol type=a><li>q<li>r<ol type=i><li>s<li>t</ol></ol>", "a. q\nb. r\n  i. s\n  ii. t"},
		{"<ol reversed><li>three<li>two<li>one</ol>", "3. three\n2. two\n1. one"},
		{"<ol style='list-style-type: upper-roman' start=9><li>a<li>b</ol>", "IX. a\nX. b"},
		{"<ol type=A start=26><li>a<li>b</ol><ol type=i start=0><li>c</ol>", "Z. a\nAA. b\n\n0. c"},
		{"<ol><li><ol type=a><li>a</ol><li>b</ol>", "  a. a\n2. b"},
		{"<ol><li>Install:<pre>go get</pre><li>Run<p>more</ol>", "1. Install:\n\ngo get\n\n2. Run\n\nmore"},
		{"<ol><li><pre>a</pre><li><h2>B</h2></ol><p>c", "1.\n\na\n\n2. B\n\nc"},
		{"<ol start=2><li><h2>B</h2><blockquote>c</blockquote></ol>", "2. B\n\nc"},
		{"<ol><li><article><h2>B</h2></article></ol>", "B"},
		{"<menu><li>Soup<li>Fish</menu>", "- Soup\n- Fish"},
	})
	for _, tc := range []struct {
		old, new string
		same     bool
	}{
		{"<ol start=3><li>a<li>b</ol>", "<ol start=4><li>a<li>b</ol>", false},
		{"<ol><li>a<li>b</ol>", "<ol type=a><li>a<li>b</ol>", false},
		{"<ol><li>a<li>b</ol>", "<ol><li>a<li value=3>b</ol>", false},
		{"<ol><li>a<li>b</ol>", "<ul><li>a<li>b</ul>", true},
		{"<ol><li>a<ol><li>1. b</ol></ol>", "<ol><li hidden>x<li>a<ol><li>1. b</ol></ol>", true},
		{"<ol><li>1. a</ol>", "<ol><li>2. a</ol>", false},
		{"<ol><li>a<pre>x</pre><li>b</ol>", "<ul><li>a<pre>x</pre><li>b</ul>", false},
		{"<ol><li>x</ol><p>1. a", "<ol><li>x</ol><p>2. a", false},
	} {
		a, b := extractString(t, tc.old), extractString(t, tc.new)
		if same := a.ContentHash() == b.ContentHash(); same != tc.same {
			t.Errorf("%s and %s: the same is %v", tc.old, tc.new, same)
		}
	}
}

// N3: TestN3Captions checks that the questions of accordions are read, that labels and buttons are text, and that tools
// and numbers that count are not.
func TestN3Captions(t *testing.T) {
	readsAs(t, [][2]string{
		{"<h3><button aria-expanded=false>How do I moor?</button></h3><div><p>Slowly.</div>", "How do I moor?\n\nSlowly."},
		{"<h3>Moor <button>Copy link</button></h3><p>Slowly.", "Moor\n\nSlowly."},
		{"<button class=accordion>Q</button><div class=panel><p>A</div>", "Q\n\nA"},
		{"<div><button aria-expanded=false aria-controls=a>Q</button></div><div id=a hidden>A</div>", "Q\n\nA"},
		{"<input type=checkbox id=a><label for=a>May I swim?</label><div>You may.</div>", "May I swim?\n\nYou may."},
		{"<label>Fee per day: 12 EUR</label>", "Fee per day: 12 EUR"},
		{"<form><label for=n>Name</label><input id=n><label>Mail <input></label><button>Save</button></form><p>x",
			"x\n\nName\n\nMail\n\nSave"},
		{"<p>x<form><input type=checkbox id=a><label for=a>Red (12)</label><input type=checkbox id=b>" +
			"<label for=b>Blue</label><button>Like 12</button>",
			"x\n\nBlue"},
		{"<p>x<button disabled>Sold out</button><button>Buy: 12 EUR</button>", "x\n\nSold out\n\nBuy: 12 EUR"},
		{"<p>x<form><input type=radio id=a><label for=a>Express, 2 days: 12 EUR</label>", "x\n\nExpress, 2 days: 12 EUR"},
		{"<p>x <button>Copy</button><button aria-expanded=false aria-haspopup=true>More</button><div>y</div>", "x\n\ny"},
		{"<blockquote><p>Nice</p><footer>— Ann Ray</footer></blockquote><footer>Port 2026</footer>", "Nice\n\n— Ann Ray"},
	})
}

// N3: TestN3Panels checks that hidden panels are read if the page itself can open them.
func TestN3Panels(t *testing.T) {
	readsAs(t, [][2]string{
		{"<p>x<p><a href=#t>Fees</a><div id=t hidden>12 EUR</div>", "x\n\nFees\n\n12 EUR"},
		{"<p>x<div class=tab-pane style='display:none'>12 EUR</div>", "x\n\n12 EUR"},
		{"<p>x<div class='collapse navbar-collapse' hidden>Menu</div>", "x"},
		{"<p class=q>Q1<div class=a hidden>A1</div><p class=q>Q2<div class=a style='display: none'>A2</div>",
			"Q1\n\nA1\n\nQ2\n\nA2"},
		{"<p class=q>Q1<div class=a hidden>A1</div><div hidden id=x>never</div>", "Q1"},
		{"<h3>Q</h3><div hidden>never</div>", "Q"},
		{"<h3 onclick='toggle()'>Q</h3><div hidden>A</div>", "Q\n\nA"},
		{"<form><input name=a><div class=error hidden>Wrong</div><input name=b><div class=error hidden>Wrong</div></form>" +
			"<p>x",
			"x"},
		{"<ul><li>a<li hidden>b<li>c<li hidden>d</ul>", "- a\n- c"},
		{"<section aria-hidden=true role=region aria-labelledby=b>A</section><p>x", "A\n\nx"},
	})
}

// N3: TestN3Frames checks that shadow roots, framesets and pages in attributes are read where readers see them.
func TestN3Frames(t *testing.T) {
	readsAs(t, [][2]string{
		{"<my-card><template shadowrootmode=open><h2>Card</h2><p><slot name=price>free</slot><p><slot></slot></template>" +
			"<b slot=price>12 EUR</b><i>more</i><u slot=none>unseen</u></my-card>", "Card\n\n12 EUR\n\nmore"},
		{"<my-card><template shadowrootmode=open><slot name=price>free</slot></template>unseen</my-card>", "free"},
		{"<my-card><template shadowrootmode=open>1</template><template shadowrootmode=open>2</template>x</my-card>", "1"},
		{"<my-a><template shadowrootmode=open>a<my-b><template shadowrootmode=closed>b<slot></slot></template><slot></slot>" +
			"</my-b></template>c</my-a>", "abc"},
		{"<p>x<template><p>unseen</template>", "x"},
		{"<p>x<iframe srcdoc='&lt;title&gt;y&lt;/title&gt;&lt;p&gt;12 EUR'></iframe>", "x\n\n12 EUR"},
	})
	doc := extractString(t, `<frameset cols="9,9"><frame src=/a name=menu><frame src=/b title="The text"></frameset>`)
	if doc.Text != "menu\n\nThe text" || len(doc.Links) != 2 {
		t.Errorf("%q with %d links", doc.Text, len(doc.Links))
	}
	doc = extractString(t, `<frameset cols="9,9"><frame src=/a><noframes><h1>Port</h1><p>Open.</noframes></frameset>`)
	if doc.Text != "Port\n\nOpen." || doc.Title != "Port" {
		t.Errorf("%q, title %q", doc.Text, doc.Title)
	}
}

// S1: TestN3FramesAreBounded checks that a page in an attribute cannot become very many nodes.
func TestN3FramesAreBounded(t *testing.T) {
	var inner strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&inner, "<b a%d>", i)
	}
	inner.WriteString(strings.Repeat("<p>x", 2_000))
	page := "<main><p>y" + strings.Repeat(`<iframe srcdoc="`+html.EscapeString(inner.String())+`"></iframe>`, 10) + "</main>"
	if doc := extractString(t, page); doc.Flat || !strings.HasPrefix(doc.Text, "y\n\nx\n\nx") {
		t.Errorf("flat %v, text %.20q", doc.Flat, doc.Text)
	}
}

// N3: TestN3NoscriptImages checks that the image for readers without scripts counts unless the one beside it has an
// address.
func TestN3NoscriptImages(t *testing.T) {
	for page, want := range map[string]string{
		`<img src="data:x"><noscript><img src=/pier.jpg alt="The pier"></noscript>`:               "https://port.example/pier.jpg",
		`<img data-src="/pier-9.jpg"><noscript><img src=/pier.jpg></noscript>`:                    "https://port.example/pier-9.jpg",
		`<noscript><img src=/hit.gif width=1 height=1></noscript>`:                                "",
		`<figure><noscript><img src=/a.jpg></noscript><figcaption>The pier</figcaption></figure>`: "https://port.example/a.jpg",
	} {
		doc := extractString(t, "<main><h1>T</h1><p>"+stormy+"</p>"+page+"</main>")
		have := ""
		for _, image := range doc.Images {
			have += image.URL
		}
		if have != want {
			t.Errorf("%s: have %q, want %q", page, have, want)
		}
	}
}

// N3: TestN3Questions checks that microdata of an FAQ or a how-to does not make the page a discussion.
func TestN3Questions(t *testing.T) {
	answer := strings.Repeat("The dock is deep enough for all. ", 10)
	page := `<main itemscope itemtype="https://schema.org/KIND"><h1>Docks</h1><p>Read this first.`
	for i := range 3 {
		page += fmt.Sprintf(`<div itemscope itemtype="https://schema.org/Question"><h3 itemprop=name>How deep is dock %d?</h3>
			<div itemscope itemprop=acceptedAnswer itemtype="https://schema.org/Answer"><div itemprop=text>%s</div></div></div>`,
			i, answer)
	}
	wants(t, strings.Replace(page, "KIND", "FAQPage", 1), []string{"first", "How deep is dock 2?", answer[:30]}, nil)
	wants(t, strings.Replace(page, "KIND", "QAPage", 1), []string{answer[:30]}, []string{"first"})
}

// N3: TestN3WholePages checks that a page that is one listing, mail, table or definition list keeps its lines.
func TestN3WholePages(t *testing.T) {
	const lines = "if the basin is open and the wind is weak enough for ships of this size:\n    enter()\n"
	code := strings.TrimSpace(strings.Repeat(lines, 40))
	for _, page := range []string{"<main><h1>T</h1><p>x</p><pre>%</pre></main>", "<body><h1>T</h1><pre>%</pre>",
		"<body><h1>T</h1><div><xmp>%</xmp></div>"} {
		doc := extractString(t, strings.Replace(page, "%", code, 1))
		main := extract.MainBlocks(doc.Blocks)
		last := main[len(main)-1]
		if diff := cmp.Diff(extract.Block{Kind: extract.Code, Text: code}, last); diff != "" || doc.Title != "T" {
			t.Errorf("%s: title %q\n%s", page, doc.Title, diff)
		}
	}
	long := strings.Repeat("The term means what the harbour master says. ", 4)
	terms := "<main><h1>T</h1><dl>" + strings.Repeat("<dt>term</dt><dd>"+long+"</dd>", 2) + "<dt>last</dt><dd><p>" +
		strings.Repeat(long, 40) + "</p><p>x</p></dd></dl></main>"
	wants(t, terms, []string{"T\n\nterm\n: The term", "last\n: The"}, nil)
}

// N3: TestN3Headings checks that headings that link back are headings, and that the sign of a link is no part of a
// title.
func TestN3Headings(t *testing.T) {
	readsAs(t, [][2]string{
		{`<h2><a class="toc-backref" href="#id1" role="doc-backlink">Depths</a><a class=headerlink href="#x">¶</a></h2><p>x`,
			"Depths\n\nx"},
		{`<a role=doc-backlink href="#t"><h2>Depths</h2></a><p>x`, "Depths\n\nx"},
		{`<dl><dt><a role=doc-backlink href="#t">Berth</a><dd>A place.</dl>`, "Berth\n: A place."},
		{`<ol><li id=fn1>By storm. <a role=doc-backlink href="#r1">↩</a></ol>`, "[^1]: By storm."},
		{`<h2>Depths<a class=headerlink href="/page#x"><span>¶</span></a></h2><p>x`, "Depths\n\nx"},
	})
	doc := extractString(t, `<header><h1>Depths<a href="#x">¶</a></h1></header><main><p>x</main>`)
	if doc.Title != "Depths" {
		t.Errorf("title %q", doc.Title)
	}
}

// selected selects all elements of one type.
type selected atom.Atom

func (s selected) Narrow() bool { return true }

func (s selected) Select(root *html.Node) (found []*html.Node, err error) {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Atom(s) {
			found = append(found, n)
		}
	}
	return found, nil
}

// N3: TestN3SelectedControls checks that the text of controls is read where somebody selected them, and that an
// element without any text is refused.
func TestN3SelectedControls(t *testing.T) {
	const page = `<main><p>x<div><select><optgroup label=EU><option>38<option selected>39 sold out</select></div>
		<input value="12 EUR"><input type=password value=secret><textarea>Dear all</textarea>
		<svg><g><text>Max depth <tspan>12 m</tspan></text></g></svg><canvas>fallback</canvas><img src=/a.png></main>`
	for of, want := range map[atom.Atom]string{
		atom.Select: "- 38\n- 39 sold out", atom.Input: "12 EUR", atom.Textarea: "Dear all", atom.Svg: "Max depth 12 m",
		atom.Div: "- 38\n- 39 sold out", atom.P: "x",
	} {
		doc, _, _, err := Part([]byte(page), "text/html", goldenBase, extract.Limits{}, selected(of))
		if err != nil || doc.Text != want {
			t.Errorf("%s: have %q, want %q, error %v", of, doc.Text, want, err)
		}
	}
	for _, of := range []atom.Atom{atom.Canvas, atom.Img} {
		if _, _, _, err := Part([]byte(page), "text/html", goldenBase, extract.Limits{}, selected(of)); err == nil {
			t.Errorf("%s: no error", of)
		}
	}
	doc := extractString(t, page+`<svg><path d=x></svg><input name=q><input type=hidden value=x><select></select>`)
	if have := doc.Unread.String(); strings.Contains(doc.Text, "39") ||
		have != "1 select, 1 input, 1 textarea, 1 svg" {
		t.Errorf("read without a selector: %q; not read: %q", doc.Text, have)
	}
}
