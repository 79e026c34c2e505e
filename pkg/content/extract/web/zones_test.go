package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// everydayPlaces are places of a page where readers look for a fact, which replaces %s. The text of the article
// replaces %p.
var everydayPlaces = map[string]string{
	"box before the description": `<main><h1>Lamp</h1><div class="buy">%s</div><div class="desc">%p</div></main>`,
	"price in a span":            `<main><h1>Lamp</h1><span class="price">%s</span><div class="desc">%p</div></main>`,
	"definition list":            `<main><h1>Job</h1><dl><dt>Deadline<dd>%s</dl><div>%p</div></main>`,
	"list":                       `<main><h1>Fair</h1><ul><li>When: %s<li>In hall 3</ul><div class="text">%p</div></main>`,
	"clause":                     `<main><h1>Terms</h1><div>%p</div><section><h2>Fault</h2><p>%s</p></section></main>`,
	"alert":                      `<main><div class="alert" role="alert">%s</div><h1>Ferry</h1><div>%p</div></main>`,
	"fee table":                  `<main><h1>Berths</h1><div>%p</div><table><tr><th>No<th>Fee<tr><td>7<td>%s</main>`,
	"description":                `<body><div id=c><h1>Lamp</h1><div class=o>%s</div><div class=text>%p</div></div></body>`,
	"list of documents": `<main><h1>Minutes</h1><p>Read them.</p><h2>Documents</h2><ul><li><a href=/1.pdf>Minutes 1</a>
		<li><a href=/2.pdf>Minutes 2</a><li><a href=/3.pdf>Minutes 3</a><li><a href=/4.pdf>%s</a></ul>%p</main>`,
	"section, generated id":    `<main><h1>Manual</h1>%p<section id="comments"><h2>Notes</h2><p>%s</p></section></main>`,
	"heading, generated id":    `<main><h1>Manual</h1>%p<h2 id="pagination">%s</h2><p>As above.</p></main>`,
	"class of furniture":       `<main><h1>Bar</h1>%p<div class="menu"><h2>Soups</h2><p>%s</p></div></main>`,
	"box beside an article":    `<article><h1>News</h1>%p</article><div class="box"><h2>Hours</h2><p>%s</p></div>`,
	"aside with text":          `<main><h1>News</h1>%p</main><aside><h2>Service</h2><p>%s</p></aside>`,
	"sidebar with text":        `<article><h1>News</h1>%p</article><div class="sidebar"><p>%s</p></div>`,
	"correction in an article": `<article><h1>News</h1>%p<p class="updated">%s</p></article>`,
	"state on a button":        `<main><h1>Lamp</h1><button disabled>%s</button><div>%p</div></main>`,
	"note for printing":        `<main><h1>Lamp</h1>%p<p class="no-print">%s</p></main>`,
	"text around the content":  `<body>%s<main><h1>Lamp</h1>%p</main></body>`,
	"footer of an article":     `<article><h1>News</h1>%p<footer>%s</footer></article>`,
}

// pageAt puts a fact and 15 paragraphs of prose into a place.
func pageAt(place, fact string) string {
	var prose strings.Builder
	for i := range 15 {
		fmt.Fprintf(&prose, "<p>Paragraph %d of the long text that surely nobody reads to its very end, because it "+
			"goes on and on about ships, quays and the weather of that year.</p>", i)
	}
	page := strings.Replace(place, "%s", fact, 1)
	return "<!DOCTYPE html><title>Page</title>" + strings.Replace(page, "%p", prose.String(), 1)
}

// TestN1FactsInEverydayPlaces checks that a fact in any place that readers look at is in the text, and that a change of
// the fact changes the content hash (N1).
func TestN1FactsInEverydayPlaces(t *testing.T) {
	for name, place := range everydayPlaces {
		for _, fact := range [][2]string{{"49 EUR zebu", "59 EUR zebu"}, {"3 March 2027 zebu", "3 May 2027 zebu"},
			{"Sold out zebu", "In stock zebu"}} {
			before, after := extractString(t, pageAt(place, fact[0])), extractString(t, pageAt(place, fact[1]))
			if n := strings.Count(before.Text, fact[0]); n != 1 {
				t.Errorf("%s: %q is %d times in %q", name, fact[0], n, before.Text[max(0, len(before.Text)-300):])
			}
			if before.ContentHash() == after.ContentHash() {
				t.Errorf("%s: %q to %q is no change", name, fact[0], fact[1])
			}
		}
	}
}

