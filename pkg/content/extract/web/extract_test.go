package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

func TestBaseURLIsRefused(t *testing.T) {
	for _, base := range []string{"", "/path", "ftp://h/", "http://%zz/", "mailto:a@b"} {
		if _, err := Extract(nil, "text/html", base, extract.Limits{}); fault.FieldOf(err) != "baseURL" ||
			!fault.Is(err, fault.Invalid) {
			t.Errorf("%q: have %v, want an error about baseURL", base, err)
		}
	}
}

func TestCharsets(t *testing.T) {
	for _, tc := range []struct{ name, contentType, body, text, charset string }{
		{"header wins over meta", "text/html; charset=iso-8859-5", "<meta charset=utf-8><p>\xbc\xd8\xe0", "Мир",
			"iso-8859-5"},
		{"mark wins over header", "text/html; charset=iso-8859-5", "\xef\xbb\xbf<p>Мир", "Мир", "utf-8"},
		{"meta", "text/html", "<meta charset=shift_jis><p>\x93\xfa\x96\x7b", "日本", "shift_jis"},
		{"nothing declared, UTF-8 after the first kilobyte", "text/html", "<p>" + strings.Repeat(" ", 2000) + "Größe",
			"Größe", "utf-8"},
		{"nothing declared, not UTF-8", "text/html", "<p>Gr\xf6\xdfe", "Größe", "windows-1252"},
		{"UTF-16 by mark", "text/html", "\xff\xfe<\x00p\x00>\x00h\x00i\x00", "hi", "utf-16le"},
		{"UTF-16 without mark", "text/html", "\x00<\x00p\x00>\x00h\x00i", "hi", "utf-16be"},
		{"unknown label", "text/html; charset=klingon", "<p>Größe", "Größe", "utf-8"},
		{"broken UTF-8", "text/html; charset=utf-8", "<p>é\xffb", "é\ufffdb", "utf-8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := Extract([]byte(tc.body), tc.contentType, goldenBase, extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if doc.Text != tc.text || doc.Charset != tc.charset {
				t.Errorf("have %q in %s, want %q in %s", doc.Text, doc.Charset, tc.text, tc.charset)
			}
		})
	}
}

// A16, A17: TestA17MarkBeforeTheHead checks that a byte order mark is not text, which would end the head of the page
// before it begins.
func TestA17MarkBeforeTheHead(t *testing.T) {
	body := []byte("\xff\xfe")
	for _, c := range []byte("<html><title>Tides</title><link rel=canonical href=/t><p>x") {
		body = append(body, c, 0)
	}
	doc, err := Extract(body, "text/html", goldenBase, extract.Limits{})
	if err != nil || doc.Title != "Tides" || doc.Canonical != "https://port.example/t" || doc.Text != "x" {
		t.Errorf("title %q, canonical %q, text %q, %v", doc.Title, doc.Canonical, doc.Text, err)
	}
}

