package selector_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/policy/selector"
)

func parse(t testing.TB, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// find returns the texts of the elements that a selector finds, with "|" between them, or the error.
func find(root *html.Node, text string) string {
	sel, err := selector.Parse(text)
	if err != nil {
		return err.Error()
	}
	found, err := selector.On(root).Find(sel)
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, n := range found {
		var b strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				b.WriteString(d.Data)
			}
		}
		out = append(out, strings.Join(strings.Fields(b.String()), " "))
	}
	return strings.Join(out, "|")
}

const copied = `<html lang=en-GB><body><div id=123><p>one</p><ul><li class="a:b w-1/2">two<li>three</ul></div>
<div class=card><h2>Lamp</h2><p class=price>79</p></div><div class=card><h3>Rope</h3><div><p class=price>12</p></div></div>
<section lang=de><p>vier</p><blockquote lang=en><p>five</p></blockquote></section></body></html>`

// TestW29CopiedSelectors checks the selectors of CSS that browsers copy and people write (W29).
func TestW29CopiedSelectors(t *testing.T) {
	root := parse(t, copied)
	for text, want := range map[string]string{
		`#\31 23 > p`:                       "one",
		`#\31 23>ul > li:nth-child(2)`:      "three",
		`#\000031 23 p, #\31\32\33  li`:     "one|two|three",
		`.a\:b`:                             "two",
		`.a\:b.w-1\/2`:                      "two",
		`html > body > div:nth-child(2) h2`: "Lamp",
		`div:has(> .price) .price`:          "79",
		`div:has( .price ) h3`:              "Rope",
		`h2:has(+ .price)`:                  "Lamp",
		`h2:has(~ .price)`:                  "Lamp",
		`p:has(+ ul), li:has(~ li)`:         "one|two",
		`.card:has(> h2, > h3 + p)`:         "Lamp79",
		`.card:has(h3):has(.price)`:         "Rope12",
		`:is(h2,h3) + p`:                    "79",
		`:where(h2, h3) + div p`:            "12",
		`:is(.card > div, section) p`:       "12|vier|five",
		`p:lang(en)`:                        "one|79|12|five",
		`p:lang("de", fr)`:                  "vier",
		`p:not(.price, :lang(de))`:          "one|five",
		`p:not(.card p):not(section *)`:     "one",
		`.card:not(:has(h2)) p`:             "12",
		`:not(*)`:                           "",
		`p:contains("Fee")`:                 "the pseudo-class :contains is not supported; supported are",
		`p::before`:                         "the pseudo-class : is not supported",
		`:is`:                               "write what :is is about in parentheses",
		`:has()`:                            "a selector has 1 to 16 parts",
		`:has(> )`:                          "expected selector",
		`:is(a`:                             "write what :is is about in parentheses",
		`.a:is(.b)c`:                        `"c" stands directly behind :is`,
		`li:nth-child(2 of .x)`:             ":nth-child takes a number or a rule",
		`p:lang(5 + 5)`:                     `"5 + 5" is not a language`,
	} {
		if have := find(root, text); !strings.HasPrefix(have, want) || want == "" && have != "" {
			t.Errorf("%s: %q, want %q", text, have, want)
		}
	}
}

