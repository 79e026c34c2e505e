package web

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// edit replaces a text that must be present, so that a table row cannot pass by changing nothing.
func edit(t *testing.T, page, old, new string) string {
	t.Helper()
	if strings.Count(page, old) != 1 {
		t.Fatalf("%q stands %d times in the page", old, strings.Count(page, old))
	}
	return strings.Replace(page, old, new, 1)
}

func extractString(t testing.TB, page string) extract.Document {
	t.Helper()
	doc, err := Extract([]byte(page), "text/html; charset=utf-8", goldenBase, extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func newsPage(t *testing.T) string { return readPage(t, "news.html") }

// TestNoise checks the first half of A10: changes around the content do not count as changes.
func TestNoise(t *testing.T) {
	for _, tc := range []struct{ name, old, new string }{
		{"rotating ad", "Buy the new tide watch for only 49.99 today!", "<b>Win</b> a trip to Brest"},
		{"ad gone", `<div class="ad-slot"><p>Buy the new tide watch for only 49.99 today!</p></div>`, ""},
		{"CSRF token in a form", `value="b77e"`, `value="c90d"`},
		{"CSRF token in the head", `content="a81f"`, `content="ffff"`},
		{"script and its nonce", `<script nonce="r4nd0m">var views = 10234;</script>`,
			`<script nonce="zzz">var views = 7;</script>`},
		{"view counter", "10,234 views", "10,235 views"},
		{"visitor counter in the footer", "88121", "88122"},
		{"unread counter in the title", "(3) Harbour", "(4) Harbour"},
		{"related links", "New crane", "Old crane sold"},
		{"breadcrumb", `<a href="/news">News</a></nav>`, `<a href="/news">Newsroom</a></nav>`},
		{"cookie banner", "We use cookies to improve your visit.", "We value your privacy."},
		{"whitespace", "berth 7,\n   which", "berth 7, which"},
		{"class on a paragraph", "<p>Repairs", `<p class="lead">Repairs`},
		{"hidden text", "Internal draft note.", "Other note."},
		{"soft hyphen", "harbour master has", "har\u00adbour master has"},
		{"comment", "<h2>", "<!-- rendered in 12 ms --><h2>"},
		{"link address", "/berths?id=7#plan", "/berths?id=7&session=1#plan"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page := newsPage(t)
			before, after := extractString(t, page), extractString(t, edit(t, page, tc.old, tc.new))
			if before.ContentHash() != after.ContentHash() {
				t.Errorf("content hash changed; text was\n%s\nis\n%s", before.Text, after.Text)
			}
		})
	}
}

// TestNoiseOfAShop does the same for a page without main or article, where only class names identify the parts.
func TestNoiseOfAShop(t *testing.T) {
	shop := readPage(t, "shop.html")
	ad := shop[strings.Index(shop, `<ins class="adsbygoogle"`) : strings.Index(shop, "</ins>")+len("</ins>")]
	for _, tc := range []struct{ name, old, new string }{
		{"another advertisement", ad, `<ins class="adsbygoogle">Learn to dive with us, in seven days and for less than ` +
			`you think!</ins>`},
		{"advertisement did not load", ad, ""},
		{"advertisement with its slot gone", `<div class="ad-slot" id="ad-1731">` + ad + `</div>`, ""},
		{"slot numbered anew", `id="ad-1731"`, `id="ad-9917"`},
		{"CSRF token of a form", `name="authenticity_token" value="k29x"`, `name="authenticity_token" value="zz81"`},
		{"CSRF token in the head", `content="k29x"`, `content="zz81"`},
		{"clock in the header", "3 November 2026, 14:05", "4 November 2026, 09:31"},
		{"cart", "Cart (2)", "Cart (3)"},
		{"nonce", `<script nonce="n0nc3" src`, `<script nonce="other" src`},
		{"state in a script", `{"views":31,"ts":1793714700}`, `{"views":34,"ts":1793799999}`},
		{"viewers", "31 people are", "1 person is"},
		{"attributes in another order", `class="hero" src="/img/rope-400.jpg" alt="A coil of rope"`,
			`alt="A coil of rope" src="/img/rope-400.jpg" class="hero"`},
		{"attributes of the body", `class="template-product theme-light" data-request="81c2"`,
			`data-request="77aa" class="theme-dark template-product"`},
		{"recommendation", "Fender, blue, with a rope of its own", "Boat hook, made of ash"},
		{"shares", "Share (17)", "Share (18)"},
		{"announcement", "Free delivery until Sunday", "We are closed on Monday"},
		{"server and time in the footer", "12 ms on web-03", "131 ms on web-11"},
		{"tracking pixel", "hit.gif?x=81c2", "hit.gif?x=77aa"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, after := extractString(t, shop), extractString(t, edit(t, shop, tc.old, tc.new))
			if diff := cmp.Diff(before.Text, after.Text); before.ContentHash() != after.ContentHash() {
				t.Errorf("content hash changed\n%s", diff)
			}
		})
	}
}

