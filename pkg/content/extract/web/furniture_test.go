package web

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// pieces stand in the forms of furniture for what recurs there. The word zebu is what moves.
var pieces = strings.NewReplacer(
	"%list", `<ul><li><a href=/1>How to moor a cutter</a><li><a href=/2>Knots for the quay</a><li><a href=/3>zebu</a></ul>`,
	"%links", `<a href=/1>How to moor a cutter</a><a href=/2>Knots for quays</a><a href=/3>zebu</a>`,
	"%long", `<a href=/1>How to moor a cutter in a strong wind from the south</a><a href=/2>The knots that each sailor
		has to know, and when</a><a href=/3>zebu on board: what the law says about all animals</a>`,
	"%rows", `<p><a href=/1>How to moor a cutter</a></p><p><a href=/2>Knots for quays</a></p><p><a href=/3>zebu</a></p>`,
	"%one", `<div><a href=/1>Berths</a></div><div><a href=/2>Prices</a></div>`,
	"%two", `<div><a href=/3>About us</a></div><div><a href=/4>Jobs</a></div>`,
	"%p", strings.Repeat("<p>A paragraph of the long text that surely nobody reads to its very end, because it goes on "+
		"and on about ships and quays.</p>", 12),
)

// zonesOf returns the text of the main content and of both zones of a page in the given form.
func zonesOf(t *testing.T, form string) (main, both string) {
	doc := extractString(t, "<!DOCTYPE html><title>Page</title>"+pieces.Replace(form))
	return extract.Join(extract.MainBlocks(doc.Blocks)), doc.Text
}

// checkAway checks that the word zebu of each form is in neither zone, and that the prose is.
func checkAway(t *testing.T, forms []string) {
	for _, form := range forms {
		if main, both := zonesOf(t, form); strings.Contains(both, "zebu") || !strings.Contains(main, "A paragraph") {
			t.Errorf("%s: in %q", form, both[max(0, len(both)-200):])
		}
	}
}

// checkKept checks that the word zebu of each form is in one of the zones.
func checkKept(t *testing.T, forms []string) {
	for _, form := range forms {
		if _, both := zonesOf(t, form); !strings.Contains(both, "zebu") {
			t.Errorf("%s: lost of %q", form, both[max(0, len(both)-200):])
		}
	}
}

