package web

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

const stormy = "The harbour master closed the north basin after the storm, and nobody knows when it opens again. "

// prosePage returns a page with that many paragraphs in place of the % in frame.
func prosePage(frame string, paragraphs int) string {
	return strings.Replace(frame, "%", strings.Repeat("<p>"+stormy+"</p>", paragraphs), 1)
}

// wants checks which texts a page's text holds and which it lacks.
func wants(t *testing.T, page string, holds, lacks []string) extract.Document {
	t.Helper()
	doc := extractString(t, page)
	for _, phrase := range holds {
		if !strings.Contains(doc.MainText(), phrase) {
			t.Errorf("no %q in %q", phrase, doc.MainText())
		}
	}
	for _, phrase := range lacks {
		if strings.Contains(doc.MainText(), phrase) {
			t.Errorf("%q in %q", phrase, doc.MainText())
		}
	}
	return doc
}

// H1: TestH1ArticleIsItsProse checks that the content of a page that declares itself an article is the element with
// the prose. The title remains that of the heading outside.
func TestH1ArticleIsItsProse(t *testing.T) {
	const frame = `<head><meta property="og:type" content="article"></head><body><div><h1>Basin closed</h1>
		<div class="x1"><a href=/1>Ticker: crane sold to a museum far away</a></div>
		<div class="x2">%<figure><img src=a.jpg width=90><figcaption>The basin at dawn</figcaption></figure>
		<div class="byline">By Ana Marsh</div></div>
		<div class="x3"><p>Next in your town</p><ul><li><a href=/2>Pilot rescued off the coast by a fishing boat</a>
		<li><a href=/3>Old quay wall falls into the sea at night</a><li><a href=/4>Whale seen</a></ul></div></div>`
	doc := wants(t, prosePage(frame, 6), []string{"nobody knows"},
		[]string{"Ticker", "at dawn", "Ana Marsh", "Next in", "Pilot rescued", "Basin closed"})
	if doc.Title != "Basin closed" || len(doc.Images) != 1 {
		t.Errorf("title %q, images %v", doc.Title, doc.Images)
	}
	unmarked := strings.Replace(frame, "og:type", "x", 1)
	wants(t, prosePage(unmarked, 12), []string{"nobody knows", "Ana Marsh"}, []string{"Ticker", "Next in"})
	wants(t, prosePage(strings.Replace(unmarked, `class="x2">%`, `class="x2">`, 1)+"%", 1), []string{"Ticker", "Next in"},
		nil)
}

// H1: TestH1NamedBody checks that an element named as the text of an article is the content, despite more text around
// it.
func TestH1NamedBody(t *testing.T) {
	wants(t, prosePage(`<body class="single-post"><div><div class="entry-content">%</div>
		<div class="y1"><p>`+strings.Repeat("Another story, told at length in the same page. ", 12)+`</p></div></div>`, 8),
		[]string{"nobody knows"}, []string{"Another story"})
}

// H2: TestH2PostsAreTheContent checks that the posts of a discussion are its content, although sites use the name
// "comment" for the comments after an article.
func TestH2PostsAreTheContent(t *testing.T) {
	const thread = `<body class="showthread"><h1>Locks</h1><div class="intro">Read the rules of this board first.</div>
		<div id="comments"><article class="comment-post"><b>Ana</b> 312 posts<div class="post-content">%</div></article>
		<article class="comment-post"><b>Ben</b> 7 posts<div class="post-content">Then tell us more.</div></article></div>`
	doc := wants(t, prosePage(thread, 4), []string{"nobody knows", "Then tell us more."}, []string{"312 posts", "rules"})
	if doc.Title != "Locks" {
		t.Errorf("title %q", doc.Title)
	}
	wants(t, prosePage(`<main><h1>Locks</h1>%<div id="comments"><div class="comment-body">First!</div>
		<div class="comment-body">Second.</div></div></main>`, 9), []string{"nobody knows"}, []string{"First!"})
}

