package field

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"golang.org/x/net/html"
)

func setsOf(t testing.TB, text string) (*html.Node, itemSets) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return root, readItems(root, jsonld.Of(root))
}

// short writes items as text, to a depth.
func short(all []*Item, depth int) string {
	var out []string
	for _, it := range all {
		text := strings.Join(it.Types, "+")
		props := slices.Clone(it.Props)
		slices.SortStableFunc(props, func(a, b Prop) int { return strings.Compare(a.Name, b.Name) })
		for _, p := range props {
			if p.Value.Item != nil && depth > 0 {
				text += " " + p.Name + "=(" + short([]*Item{p.Value.Item}, depth-1) + ")"
			} else if p.Value.Text != "" {
				text += " " + p.Name + "=" + p.Value.Text
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, " | ")
}

// TestG1OneForm checks that the three syntaxes give the same items (G1).
func TestG1OneForm(t *testing.T) {
	_, s := setsOf(t, `<script type="application/ld+json">{"@type":"schema:Product","name":"Lamp","Offers":[{"@id":"#o",
		"@type":"Offer","schema:price":79.90}]}</script>
		<div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name> Lamp</h1><p itemprop=offers itemscope
		itemtype="http://schema.org/Offer"><span itemprop=price content="79.90">79,90 €</span></p></div>
		<div vocab="https://schema.org/" typeof=Product><h1 property=name>Lamp</h1><p property="schema:offers" typeof=Offer><b
		property=price content="79.90">79,90 €</b></p></div>`)
	const want = "Product name=Lamp offers=(Offer price=79.90)" // in the order of names
	for name, set := range map[string][]*Item{"JSON-LD": s.JSONLD, "microdata": s.Microdata, "RDFa": s.RDFa} {
		if have := short(set, 2); have != want {
			t.Errorf("%s: have %s, want %s", name, have, want)
		}
	}
}

// TestG1References checks that an id stands for its object, also in a circle (G1).
func TestG1References(t *testing.T) {
	_, s := setsOf(t, `<script type="application/ld+json">{"@graph":[{"@id":"#p","@type":"Product","offers":{"@id":"#o"}},
		{"@id":"#o","@type":"Offer","price":5,"itemOffered":{"@id":"#p"}}]}</script>`)
	p := s.JSONLD[1]
	if have := p.Items("offers")[0].Items("itemOffered")[0]; have != p || p.Items("offers")[0].First("price").Text != "5" {
		t.Errorf("have %s", short(s.JSONLD, 3))
	}
}

// TestG1Texts checks what an element shows as one text (G1).
func TestG1Texts(t *testing.T) {
	for markup, want := range map[string]string{
		"1.299<sup>50</sup> €": "1.299,50 €", "1299<sup>50</sup> €": "1299.50 €", "x<sup>50</sup>": "x50",
		"<span>79</span><span>99</span> €": "79 99 €", "<span>1.299</span><span>,00</span> €": "1.299,00 €",
		"<s>99 €</s> 79 €": "79 €", "<div>a</div><div>b</div>c<script>d</script>": "a b c", " a\n<b> b</b>": "a b",
	} {
		root, _ := setsOf(t, "<p>"+markup)
		if have := itemText(root, false); have != want {
			t.Errorf("%s: have %q, want %q", markup, have, want)
		}
	}
	root, _ := setsOf(t, "<p><s>99 €</s> 79 €")
	if have := itemText(root, true); have != "99 € 79 €" {
		t.Errorf("with struck text: have %q", have)
	}
}

// FuzzRead checks that no page makes the reader panic, and that what it reads is within the bounds.
func FuzzRead(f *testing.F) {
	f.Add(`<script type="application/ld+json">{"@id":"a","x":[{"@id":"a"},{"@value":"y"}]}</script>`)
	f.Add(`<p itemscope itemprop=a><b itemprop="c d" itemscope typeof=x property=y resource=z>q<sup>12</sup>`)
	f.Fuzz(func(t *testing.T, text string) {
		root, s := setsOf(t, text)
		seen := map[*Item]bool{}
		var check func(it *Item)
		check = func(it *Item) {
			if seen[it] {
				return
			}
			seen[it] = true
			for _, p := range it.Props {
				if len(p.Value.Text) > maxWritten+100 || p.Value.Item == nil && p.Value.Text == "" {
					t.Fatal(fmt.Sprint(p))
				}
				if p.Value.Item != nil {
					check(p.Value.Item)
				}
			}
		}
		for _, set := range [][]*Item{s.JSONLD, s.Microdata, s.RDFa} {
			for _, it := range set {
				check(it)
			}
		}
		if len(seen) > 3*maxItems || len(itemText(root, true)) > 2*maxWritten {
			t.Fatal(len(seen))
		}
	})
}