// TestN1OtherPagesBehindAnArticle checks that a list of other pages is furniture behind the text of an article, or if a
// class calls it related, in any markup; and that an index and lists with facts are not (N1).
func TestN1OtherPagesBehindAnArticle(t *testing.T) {
	checkAway(t, []string{
		`<article><h1>x</h1>%p<section class=related_articles><h3>Related Articles</h3>%list</section></article>`,
		`<article><h1>x</h1>%p<div class=grid>%links</div></article>`,
		`<main><h1>x</h1>%p<div class=related-posts>%list</div></main>`,
		`<main><h1>x</h1>%p<h2>More from us</h2>%list</main>`,
		`<main><h1>x</h1>%p<h2>Weitere Artikel</h2>%list</main>`,
		`<main><h1>x</h1>%p<div>%long</div></main>`,
		`<article><h1>x</h1>%p%rows</article>`,
		`<article><h1>x</h1>%p<p><strong>See also:</strong></p>%list</article>`,
		`<article><h1>x</h1>%p<div class=related-inline><h3>Read also</h3>%list</div>%p</article>`,
		`<main><h1>x</h1>%p<dl><dt>Related</dt><dd><a href=/1>How to moor</a><dd><a href=/2>Knots</a><dd><a href=/3>zebu</a>
			</dl></main>`,
		`<main><h1>x</h1>%p<table><tr><td><a href=/1>How to moor</a><td><a href=/2>Knots</a><td><a href=/3>zebu</a></table>`,
		`<main><h1>x</h1>%p<x-list><x-card><a href=/1>How to moor</a></x-card><x-card><a href=/2>Knots</a></x-card>
			<x-card><a href=/3>zebu</a></x-card></x-list></main>`,
		`<main><article><h1>x</h1>%p</article><section><article><a href=/1><h3>How to moor</h3><p>All of it</p></a></article>
			<article><a href=/2><h3>Knots</h3></a></article><article><a href=/3><h3>zebu</h3></a></article></section></main>`,
		`<main><h1>x</h1>%p<div class=verwandte-artikel><h3>Auch interessant</h3><div><a href=/1>How to moor</a><p>All</p></div>
			<div><a href=/2>Knots of a sailor</a><p>For quays</p></div><div><a href=/3>zebu on board</a><p>Is it?</p></div></div>`,
	})
	checkKept(t, []string{
		`<main><h1>News</h1><p>All news of the port.</p>%list</main>`,
		`<main><h1>x</h1>%p%list%p</main>`,
		`<main><h1>x</h1><ul><li><a href=#1>Rope</a><li><a href=#2>Lamp</a><li><a href=#3>zebu</a></ul>%p</main>`,
		`<main><h1>x</h1>%p<ul><li><a href=/1.pdf>Plan</a><li><a href=/2.pdf>Map</a><li><a href=/3.pdf>zebu</a></ul></main>`,
		`<main><h1>x</h1>%p<ul><li><a href=/1>Rope</a> 6 EUR<li><a href=/2>Lamp</a> 5 EUR<li><a href=/3>zebu</a> 9 EUR</ul>`,
		`<main><h1>x</h1>%p<ul><li><a href=/1>Minutes of May 2026</a><li><a href=/2>Minutes of June 2026</a>
			<li><a href=/3>zebu</a></ul></main>`,
		`<main><h1>x</h1>%p<p>Let by:</p><ul><li><a href=https://a.example/>Rope Ltd</a><li><a href=https://b.example/>Lamp</a>
			<li><a href=https://c.example>zebu</a></ul></main>`,
		`<main><h1>x</h1>%p<dl><dt><a href=/1>Quay</a><dd>Where ships lie<dt><a href=/2>Cow</a><dd>A zebu<dt><a href=/3>Knot</a>
			<dd>A mile an hour</dl></main>`,
		`<main><h1>x</h1>%p<div><a href=/1><h3>Rope</h3><p>6 EUR</p></a><a href=/2><h3>Lamp</h3><p>5 EUR</p></a>
			<a href=/3><h3>zebu</h3><p>9 EUR</p></a></div></main>`,
		`<main><h1>x</h1>%p<h3><a href=/1>fn</a> <a href=/2>moor</a> <a href=/3>zebu</a></h3></main>`,
		`<main><h1>x</h1>%p<div class=comments><p>zebu. <a href=/u>Learn how comments are used</a> <a href=/r>Reply</a></p></div>`,
		`<main><h1>x</h1>%p<div class=comment><a href=/u>sailor</a><a href=/r>Reply</a><p>zebu, and no more of it</p></div>`,
	})
}