// TestN1FurnitureIsInNoZone checks that what belongs to the site and not to the page is in neither zone (N1).
func TestN1FurnitureIsInNoZone(t *testing.T) {
	for name, place := range map[string]string{
		"nav":                   `<nav><a href=/a>%s</a></nav><main>%p</main>`,
		"nav in the content":    `<main><nav><a href=/a>%s</a></nav>%p</main>`,
		"banner":                `<header><p>%s</p></header><main>%p</main>`,
		"footer":                `<main>%p</main><footer><p>%s</p></footer>`,
		"role":                  `<main>%p</main><div role="navigation">%s</div>`,
		"links around":          `<main>%p</main><div><a href=/1>%s</a> <a href=/2>Two more</a> <a href=/3>Three</a></div>`,
		"aside with links":      `<main>%p<aside><h3>More</h3><a href=/1>%s</a> <a href=/2>Another</a></aside></main>`,
		"request for consent":   `<div><p>We use cookies. %s</p><button>Accept</button></div><main>%p</main>`,
		"for screen readers":    `<main>%p<span class="sr-only">%s</span></main>`,
		"advertisement":         `<main>%p<div class="ad-slot">%s</div></main>`,
		"dialog":                `<main>%p</main><div role="dialog">%s</div>`,
		"named list of links":   `<main>%p</main><div class="related-posts"><a href=/1>%s</a></div>`,
		"sign beside a heading": `<main>%p<h2>Locks<a class="headerlink" href="#l">%s</a></h2><p>x</p></main>`,
	} {
		if doc := extractString(t, pageAt(place, "zebu")); strings.Contains(doc.Text, "zebu") {
			t.Errorf("%s: in %q", name, doc.Text[max(0, len(doc.Text)-200):])
		}
	}
}

// TestN1ZonesAreInOrderAndDisjoint checks that the main content comes first and that no element is in both zones (N1).
func TestN1ZonesAreInOrderAndDisjoint(t *testing.T) {
	for name, place := range everydayPlaces {
		doc := extractString(t, pageAt(place, "49 EUR zebu"))
		byZone := func(a, b extract.Block) int { return strings.Compare(string(a.Zone), string(b.Zone)) }
		if !slices.IsSortedFunc(doc.Blocks, byZone) {
			t.Errorf("%s: %+v", name, doc.Blocks)
		}
		for i := range 15 {
			if n := strings.Count(doc.Text, fmt.Sprintf("Paragraph %d of", i)); n != 1 {
				t.Errorf("%s: paragraph %d is in the text %d times", name, i, n)
			}
		}
	}
}

// TestN2AnIDIsNoEvidence checks that the words of an id never make an element furniture (N2).
func TestN2AnIDIsNoEvidence(t *testing.T) {
	for _, id := range strings.Fields(`comments related-work copyright menu share-classes social-security ads-txt sidebar
		nav footer header newsletter cookies promo sponsors breadcrumbs pagination toc sharing-files skip-list sr-only`) {
		for _, place := range []string{
			`<main><h1>Manual</h1>%p<section id="` + id + `"><h2>A heading</h2><p>%s</p></section></main>`,
			`<main><h1>Manual</h1>%p<h2 id="` + id + `">%s</h2><p>x</p></main>`,
			`<body><div class=a><h1>Manual</h1>%p</div><div id="` + id + `"><p>%s</p></div></body>`,
		} {
			if doc := extractString(t, pageAt(place, "zebu")); !strings.Contains(doc.Text, "zebu") {
				t.Errorf("%s: lost of %.80s", id, place)
			}
		}
	}
}