// H2: TestH2SmallMain checks that a main element that holds very little of the page is not its content.
func TestH2SmallMain(t *testing.T) {
	wants(t, prosePage(`<main>Skip the introduction.</main><div>%</div>`, 9), []string{"nobody knows"}, nil)
}

// H2: TestH2AQuarterOfALargePage checks that class names do not count on a large page when they would leave very
// little.
func TestH2AQuarterOfALargePage(t *testing.T) {
	const comment = `<div class="comment"><p>I saw it myself, from the quay, and then it was gone for good.</p></div>`
	page := `<main><p>` + stormy + stormy + stormy + stormy + `</p>`
	wants(t, page+strings.Repeat(comment, 200), []string{"nobody knows", "I saw it"}, nil)
	wants(t, page+strings.Repeat(comment, 4), []string{"nobody knows"}, []string{"I saw it"})
}

// H1: TestH1CommentsAreNoArticle checks that prose inside an element named as comments is not an article.
func TestH1CommentsAreNoArticle(t *testing.T) {
	wants(t, prosePage(`<main><p>The crane was sold to a museum in the north, which nobody in the port had expected to happen at
		all.</p><div class="comments"><div class="x">%</div></div></main>`, 20), []string{"The crane", "nobody knows"}, nil)
}

// H2: TestH2StreamedPieces checks that pieces that React streams after a page are read where readers see them.
func TestH2StreamedPieces(t *testing.T) {
	page := prosePage(`<main><h1>Locks</h1><!--$?--><template id="B:0"></template><p>Loading the page…</p><!--/$--><p>The end.</p>
		</main><div hidden id="S:0">%<template id="P:1"></template></div><div hidden id="S:1"><p>Last words.</p></div>
		<div hidden id="T:1"><p>A draft.</p></div>`, 4)
	doc := wants(t, page, []string{"nobody knows", "Last words.", "The end."}, []string{"Loading", "draft"})
	if strings.Index(doc.MainText(), "Last words.") > strings.Index(doc.MainText(), "The end.") {
		t.Errorf("not in order: %q", doc.MainText())
	}
}

// H2, S1: TestH2PiecesDoNotNestWithoutEnd checks that pieces with placeholders for each other nest no deeper than
// pages do, or the page is read flat.
func TestH2PiecesDoNotNestWithoutEnd(t *testing.T) {
	const maxStreamed = 500 // as in package tree
	var b strings.Builder
	b.WriteString(`<template id="P:0"></template>`)
	for i := range maxStreamed - 1 {
		n := string(rune('0'+i%10)) + strings.Repeat("x", i/10)
		next := string(rune('0'+(i+1)%10)) + strings.Repeat("x", (i+1)/10)
		b.WriteString(`<div hidden id="S:` + n + `">` + strings.Repeat("<i>", 30) + `<template id="P:` + next + `"></template>`)
		b.WriteString(strings.Repeat("</i>", 30) + "word</div>")
	}
	doc := extractString(t, b.String())
	if !strings.Contains(doc.Text, "word") {
		t.Errorf("lost: %.80q", doc.Text)
	}
}

// H2: TestH2TextWithoutScripts checks that the text which an application shows to readers without scripts is read.
func TestH2TextWithoutScripts(t *testing.T) {
	page := prosePage(`<body><div id="app"></div><noscript><main>%</main></noscript><script src=/app.js></script>`, 12)
	if doc := wants(t, page, []string{"nobody knows"}, nil); doc.Thin != "" {
		t.Errorf("thin: %s", doc.Thin)
	}
	wants(t, prosePage(`<p>`+strings.Repeat("All of it is here. ", 40)+`</p><noscript>%</noscript>`, 12),
		[]string{"All of it"}, []string{"nobody knows"})
}