// TestN1MenusWithoutElementsForThem checks that columns of links below short names are furniture around the content, in
// any markup, and that what stands between them and has a fact is not (N1).
func TestN1MenusWithoutElementsForThem(t *testing.T) {
	checkAway(t, []string{
		`<main><h1>x</h1>%p</main><div><div><div>Product</div>%one</div><div><div>zebu</div>%two</div></div>`,
		`<main><h1>x</h1>%p</main><div><div>Product</div>%one<div>zebu</div>%two</div>`,
		`<body><div><div><div>Product</div>%one</div><div><div>zebu</div>%two</div></div><main><h1>x</h1>%p</main>`,
		`<main><h1>x</h1>%p</main><div><div><p>Product</p>%one</div><div><p>zebu</p>%two</div><div>© 2026 Port Inc.</div></div>`,
		`<main><h1>x</h1>%p</main><div><div><button>Product</button>%one</div><div><button>zebu</button>%two</div></div>`,
		`<main><h1>x</h1>%p</main><dl><dt>Product<dd><a href=/1>Berths</a><dd><a href=/2>Prices</a><dt>zebu
			<dd><a href=/3>About</a><dd><a href=/4>Jobs</a></dl>`,
		`<main><h1>x</h1>%p</main><table><tr><td><b>Product</b><br><a href=/1>Berths</a><br><a href=/2>Prices</a>
			<td><b>zebu</b><br><a href=/3>About</a><br><a href=/4>Jobs</a></table>`,
		`<main><h1>x</h1>%p</main><ul><li>Product<ul><li><a href=/1>Berths</a><li><a href=/2>Prices</a></ul><li>zebu<ul>
			<li><a href=/3>About</a><li><a href=/4>Jobs</a></ul></ul>`,
		`<main><h1>x</h1>%p</main><x-foot><x-col><span>Product</span><a href=/1>Berths</a><a href=/2>Prices</a></x-col>
			<x-col><span>zebu</span><a href=/3>About</a><a href=/4>Jobs</a></x-col></x-foot>`,
		`<body><div><h1>x</h1>%p</div><div><div><div>Product</div>%one</div><div><div>zebu</div>%two</div></div>`,
	})
	checkKept(t, []string{
		`<main><h1>x</h1>%p</main><div><div><div>zebu 12 EUR</div>%one</div><div><div>Company</div>%two</div></div>`,
		`<main><h1>x</h1>%p</main><div><div>Product</div>%one<div>zebu closed</div>%two</div>`,
		`<main><h1>x</h1>%p</main><div><div>Product</div>%one<div>We are away on Monday because of zebu</div>%two</div>`,
		`<main><h1>x</h1>%p</main><div><div>Harbour office</div><div>zebu road 12</div><div><a href=tel:1>0123</a></div>%one</div>`,
		`<main><h1>zebu</h1><div><div><div>Product</div>%one</div><div><div>zebu</div>%two</div></div></main>`,
		`<body><div><h1>x</h1>%p<div><div><div>Product</div>%one</div><div><div>zebu</div>%two</div></div></div>`,
	})
}

// TestN1TextsOfScripts checks that words which scripts append to measure fonts are furniture, and numbers of orders and
// addresses are not (N1).
func TestN1TextsOfScripts(t *testing.T) {
	checkAway(t, []string{
		`<main><h1>x</h1>%p</main><span>mmMwWLliI0fiflO&amp;1zebu</span><span>mmMwWLliI0fiflO&amp;1zebu</span>`,
		`<body><div><h1>x</h1>%p</div><span>mmMwWLliI0O&amp;1zebu</span>`,
		`<main><h1>x</h1>%p</main><div style="position:absolute;left:-9999px"><span>BESbswyzebu</span></div>`,
		`<main><h1>x</h1>%p</main><span style="font-size:72px">mmmmmmmmmmllizebu</span>`,
		`<main><h1>x</h1>%p</main><div><span>mmMwWLliI0fiflO&amp;1zebu</span><span>mmMwWLliI0fiflO&amp;1zebu</span></div>`,
	})
	checkKept(t, []string{
		`<main><h1>x</h1>%p</main><p>ORD-2026-zebu-AB77123</p>`,
		`<main><h1>x</h1>%p</main><div>ORD20261129zebuAB77</div>`,
		`<main><h1>x</h1>%p</main><span>https://port.example/zebu/aBcDeF1?x=1</span>`,
		`<main><h1>x</h1>%p</main><span>Zebuhafenverwaltung</span><span>zebu</span>`,
		`<main><h1>x</h1>%p</main><div style="position:absolute;left:20px">9 EUR zebu</div>`,
	})
}