// TestN6BeyondACut checks that a document says what is not read of it, and that a change of that part is noticed
// although neither zone has it (N6).
func TestN6BeyondACut(t *testing.T) {
	many := func(line, last string) string { return strings.Repeat(line, 40) + last }
	limits := extract.Limits{MaxBlocks: 20}
	small := extract.Limits{MaxBytes: 2000}
	for name, tc := range map[string]struct {
		mediaType, before, after string
		limits                   extract.Limits
		same                     bool
	}{
		"blocks": {"text/html", many("<p>x</p>", "<p>fee 12"), many("<p>x</p>", "<p>fee 15"), limits, false},
		"blocks beside the content": {"text/html", "<article><p>x</article>" + many("<div>y</div>", "<p>fee 12"),
			"<article><p>x</article>" + many("<div>y</div>", "<p>fee 15"), limits, false},
		"markup alone": {"text/html", many("<p>x</p>", "<p>fee 12"), many("<p>x</p>", "<p class=a>fee <b>12"), limits, true},
		"paragraphs":   {"text/plain", many("x\n\n", "fee 12"), many("x\n\n", "fee 15"), limits, false},
		"rows":         {"text/csv", many("a,b\n", "fee,12"), many("a,b\n", "fee,15"), limits, false},
		"bytes of a page": {"text/html", strings.Repeat("<p>words</p>", 300) + "<p>fee 12",
			strings.Repeat("<p>words</p>", 300) + "<p>fee 15", small, false},
		"footer beyond the bytes": {"text/html", strings.Repeat("<p>words</p>", 300) + "<footer><p>12 ms</footer>",
			strings.Repeat("<p>words</p>", 300) + "<footer><p>131 ms</footer>", small, true},
		"counter beyond the bytes": {"text/html", strings.Repeat("<p>words</p>", 300) + "<p>12 comments",
			strings.Repeat("<p>words</p>", 300) + "<p>13 comments", small, true},
		"bytes of a text": {"text/plain", strings.Repeat("words\n\n", 400) + "fee 12",
			strings.Repeat("words\n\n", 400) + "fee 15", small, false},
	} {
		read := func(body string) extract.Document {
			doc, err := Extract([]byte(body), tc.mediaType, goldenBase, tc.limits)
			if err != nil {
				t.Fatal(err)
			}
			return doc
		}
		before, after := read(tc.before), read(tc.after)
		if before.Cut == "" || before.Beyond == (extract.Beyond{}) {
			t.Errorf("%s: cut %q, beyond %x", name, before.Cut, before.Beyond)
		}
		b, a := before.Hashes(), after.Hashes()
		if b.Body != a.Body || (b.Content == a.Content) != tc.same {
			t.Errorf("%s: have %v, then %v", name, b, a)
		}
	}
	if doc := extractString(t, "<p>short"); doc.Cut != "" || doc.Beyond != (extract.Beyond{}) {
		t.Errorf("a short page is cut: %q", doc.Cut)
	}
}

// TestN1ListsOnPagesWithoutLandmarks checks which lists of links are content on pages without elements for it: those
// below a heading of the content, and those of files. Lists of links in boxes of their own are furniture (N1).
func TestN1ListsOnPagesWithoutLandmarks(t *testing.T) {
	const list = `<ul><li><a href=/1>Minutes 1</a><li><a href=/2>Minutes 2</a><li><a href=/3>zebu</a></ul>`
	for place, want := range map[string]bool{
		`<body><h1>Minutes</h1>%p<h2>All</h2>` + list:                                                 true,
		`<body><div class=a><h1>Minutes</h1><div>%p</div><h2>All</h2>` + list + `</div>`:              true,
		`<body><div class=a><h1>Minutes</h1>%p</div><div class=b><h2>All</h2>` + list + `</div>`:      false,
		`<body><div class=a><h1>Minutes</h1>%p<div class=related><h2>More</h2>` + list + `</div>`:     false,
		`<body><div class=a><h1>Minutes</h1>%p</div>` + list:                                          false,
		`<body><div>%p</div>` + strings.NewReplacer("/1", "/1.pdf", "/3", "tel:3").Replace(list):      true,
		`<body><header>` + list + `</header><h1>Minutes</h1>%p`:                                       false,
		`<body><h1>Minutes</h1>%p<header><p>zebu</p></header>`:                                        true,
		`<body><header><h1>zebu</h1><p>Dear</p></header>%p`:                                           true,
		`<body><header><h1><a href=/>zebu</a></h1></header>%p`:                                        false,
		`<main><h1>Lamp</h1>%p<aside><p>zebu</p>` + strings.Replace(list, "zebu", "3", 1):             true,
		`<main><h1>Lamp</h1>%p<aside><ul><li><a href=/1>Minutes of a year</a> <i>2 May zebu</i></ul>`: false,
		`<body><div class=cookie-notice>zebu <button>Yes</button></div><h1>x</h1>%p`:                  false,
		`<body><h1>x</h1>%p<div class=cookie-notice><h2>Privacy</h2><p>zebu</p></div>`:                true,
		`<main><h1>x</h1>%p</main><noscript>Turn on JavaScript to see zebu</noscript>`:                false,
		`<main><h1>x</h1>%p</main><noscript><style>p{}</style><p>zebu</p></noscript>`:                 true,
		`<main><h1>x</h1>%p<table><tr><td>Sauna<td><img src=/1.png alt=zebu></table></main>`:          true,
		`<main><h1>x</h1>%p<table><tr><td>Sauna<td><img src=/1.png alt=gnu> zebu</table></main>`:      true,
		`<main><h1>x</h1>%p<dialog open><p>We use cookies. zebu</p></dialog></main>`:                  false,
		`<main><h1>x</h1>%p<div role=dialog aria-hidden=true class=modal><p>zebu</p></div></main>`:    false,
		`<main><h1>x</h1>%p<section><p>y</p><footer>zebu</footer></section></main>`:                   true,
		`<body><a href=#c>zebu</a><main><h1>x</h1>%p</main>`:                                          false,
		`<main><h1>x</h1>%p</main><a href=#c>zebu</a>`:                                                true,
		`<main>%p</main><div><h4>zebu</h4>` + strings.Replace(list, "zebu", "3", 1) + `</div>`:        false,
		`<main>%p</main><div><h4>zebu 12 EUR</h4>` + strings.Replace(list, "zebu", "3", 1) + `</div>`: true,
		`<body><div class=a>%p</div><div class=b><div class=comment>zebu ` + strings.Repeat("and more words ", 9) + `</div>` +
			strings.Replace(list, "zebu", "3", 1) + `</div>`: true,
		`<main>%p</main><span class=b-TooltipV2 aria-hidden=true>zebu</span>`:                                   false,
		`<main>%p</main><span class=tooltip>zebu<span role=tooltip>a cow</span></span>`:                         true,
		`<section><h1>x</h1>%p<footer>zebu</footer></section>`:                                                  false,
		`<main>%p</main><ul class=uk-nav><li><a href=/1>DNS lookup</a><p>Look up the zebu of a domain</p></ul>`: false,
		`<main>%p</main><ul class=uk-nav><li><a href=/1>DNS lookup</a><p>From now on 9 EUR a zebu</p></ul>`:     true,
		`<main>%p</main><ul><li><a href=/1>DNS lookup</a><p>Look up the zebu of a domain</p></ul>`:              true,
	} {
		if have := strings.Contains(extractString(t, pageAt(place, "")).Text, "zebu"); have != want {
			t.Errorf("%s: in the text is %v", place, have)
		}
	}
}