// TestW29SameAsExpanded checks pseudo-classes against selectors without them, and :has against package cascadia, on
// random trees (W29).
func TestW29SameAsExpanded(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[dice.IntN(len(from))] }
	var tree func(depth int) string
	tree = func(depth int) string {
		var b strings.Builder
		for range dice.IntN(5) {
			tag := pick("div", "b", "i")
			fmt.Fprintf(&b, `<%s class="%s">`, tag, pick("x", "y", "x y", ""))
			if depth > 0 {
				b.WriteString(tree(depth - 1))
			}
			fmt.Fprintf(&b, "%d</%s>", dice.IntN(100), tag)
		}
		return b.String()
	}
	part := func() string { return pick("div", "b", ".x", ".y", "i:first-child", ".x.y") }
	chain := func() string { return part() + pick(" ", " > ", " + ", "~") + part() }
	found := 0
	for range 3000 {
		root := parse(t, "<body>"+tree(4))
		a, b, c, d := part(), part(), chain(), part()
		for one, other := range map[string]string{
			d + pick(" ", ">", "+", "~") + ":is(" + a + ", " + b + ")": "",
			"*:is(" + c + ")":                          c,
			"*:has(" + a + ")":                         "*:has(" + a + ")",
			"*:not(" + a + "," + b + ")":               "*:not(" + a + "," + b + ")",
			"div:is(:has(" + a + "), :has(" + b + "))": "div:has(" + a + "," + b + ")",
		} {
			if other == "" {
				head, _, _ := strings.Cut(one, ":is(")
				if strings.HasSuffix(d, "child") {
					head = d + one[len(d):len(d)+1]
				}
				other = head + a + ", " + head + b
			}
			have, want := find(root, one), cascadiaFinds(root, other)
			if have != want {
				t.Fatalf("%s: %q, %s: %q", one, have, other, want)
			}
			found += len(have)
		}
	}
	if found < 10_000 {
		t.Errorf("only %d letters were found", found)
	}
}

func cascadiaFinds(root *html.Node, text string) string {
	is := map[*html.Node]bool{}
	for _, n := range cascadia.QueryAll(root, cascadia.MustCompile(text)) {
		is[n] = true
	}
	var out []string
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if is[n] {
			var b strings.Builder
			for d := range n.Descendants() {
				if d.Type == html.TextNode {
					b.WriteString(d.Data)
				}
			}
			out = append(out, strings.Join(strings.Fields(b.String()), " "))
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return strings.Join(out, "|")
}

// TestW29HostilePages checks that selectors that look into or around elements are bounded by steps (W29).
func TestW29HostilePages(t *testing.T) {
	wide := parse(t, "<body>"+strings.Repeat("<p></p>", 100_000))
	deep := parse(t, "<body>"+strings.Repeat("<div>", 500)+strings.Repeat("<i></i>", 100_000))
	for text, root := range map[string]*html.Node{
		"p:has(~ b)": wide, "p:is(b ~ p ~ p ~ p)": wide, "p:not(:is(b ~ p))": wide, "p:not(:first-child)": wide,
		"div:has(b)": deep, "div:has(i:is(div div div div div div div div div b i))": deep,
		"div:has(:has(b))": deep, `div:not(:named("x"))`: deep,
	} {
		if have := find(root, text); have != selector.ErrLarge.Error() {
			t.Errorf("%s: %.100s", text, have)
		}
	}
}

// FuzzParse checks that no text makes the parser or the matching panic, and that what is found is in the page (W29).
func FuzzParse(f *testing.F) {
	for _, text := range []string{`#\31 23 > p`, `a:has(> b, + c):not(:is(d e)) ~ f:lang(en)`, `[a="]:is("]`, `:is((`, "\\", ":",
		`:not(:not(:not(a)))`, "a:nth-child(2n+1 of b)",
		`tr:named("a*b", '\\2a ') td:column("x"):under("y")`, `:named("*")`, `*:has(:named("T*"))`} {
		f.Add(text)
	}
	root := parse(f, copied+council+jobs)
	f.Fuzz(func(t *testing.T, text string) {
		sel, err := selector.Parse(text[:min(len(text), 500)])
		if err != nil {
			return
		}
		found, err := selector.On(root).Find(sel)
		if err != nil && !errors.Is(err, selector.ErrLarge) && !errors.Is(err, selector.ErrAmbiguous) {
			t.Fatal(err)
		}
		for _, n := range found {
			if n.Type != html.ElementNode {
				t.Fatalf("%q finds a node of type %d", text, n.Type)
			}
		}
	})
}
