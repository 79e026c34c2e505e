package tree

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// everyTag are the elements for which the parser has special rules, and two unknown ones.
var everyTag = strings.Fields(`a abbr annotation-xml applet area article aside b base basefont bgsound big blockquote
	body br button caption center code col colgroup dd desc details div dl dt em embed fieldset font foreignObject form
	frame frameset h1 head hr html i iframe image img input isindex keygen label li link listing main math menu meta mi
	nobr noembed noframes noscript object ol optgroup option p param plaintext pre rb rp rt ruby s script section select
	small span strike strong style sub summary svg table tbody td template textarea tfoot th thead title tr tt u ul var
	wbr x-y xmp`)

// tagForms are the ways in which a tag may be repeated.
var tagForms = map[string]func(tag string, i int) string{
	"open":       func(tag string, _ int) string { return "<" + tag + ">" },
	"attribute":  func(tag string, i int) string { return fmt.Sprintf("<%s a%x>", tag, i) },
	"close":      func(tag string, _ int) string { return "x</" + tag + ">" },
	"text":       func(tag string, _ int) string { return "<" + tag + ">x" },
	"pair":       func(tag string, _ int) string { return "<" + tag + ">x</" + tag + ">" },
	"self":       func(tag string, _ int) string { return "<" + tag + "/> " },
	"paragraphs": func(tag string, _ int) string { return "<" + tag + "><p>x" },
}

// contexts are the elements around the repeated tags.
var contexts = []string{"", "<table>", "<table><tr><td>", "<select>", "<svg>", "<math>", "<template>", "<frameset>",
	"<a href=x><b c>"}

// parserWork counts what the parser makes of a tamed body: nodes, attributes, and the attributes that it examines for
// each html and body tag.
func parserWork(t *testing.T, body []byte) (work int) {
	t.Helper()
	tamed, ok := tame(body, 1<<20)
	if !ok {
		return len(body) // such a body is read flat, in one pass
	}
	attrs := map[string]int{}
	for z := html.NewTokenizer(bytes.NewReader(tamed)); z.Next() != html.ErrorToken; {
		if tok := z.Token(); tok.Type == html.StartTagToken && (tok.Data == "html" || tok.Data == "body") {
			attrs[tok.Data] += len(tok.Attr)
			work += attrs[tok.Data]
		}
	}
	root, err := html.Parse(bytes.NewReader(tamed))
	if err != nil {
		return work + len(tamed)
	}
	for n := range root.Descendants() {
		work += 1 + len(n.Attr)
	}
	return work
}

// S1: TestS1RepeatedTagsTakeLinearWork checks that the work for a repeated tag grows linearly, in any form and
// position.
func TestS1RepeatedTagsTakeLinearWork(t *testing.T) {
	repeat := func(before, tag string, form func(string, int) string, n int) []byte {
		b := bytes.NewBufferString(before)
		for i := range n {
			b.WriteString(form(tag, i))
		}
		return b.Bytes()
	}
	const n = 80 // twice as many do not nest deeper than the parser goes
	for _, before := range contexts {
		for name, form := range tagForms {
			for _, tag := range everyTag {
				once, twice := parserWork(t, repeat(before, tag, form, n)), parserWork(t, repeat(before, tag, form, 2*n))
				if twice > 23*once/10+20 && !isFormatting([]byte(tag)) { // maxNodes bounds formatting elements
					t.Errorf("%q, then <%s> as %s: %d for %d, %d for %d", before, tag, name, once, n, twice, 2*n)
				}
			}
		}
	}
}

// S1: TestS1CopiedAttributes checks that an element is not copied with all its attributes into each paragraph.
func TestS1CopiedAttributes(t *testing.T) {
	attrs := strings.Repeat(" a b c='<b>' d", 5_000)
	for _, before := range []string{"<b" + attrs + ">", "<div><a" + attrs + "></div>", "<svg><style></b><b" + attrs +
		"></style></svg>"} {
		page := before + strings.Repeat("<div><p>x</p></div>", 2_000)
		if work := parserWork(t, []byte(page)); work > maxNodes {
			t.Errorf("%.20s…: %d nodes and attributes", before, work)
		}
	}
}