// TestT5AnchorsAreNoLinks checks that an a without an address is no link. Pages written as XML do not close it, so it
// is opened again in each element that follows, and its headings and tables must stay content.
func TestT5AnchorsAreNoLinks(t *testing.T) {
	title := func(tag, id, text string) string {
		return fmt.Sprintf(`<div class="titlepage"><div><div><%s class="title"><a id="%s"/>%s</%s></div></div></div>`, tag, id,
			text, tag)
	}
	var body strings.Builder
	body.WriteString(`<html xmlns="http://www.w3.org/1999/xhtml"><body><div class="navheader"><table><tr><td>` +
		`<a accesskey="p" href="ch02.html">Prev</a></td></tr></table></div><div class="chapter">` +
		title("h1", "net", "Network"))
	quay := strings.Repeat("The quay is long and deep, see <a class=xref href=ch05.html>chapter 5</a> of the book. ", 8)
	for i := range 12 {
		fmt.Fprintf(&body, `<div class="section">%s<p>%s</p><p>%s</p><div class="table"><a id="t%d"/><table><tr><th>Port</th>`+
			`<th>Depth</th></tr><tr><td>%d</td><td>4 m</td></tr></table></div></div>`,
			title("h2", fmt.Sprint("s", i), fmt.Sprintf("Section %d of it", i)), quay, quay, i, i)
	}
	spaced := strings.ReplaceAll(body.String(), "><", ">\n<") // blanks open the anchors again, too
	doc := extractAs(t, "text/html", spaced+"</div></body></html>")
	main := extract.Join(extract.MainBlocks(doc.Blocks))
	for i := range 12 {
		if want := fmt.Sprintf("Section %d of it", i); !strings.Contains(main, want) {
			t.Errorf("%s is not content", want)
		}
	}
	if !strings.Contains(main, "| 11 | 4 m |") {
		t.Errorf("a table is not content: %.300s", main)
	}
}

// TestN2LengthOfFurnitureDecidesNothing checks that a clock in the header of the site, however long, decides nothing
// about the links that follow (N2).
func TestN2LengthOfFurnitureDecidesNothing(t *testing.T) {
	text := func(clock int) string {
		header := "<body><header>" + strings.Repeat("x", clock) + "</header><div><a href=#>close</a> it</div>"
		return extractString(t, pageAt(header+"<div class=a><h1>Lamp</h1>%p</div>", "")).Text
	}
	for clock := 250; clock < 320; clock += 10 {
		if text(clock) != text(10) {
			t.Errorf("a header of %d bytes changes the text", clock)
		}
	}
}
