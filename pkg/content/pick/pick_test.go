package pick_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/pick"
)

func parse(t testing.TB, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

const shop = `<html><head><title>Shop</title><style>.x{}</style></head><body><nav id=menu><a href=/a>Home</a></nav>
<main><h1>Lamp</h1><p class="intro css-1q2w3e">Price: <span class=price>79</span> EUR, <b>seen 12 times</b></p>
<div class="stock is-low">Stock<ul><li>Berlin: 3<li>Paris: 4</ul></div><p hidden>secret</p>
<table><tr><th>Size<td>L<tr><th>Cord<td>2 m</table>
<div><div class=wrap><span class=sc-bdVaJa>Only now</span></div></div></main><footer>Updated now</footer></body></html>`

// TestW23Lines checks that each visible text of a page is listed once, with the elements in it and what is around it.
func TestW23Lines(t *testing.T) {
	var have []string
	for _, l := range pick.Read(parse(t, shop)).Lines {
		text := l.Around + "|" + l.Text
		if !l.Whole {
			text += "|more"
		}
		for _, p := range l.Parts {
			text += "|" + p.Text
		}
		have = append(have, text)
	}
	want := []string{"nav|Home", "|Lamp", "|Price: 79 EUR, seen 12 times|79|seen 12 times", "|Stock|more", "|Berlin: 3",
		"|Paris: 4", "|Size L|Size|L", "|Cord 2 m|Cord|2 m", "|Only now", "footer|Updated now"}
	if !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
}

// TestW23Selectors checks which selector comes first for an element: names that people gave before those of programs,
// and names before positions.
func TestW23Selectors(t *testing.T) {
	for name, tt := range map[string]struct{ page, text, want string }{
		"a label beside it":  {shop, "79", `span:named("Price")`},
		"a class":            {`<p class=price>79`, "79", ".price"},
		"what is around it":  {shop, "Home", "#menu"},
		"a made class":       {`<div class=buy><p class="css-1q2w3e">79</p><p>80</p></div>`, "79", ".buy > p:nth-of-type(1)"},
		"an id":              {`<p id=price class=a>79`, "79", "#price"},
		"a made id":          {`<p id=price-8842731 class=cost>79`, "79", ".cost"},
		"itemprop":           {`<p><span itemprop=price class=a1b2c3>79</span> EUR`, "79", `[itemprop="price"]`},
		"a data attribute":   {`<p data-testid=product-price class=css-0>79`, "79", `[data-testid="product-price"]`},
		"a value":            {`<p data-price=79 class=cost>79`, "79", ".cost"},
		"not how it is":      {`<p class="is-low active stock">79`, "79", ".stock"},
		"not how it looks":   {`<p class="mt-4 stock text-lg">79`, "79", ".stock"},
		"the second of two":  {`<div id=one><b class=p>1</b></div><div id=two><b class=p>79</b></div>`, "79", "#two"},
		"only positions":     {`<div><p>1</p><p>79</p></div>`, "79", "p:nth-of-type(2)"},
		"two classes":        {`<p class="a b">79</p><p class=a>1</p><p class=b>2</p>`, "79", ".a.b"},
		"a mark in its name": {`<x:y>79</x:y>`, "79", ""},
	} {
		root := parse(t, tt.page)
		p := pick.Read(root)
		n := p.Element(number(p, tt.text))
		have := pick.Ways(root, n)
		if len(have) == 0 || tt.want != "" && !strings.HasSuffix(have[0].Selector, tt.want) {
			t.Errorf("%s: %v, want %s", name, have, tt.want)
		}
	}
}

// letters returns the letters that an element shows.
func letters(n *html.Node) string {
	var b strings.Builder
	for _, l := range pick.Read(n).Lines {
		b.WriteString(strings.Join(strings.Fields(l.Text), ""))
	}
	return b.String()
}

func number(p *pick.Page, text string) int {
	for _, l := range p.Lines {
		for _, e := range append(l.Parts, l.Element) {
			if e.Text == text {
				return e.N
			}
		}
	}
	return 0
}

// TestW23Larger checks that a larger part shows more, up to the whole page.
func TestW23Larger(t *testing.T) {
	p := pick.Read(parse(t, shop))
	n := p.Element(number(p, "Only now"))
	if pick.Text(n) != "Only now" {
		t.Fatalf("%q", pick.Text(n))
	}
	if n = p.Larger(n); n == nil || n.Data != "main" {
		t.Fatalf("the larger part is %v", n)
	}
	if n = p.Larger(n); n != nil {
		t.Errorf("larger than the page is <%s>", n.Data)
	}
}

// FuzzPick checks that every listed element of any page has a selector that finds it and nothing else, unless it is too
// deep, and that texts are short.
func FuzzPick(f *testing.F) {
	f.Add(shop)
	f.Add(`<p id=a><p id=a><i class="a b">x</i>y<table><td>1<td>2`)
	f.Add(strings.Repeat("<div>", 40) + "deep")
	f.Fuzz(func(t *testing.T, page string) {
		root := parse(t, page[:min(len(page), 1000)])
		p := pick.Read(root)
		for i, l := range p.Lines[:min(len(p.Lines), 20)] {
			for _, e := range append(l.Parts, l.Element) {
				if e.Text == "" || len(e.Text) > pick.MaxText || p.Element(e.N) != e.Node {
					t.Fatalf("line %d: element %d is %q", i, e.N, e.Text)
				}
				for _, w := range pick.Ways(root, e.Node) {
					s := w.Selector
					found, err := pick.Find(root, s)
					if err != nil || len(found) != 1 || found[0] != e.Node && letters(found[0]) != letters(e.Node) {
						t.Fatalf("%s finds %d elements, %v", s, len(found), err)
					}
				}
			}
		}
	})
}

// TestW23LongLines checks that a text is found beyond the beginning that is listed, and that a line with more parts
// than are listed says so.
func TestW23LongLines(t *testing.T) {
	long := strings.Repeat("word ", 60) + "<b>The\n  END</b>"
	row := "<table><tr>" + strings.Repeat("<td>1", pick.MaxParts)
	for name, tt := range map[string]struct {
		page, find string
		has, more  bool
	}{
		"beyond the beginning": {"<p>" + long, "the end", true, false},
		"not there":            {"<p>" + long, "the ends", false, false},
		"as many parts":        {row + "</table>", "1", true, false},
		"more parts":           {row + "<td>2</table>", "2", true, true},
	} {
		l := pick.Read(parse(t, tt.page)).Lines[0]
		if l.Has(tt.find) != tt.has || l.More != tt.more || len(l.Parts) > pick.MaxParts {
			t.Errorf("%s: has %q is %t, more %t", name, tt.find, l.Has(tt.find), l.More)
		}
	}
}