// TestTameKeepsOrdinaryPages checks that ordinary pages reach the parser unchanged.
func TestTameKeepsOrdinaryPages(t *testing.T) {
	page := `<!doctype html><html lang=en><!-- <html class=old> --><head><script>if (a <b) w('<body>')</script></head>
		<body class="x">` +
		strings.Repeat(`<p><a href="/x" data-a='{"b": "<i>"}'>x</a> <b>y</b> <i class="fa fa-z"></i>`, 500)
	if tamed, ok := tame([]byte(page), 1<<20); !ok || string(tamed) != page {
		t.Errorf("ok %v, changed %v", ok, string(tamed) != page)
	}
}

// TestAttributes checks that attributes are counted as the tokenizer does, which drops repeated ones.
func TestAttributes(t *testing.T) {
	for tag, want := range map[string]int{"b>": 0, "b a>": 1, "b  a = 'x y' b=c d>": 3, "b/a/b>": 2, "b =a>": 1,
		"b a='>' b>": 2} {
		if n, size := attributes([]byte(tag + "x")); n != want || size != len(tag)-1 {
			t.Errorf("%s: have %d in %d bytes, want %d", tag, n, size, want)
		}
	}
	pieces := strings.Split(" |\t|/|=|==|a|b c|'|\"|'x y'|\"z>\"|=v|= w|= 'u'|<b|\f|é|\x00", "|")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		tag := "b "
		for range rng.IntN(12) {
			tag += pieces[rng.IntN(len(pieces))]
		}
		z := html.NewTokenizer(strings.NewReader("<" + tag + `>'">`))
		if kind := z.Next(); kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue // the tag does not end
		}
		want := len(z.Token().Attr)
		if n, size := attributes([]byte(tag + `>'">`)); n < want || size > len(tag)+3 {
			t.Fatalf("%q: have %d in %d bytes, the tokenizer says %d", tag, n, size, want)
		}
	}
}

// amplifier returns a small page that a parser following the standard expands into formats × items nodes.
func amplifier(formats, items int, tag func(i int) string) string {
	var b strings.Builder
	b.WriteString("<p>")
	for i := range formats {
		b.WriteString(tag(i))
	}
	b.WriteString("</p>")
	for range items {
		b.WriteString("<p>x")
	}
	return b.String()
}

func countNodes(root *html.Node) int {
	n := 0
	for range root.Descendants() {
		n++
	}
	return n
}

// TestGuard tries ways to hide from the guard that formatting elements differ. The bound applies to the tree that
// would be parsed; the test counts it by parsing a smaller one.
func TestGuard(t *testing.T) {
	for _, tc := range []struct {
		name string
		tag  func(i int) string
	}{
		{"distinct attributes", func(i int) string { return fmt.Sprintf("<b a%d>", i) }},
		{"distinct after a > in quotes", func(i int) string { return fmt.Sprintf(`<b a=">%d">`, i) }},
		{"quotes in quotes", func(i int) string { return fmt.Sprintf(`<b x='"' y="''>%d">`, i) }},
		{"quote in an unquoted value", func(i int) string { return fmt.Sprintf(`<b a=x"y b=">%d">`, i) }},
		{"equals in an unquoted value", func(i int) string { return fmt.Sprintf(`<b a=x="y b=">%d">`, i) }},
		{"distinct beyond the length looked at",
			func(i int) string { return "<b a='" + strings.Repeat("x", 400) + fmt.Sprint(i) + "'>" }},
		{"upper case", func(i int) string { return fmt.Sprintf("<FoNT size=%d>", i) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const formats, items = 400, 20
			page := []byte(amplifier(formats, items, tc.tag))
			root, err := html.Parse(strings.NewReader(string(page)))
			if err != nil {
				t.Fatal(err)
			}
			_, bound := cost(page, 1<<20)
			if nodes := countNodes(root); nodes > bound || nodes < formats*items/2 {
				t.Fatalf("estimated at most %d nodes, parsed %d", bound, nodes)
			}
			tamed, ok := tame([]byte(amplifier(formats, 20_000, tc.tag)), 1<<20)
			if !ok || len(tamed) > 120_000 {
				t.Fatalf("ok=%v, %d bytes left", ok, len(tamed))
			}
		})
	}
}