// TestN1Controls checks that links past the navigation, pickers of languages, and controls with a few words around the
// content are furniture, and that what such an element says of a state is not (N1).
func TestN1Controls(t *testing.T) {
	checkAway(t, []string{
		`<main><a href=#c>Skip to zebu</a><h1>x</h1>%p</main>`,
		`<main><div><a href=#c>Skip to zebu</a> Settings</div><h1>x</h1>%p</main>`,
		`<main><h1>x</h1>%p</main><div>Switch to <button>zebu</button></div>`,
		`<main><h1>x</h1>%p</main><div>Show <select><option>a</select> zebu</div>`,
		`<main><h1>x</h1>%p</main><div role=button>zebu</div>`,
		`<main><h1>x</h1>%p</main><div><div role=button>English (UK)</div><div>Deutsch Français Svenska Italiano zebu</div></div>`,
		`<main><h1>x</h1>%p</main><div><div role=button>zebu</div><div>Deutsch</div><div>Français</div><div>Italiano</div></div>`,
	})
	checkKept(t, []string{
		`<main><h1>x</h1>%p</main><a href=#c>zebu</a>`,
		`<main><a href=#1>Rope</a> <a href=#2>zebu</a><h1>x</h1>%p</main>`,
		`<main><h1>x</h1>%p</main><div>zebu sold out <button>Tell me</button></div>`,
		`<main><h1>x</h1>%p</main><div>zebu 12 EUR <button>Buy</button></div>`,
		`<body><div><h1>x</h1>%p<button>zebu</button></div>`,
		`<main><h1>x</h1>%p</main><div><div role=button aria-expanded=false>When do zebu moor?</div><div>At high tide.</div></div>`,
		`<main><h1>x</h1>%p<p>Languages spoken: Deutsch, Français, Italiano, zebu</p></main>`,
		`<body><div><h1>x</h1>%p</div><dl><dt>Languages<dd>Deutsch Français Italiano zebu</dl>`,
	})
}

// TestN1RequestsForConsent checks that a request for consent is furniture, whether its buttons are buttons or not, and
// that a text about cookies does not ask for anything (N1).
func TestN1RequestsForConsent(t *testing.T) {
	checkAway(t, []string{
		`<main><h1>x</h1>%p</main><div><div>We use cookies for zebu.</div><div>Accept</div><div>Decline</div></div>`,
		`<body><div><p>This site uses cookies, zebu.</p><a href=# role=button>OK</a></div><main><h1>x</h1>%p</main>`,
		`<main><h1>x</h1>%p</main><div><p>We value your zebu privacy.</p><button>Accept all</button><button>Reject all</button></div>`,
		`<main><h1>x</h1>%p</main><div><p>Wir verwenden Cookies für zebu.</p><span>Alle akzeptieren</span></div>`,
		`<main><h1>x</h1>%p</main><div class=cookies-popup><div class=cookies-text>zebu and you</div><div class=cookies-buttons>
			<a href=#>Yes, please</a></div></div>`,
		`<main><div class=cookie-hinweis><p>Wir verwenden Cookies zebu</p><button>OK</button></div><h1>x</h1>%p</main>`,
		`<body><div role=region aria-label="Cookie banner"><p>We use them zebu</p><button>OK</button></div><main><h1>x</h1>%p</main>`,
	})
	checkKept(t, []string{
		`<main><h1>Cookies</h1><p>We use cookies zebu.</p><button>Accept</button>%p</main>`,
		`<body><h1>Cookies</h1>%p<div><p>We use cookies for zebu.</p><p>You may accept them or not at any time.</p></div>`,
		`<body><div><h1>zebu</h1>%p<p>Cookies</p><button>Accept</button></div>`,
	})
}

// TestN1NoticesAreBesideTheContent checks that a notice that readers can close, or a bar of announcements, is read
// beside the content (N1).
func TestN1NoticesAreBesideTheContent(t *testing.T) {
	for _, form := range []string{
		`<main><div class="promo-banner">Summer sale zebu, all berths at half the price</div><h1>x</h1>%p</main>`,
		`<main><div><p>Summer sale zebu: all berths</p><button class=close aria-label="Close">×</button></div><h1>x</h1>%p</main>`,
		`<main><div class="announcement-bar">We are closed on Monday zebu</div><h1>x</h1>%p</main>`,
		`<main><h1>x</h1>%p<div><p>New in the shop: charts on zebu</p><span role=button>Schließen</span></div></main>`,
		`<body><div role=alert>Harbour closed zebu <button>×</button></div><main><h1>x</h1>%p</main>`,
	} {
		if main, both := zonesOf(t, form); strings.Contains(main, "zebu") || !strings.Contains(both, "zebu") {
			t.Errorf("%s: main %v, both %v", form, strings.Contains(main, "zebu"), strings.Contains(both, "zebu"))
		}
	}
	if main, _ := zonesOf(t, `<main><div class=hero-banner><h1>zebu</h1></div>%p</main>`); !strings.Contains(main, "zebu") {
		t.Error("a banner with the heading of the page is not content")
	}
}