// H3: TestH3CodeIsWhole checks that classes do not count inside code, except those of line numbers and buttons, and
// that code with links is not navigation.
func TestH3CodeIsWhole(t *testing.T) {
	for name, tc := range map[string]struct{ code, want string }{
		"Prism": {`<pre class="language-go"><code><span class="token comment">// opens the lock</span>
<span class="token keyword">func</span> open() {}</code></pre>`, "// opens the lock\nfunc open() {}"},
		"highlight.js": {`<pre><code class="hljs"><span class="hljs-comment"># a <span class="hljs-doctag">TODO</span></span>
<span class="nav menu footer">x</span> = 1</code></pre>`, "# a TODO\nx = 1"},
		"linked": {`<div class="a"><pre><a href=/1>io</a>.<a href=/2>Copy</a>(<a href=/3>dst</a>, <a href=/4>src</a>)</pre></div>`,
			"io.Copy(dst, src)"},
		"numbers and a button": {`<pre><button>Copy</button><span class="lineno">1</span>x = 1
<span class="lineno">2</span>y = 2</pre>`, "x = 1\ny = 2"},
	} {
		doc := extractString(t, prosePage(`<main><h1>Locks</h1>%`+tc.code+`</main>`, 3))
		if last := doc.Blocks[len(doc.Blocks)-1]; last.Kind != extract.Code || last.Text != tc.want {
			t.Errorf("%s: have %s %q", name, last.Kind, last.Text)
		}
	}
}

// TestH2AnnouncedLists checks that a list of other sites is content when a paragraph announces it. A menu, a list
// without such a paragraph and a list of the site's own pages are not.
func TestH2AnnouncedLists(t *testing.T) {
	const names = `<ul><li><a href="https://a.example/x">Anna Ek</a><li><a href="//b.example/">Ben Au</a>
		<li><a href="https://c.example">Cy Oz</a></ul>`
	for name, tc := range map[string]struct {
		list string
		want bool
	}{
		"announced":       {`<p>We thank <b>these</b> people:</p> <!-- c -->` + names, true},
		"a section of it": {`<div><p>Thanks:</p>` + names + `</div>`, true},
		"not announced":   {`<p>We thank many people.</p>` + names, false},
		"after a heading": {`<h3>Friends:</h3>` + names, false},
		"of the site":     {`<p>More pages:</p>` + strings.ReplaceAll(names, "https://c.example", "/c"), false},
		"a menu":          {`<p>Elsewhere:</p><nav>` + names + `</nav>`, false},
	} {
		doc := extractString(t, `<title>T</title><main><h1>T</h1><p>`+strings.Repeat("The quay is old. ", 40)+`</p>`+
			tc.list+`</main>`)
		if have := strings.Contains(doc.MainText(), "Anna Ek"); have != tc.want {
			t.Errorf("%s: the names are in the content: %v", name, have)
		}
	}
}

// H1: TestH1Introduction checks that a text beside the heading that is longer than a line or two is an introduction,
// and therefore content.
func TestH1Introduction(t *testing.T) {
	const frame = `<body><div class="x0">%<div class="x1"><h1>Basin</h1><p>LEAD</p></div><div class="x2">`
	long := strings.Replace(frame, "LEAD", "This page says what the basin is for. "+strings.Repeat("Read it all. ", 30), 1)
	body := strings.Repeat("<p>"+stormy+"</p>", 40)
	wants(t, strings.Replace(long, "%", "", 1)+body, []string{"what the basin is for", "nobody knows"}, nil)
	short := strings.Replace(frame, "LEAD", "By Ana Marsh", 1)
	wants(t, strings.Replace(short, "%", "", 1)+body, []string{"nobody knows"}, []string{"Ana Marsh"})
}

// H3: TestH3TabsThatAreClosed checks that the panels of closed tabs are content, and that other hidden text is not.
func TestH3TabsThatAreClosed(t *testing.T) {
	const frame = `<body><main>%
		<div role="tabpanel"><pre><code>brew install tidemark</code></pre></div>
		<div role="tabpanel" hidden><pre><code>apt install tidemark</code></pre></div>
		<div role="tabpanel" aria-hidden="true" style="display:none"><pre><code>choco install tidemark</code></pre></div>
		<div hidden><pre><code>rm everything</code></pre></div>
		<div role="dialog"><div role="tabpanel"><p>Sign in first</p></div></div></main>`
	wants(t, prosePage(frame, 6), []string{"brew install", "apt install", "choco install"},
		[]string{"rm everything", "Sign in"})
}