// TestN1ChangesBesideAShop checks that visible facts around the content count, but leave the main content as it was.
func TestN1ChangesBesideAShop(t *testing.T) {
	shop := readPage(t, "shop.html")
	for _, tc := range []struct{ name, old, new string }{
		{"offer in the sidebar", "Anchor chain, today only 12.90 a metre", "Flags, all colours, two for one"},
		{"comment", "<p>Good rope, says Ana.</p>", "<p>Good rope, says Ana.</p><p>I have seen better ropes.</p>"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := extractString(t, shop).Hashes()
			after := extractString(t, edit(t, shop, tc.old, tc.new)).Hashes()
			if before.Main != after.Main || before.Body == after.Body || before.Content == after.Content {
				t.Errorf("have %v, then %v", before, after)
			}
		})
	}
}

// TestChangesOfAShop checks the second half of A10 for the same page.
func TestChangesOfAShop(t *testing.T) {
	shop := readPage(t, "shop.html")
	for _, tc := range []struct{ name, old, new string }{
		{"price", "€ 89.50", "€ 84.50"},
		{"currency", "€ 89.50", "$ 89.50"},
		{"date of delivery", "5 November 2026", "6 November 2026"},
		{"one letter", "dry it in the shade", "try it in the shade"},
		{"sentence added", "at their berth in a strong wind.", "at their berth in a strong wind. Not for towing."},
		{"sentence removed", "In stock, sent on 5 November 2026. ", ""},
		{"cell", "118 kN", "112 kN"},
		{"caption", "Eight strands, 24 mm", "Twelve strands, 24 mm"},
		{"title", "<h1>Mooring rope 24 mm", "<h1>Mooring rope 26 mm"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, after := extractString(t, shop), extractString(t, edit(t, shop, tc.old, tc.new))
			if before.ContentHash() == after.ContentHash() {
				t.Errorf("content hash did not change; text is\n%s", after.Text)
			}
		})
	}
}

// TestChanges checks the second half of A10: every change of the content counts.
func TestChanges(t *testing.T) {
	for _, tc := range []struct{ name, old, new string }{
		{"word in a sentence", "until further notice", "until Friday"},
		{"price", "2.4", "2.5"},
		{"date", "3 November 2026", "4 November 2026"},
		{"heading", "What changes<a", "What stays<a"},
		{"title", "<h1>Harbour closes", "<h1>Harbour opens"},
		{"list item", "from berth 4.", "from berth 5."},
		{"nested list item", "before 06:00", "before 07:00"},
		{"table cell", "11 m", "9 m"},
		{"quote", "Nobody needs", "Everybody needs"},
		{"removed paragraph", "<p>Nobody needs to worry,</p>", ""},
		{"link text", "dredged in spring", "dredged in autumn"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page := newsPage(t)
			before, after := extractString(t, page), extractString(t, edit(t, page, tc.old, tc.new))
			if before.ContentHash() == after.ContentHash() {
				t.Errorf("content hash did not change; text is\n%s", after.Text)
			}
			if before.TextHash() == after.TextHash() {
				t.Error("text hash did not change")
			}
		})
	}
}

func TestHashForms(t *testing.T) {
	for _, tc := range []struct {
		name string
		a, b string
		same bool
	}{
		{"composed and decomposed", "<p>caf\u00e9", "<p>cafe\u0301", true},
		{"no-break space", "<p>90&nbsp;m", "<p>90 m", true},
		{"indentation of code", "<pre>if x:\n  y</pre>", "<pre>if x:\n y</pre>", false},
		{"blanks at line ends of code", "<pre>a  \nb</pre>", "<pre>a\nb</pre>", true},
		{"CRLF in code", "<pre>a\r\nb</pre>", "<pre>a\nb</pre>", true},
		{"paragraph border", "<p>ab<p>cd", "<p>ab cd", false},
		{"text moves from title to body", "<title>x y</title>", "<title>x</title><p>y", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, b := extractString(t, tc.a), extractString(t, tc.b)
			if same := a.ContentHash() == b.ContentHash(); same != tc.same {
				t.Errorf("same hash: have %v, want %v\n%q\n%q", same, tc.same, a.Text, b.Text)
			}
		})
	}
}

// TestContentFollowsItsWords draws pages and checks that the content is complete and in order, without the chrome
// around it.
func TestContentFollowsItsWords(t *testing.T) {
	word := rapid.StringMatching(`[a-zäöß]{1,8}`)
	rapid.Check(t, func(t *rapid.T) {
		var page, want strings.Builder
		page.WriteString("<nav><a href=/>navword</a></nav><main>")
		for range rapid.IntRange(1, 8).Draw(t, "blocks") {
			tag := rapid.SampledFrom([]string{"p", "div", "h2", "section", "blockquote", "pre", "li"}).Draw(t, "tag")
			text := strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "words"), " ")
			page.WriteString("<" + tag + ">" + text + "</" + tag + ">\n")
			want.WriteString(text + " ")
		}
		page.WriteString("</main><footer>footword</footer>")
		doc, err := Extract([]byte(page.String()), "text/html; charset=utf-8", goldenBase, extract.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if have := dom.Fold(doc.Text); have != strings.TrimSpace(want.String()) {
			t.Fatalf("have %q, want %q", have, want.String())
		}
	})
}