func TestDeclarations(t *testing.T) {
	for _, tc := range []struct {
		name, page string
		want       extract.Document
	}{
		{"language of html", `<html lang="PT-br"><p>x`, extract.Document{Language: "pt"}},
		{"language of meta", `<meta http-equiv=Content-Language content="de, en"><p>x`, extract.Document{Language: "de"}},
		{"no language", `<html lang="x"><p>x`, extract.Document{}},
		{"A16: relative canonical", `<link rel="Canonical nofollow" href="../a?b=1">`,
			extract.Document{Canonical: "https://port.example/a?b=1"}},
		{"canonical against base", `<base href="https://www.port.example/x/"><link rel=canonical href=y>`,
			extract.Document{Canonical: "https://www.port.example/x/y"}},
		{"canonical in the body is not believed", `<body><link rel=canonical href=/evil>`, extract.Document{}},
		{"two canonicals that differ", `<link rel=canonical href=/a><link rel=canonical href=/b>`, extract.Document{}},
		{"canonical that is no web address", `<link rel=canonical href="javascript:alert(1)">`, extract.Document{}},
		{"A11: robots, here and in the body", `<meta name=ROBOTS content="noindex"><body><meta name=tidemark ` +
			`content="nofollow, noarchive">`,
			extract.Document{MetaRobots: []string{"noindex", "tidemark: nofollow, noarchive"}}},
		{"A18: noimageindex stays as it was said", `<meta name=robots content="NoImageIndex, max-image-preview:none">`,
			extract.Document{MetaRobots: []string{"NoImageIndex, max-image-preview:none"}}},
		{"a meta that is no directive", `<meta name=keywords content="noindex, tags"><p>x`, extract.Document{}},
		{"title from og:title", `<title>Site</title><meta property="og:title" content="Page"><p>x`, extract.Document{Title: "Page"}},
		{"title from the title element", `<title> A &amp;
			B </title><p>x`, extract.Document{Title: "A & B"}},
		{"title from a heading in chrome at last", `<header><h1>Harbour</h1></header><p>x`, extract.Document{Title: "Harbour"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := extractString(t, tc.page)
			have := extract.Document{Title: doc.Title, Language: doc.Language, Canonical: doc.Canonical,
				MetaRobots: doc.MetaRobots}
			if diff := cmp.Diff(tc.want, have); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	doc := extractString(t, `<p><a href="a b">one</a> <a href="#top">top</a> <a href="mailto:x@y">mail</a>
		<a href="a%20b#frag" rel="NoFollow  ugc">again</a> <a href="//cdn.example/q" rel="NoFollow  ugc"><b>two</b>
		words</a> <a href="http://[bad/">bad</a> <a hidden href=/h>hidden</a><map><area href=/area></map>`)
	want := []extract.Link{
		{URL: "https://port.example/news/a%20b", Text: "one"},
		{URL: "https://cdn.example/q", Rel: "nofollow ugc", Text: "two words"},
		{URL: "https://port.example/area"},
	}
	if diff := cmp.Diff(want, doc.Links); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
}

// TestNeverEmpty checks pages that are all chrome, by name or by shape.
func TestNeverEmpty(t *testing.T) {
	for _, page := range []string{
		`<nav>Only navigation</nav>`,
		`<body class="sidebar"><div class="sidebar">All in a sidebar</div>`,
		`<main></main><p>Beside main`,
		`<main><div class=ads>ad</div></main><footer>Foot</footer>`,
		`<button>Press</button>`,
		`<ul><li><a href=a>a</a><li><a href=b>b</a><li><a href=c>c</a></ul>`,
		`<dialog open>Talk</dialog>`,
		`<div aria-hidden=true>Shown all the same</div>`,
		`<table><tr><td class=comments>x</td></tr></table>`,
		`<a href="#">#</a>`,
		`<frameset><frame src=x></frameset><noframes>x</noframes>plain`,
	} {
		doc := extractString(t, page)
		if doc.VisibleText != "" && doc.Text == "" || len(doc.Blocks) == 0 != (doc.Text == "") {
			t.Errorf("%s: visible %q, content %q", page, doc.VisibleText, doc.Text)
		}
	}
}

// TestLinkBundles checks that a group of short links is navigation, and that a list of headlines is content.
func TestLinkBundles(t *testing.T) {
	headline := "The harbour master closes the north basin until further notice, part "
	page := "<p>" + strings.Repeat("Enough words to be content. ", 20) + "</p><ul>"
	var headlines, short strings.Builder
	for i := range 4 {
		fmt.Fprintf(&headlines, "<li><a href=/n/%d>%s%d</a></li>", i, headline, i)
		fmt.Fprintf(&short, "<li><a href=/t/%d>Topic %d</a></li>", i, i)
	}
	if doc := extractString(t, page+headlines.String()+"</ul>"); !strings.Contains(doc.Text, headline) {
		t.Error("headlines are gone")
	}
	if doc := extractString(t, page+short.String()+"</ul>"); strings.Contains(doc.MainText(), "Topic") {
		t.Error("navigation is kept")
	}
}

// TestWrapperNamedLikeChrome checks that the class of a wrapper does not remove a page's text.
func TestWrapperNamedLikeChrome(t *testing.T) {
	text := strings.Repeat("The lock is closed for repairs. ", 20)
	doc := extractString(t, `<div class="sidebar-layout"><div class="sidebar">Menu</div><p>`+text+`</div>`)
	if doc.MainText() != strings.TrimSpace(text) {
		t.Errorf("have %q", doc.MainText())
	}
}

// TestCommentsOutweighTheArticle checks that an element with a name for chrome is removed even if it is more than
// half of the page.
func TestCommentsOutweighTheArticle(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("The lock is closed for repairs. ", 20))
	doc := extractString(t, `<p>`+text+`</p><div class="comments">`+strings.Repeat("<p>I was there, and it was open.</p>",
		30)+`</div>`)
	if doc.MainText() != text {
		t.Errorf("have %q", doc.MainText())
	}
}

// TestAdvertisementSwaysNothing checks that the links of an advertisement do not turn the text around it into
// navigation.
func TestAdvertisementSwaysNothing(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("The lock is closed for repairs. ", 20))
	page := `<p>` + text + `</p><div>Call channel 12.<div class="ads">%s</div></div>`
	for _, ad := range []string{"", "Buy!", `<a href=/1>Sail to Brest</a> <a href=/2>Buy a boat</a> <a href=/3>Sell a ` +
		`boat</a>`} {
		if doc := extractString(t, fmt.Sprintf(page, ad)); doc.MainText() != text+"\n\nCall channel 12." {
			t.Errorf("with %q: %q", ad, doc.MainText())
		}
	}
}

func TestBounds(t *testing.T) {
	deep := strings.Repeat("<div>", 2000) + "deep words" + strings.Repeat("</div>", 2000)
	for _, tc := range []struct {
		name   string
		page   string
		limits extract.Limits
		says   string
		want   extract.Document
	}{
		{"bytes", "<p>one<p>two<p>three", extract.Limits{MaxBytes: 12}, "only the first 12 bytes are read; the rest is w",
			extract.Document{Truncated: true, Text: "one\n\ntwo"}},
		{"blocks", "<p>one<p>two<p>three", extract.Limits{MaxBlocks: 2}, "only the first 2 blocks are read; the rest",
			extract.Document{Truncated: true, Text: "one\n\ntwo"}},
		{"links", "<a href=a>one</a> <a href=b>two</a>", extract.Limits{MaxLinks: 1},
			"only the first 1 link are kept: add a sitemap",
			extract.Document{Truncated: true, Text: "one two"}},
		{"depth", "<title>T</title><p>one<p>" + deep, extract.Limits{}, "too deep",
			extract.Document{Truncated: true, Flat: true, Title: "T", Text: "one\n\ndeep words"}},
		{"tags", "<p>one<p>two<script><p>no</script><p>three", extract.Limits{MaxTags: 3}, "too many elements",
			extract.Document{Truncated: true, Flat: true, Text: "one\n\ntwo\n\nthree"}},
		{"blocks of a flat page", "<p>one<p>two<p>three", extract.Limits{MaxTags: 1, MaxBlocks: 2}, "too many elements",
			extract.Document{Truncated: true, Flat: true, Text: "one\n\ntwo\nthree"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := Extract([]byte(tc.page), "text/html", goldenBase, tc.limits)
			if err != nil {
				t.Fatal(err)
			}
			have := extract.Document{Truncated: doc.Truncated, Flat: doc.Flat, Title: doc.Title, Text: doc.Text}
			if diff := cmp.Diff(tc.want, have); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
			if why := doc.CutWhy(); !strings.Contains(why, tc.says) { // N6
				t.Errorf("says %q", why)
			}
		})
	}
}

// TestTangledPageKeepsItsText checks that a page that the guard strips is still read.
func TestTangledPageKeepsItsText(t *testing.T) {
	var page strings.Builder
	page.WriteString("<h1>Title</h1><p>")
	for i := range 400 {
		fmt.Fprintf(&page, "<b a%d>", i)
	}
	page.WriteString("</p>" + strings.Repeat("<p>x", 20_000))
	doc := extractString(t, page.String())
	if doc.Flat || doc.Title != "Title" || len(doc.Blocks) != 20_000 {
		t.Errorf("flat=%v title=%q blocks=%d", doc.Flat, doc.Title, len(doc.Blocks))
	}
}

// FuzzExtract searches for panics and broken promises.
func FuzzExtract(f *testing.F) {
	for _, seed := range []string{
		"", "<p>x", "<main><ul><li>a<ul><li>b</ul></main>", "<table><tr><td><pre>x\n y</table>", "<svg><style></b>",
		"<p><b><i></p><p>x</b>", "<a href=x><a href=y>", "<frameset>", "\x00<\x00p", "<template><p>x", "<select><table>",
		"<math><mi></math>", "<title>x", "<![CDATA[x]]>", "<plaintext>x", "<h1><pre><h2>",
		"<meta property=og:image content=a><figure><picture><source srcset='a 2x'><img alt=b></picture><figcaption>c",
		"<img width=1.e9 data-src=//x srcset=','>",
		"<s>a<del><p>b<ol start=-3 type=i reversed><li value=9>c<pre>d</pre></ol></s>x<sup>2</sup><sub>i",
		"<ruby>a<rt>b<ruby>c<rt>d",
		"<b><template shadowrootmode=open><slot name=x></slot><slot></slot></template>" +
			"<i slot=x>a</i>b<template shadowrootmode=open>",
		"<iframe srcdoc='<b a><p><p><iframe srcdoc=x>'></iframe>", "<frameset><frame src=/a><noframes><p>x",
		"<h3><button aria-expanded>q</button></h3><div hidden>a</div><input type=radio id=i><label for=i>q</label><p>a",
		"<button class=faq>q</button><div style='display:none'>a</div><a href=#b>c</a><p hidden id=b>d",
		"<noscript><img src=/a.png>",
	} {
		f.Add([]byte(seed), "text/html")
	}
	f.Add([]byte("\xff\xfep\x00"), "")
	f.Add([]byte("<p>\xbc"), "text/html; charset=iso-2022-jp")
	f.Fuzz(checkPromises)
}

// S1: TestS1RepeatedRootTags checks that a page that would keep the parser busy for hours is read, with its text.
func TestS1RepeatedRootTags(t *testing.T) {
	for _, tag := range []string{"html", "body", "BoDy"} {
		var b strings.Builder
		b.WriteString("<title>Locks</title><body><p>The lock is closed.")
		for i := range 200_000 {
			fmt.Fprintf(&b, "<%s a%x>", tag, i)
		}
		doc := extractString(t, b.String())
		if doc.Flat || doc.Title != "Locks" || doc.Text != "The lock is closed." {
			t.Errorf("%s: flat %v, %q, %q", tag, doc.Flat, doc.Title, doc.Text)
		}
	}
}
