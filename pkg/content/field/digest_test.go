package field

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// X12: TestX12Digest checks that sources, order and forms of values do not count for the digest, and that values do.
func TestX12Digest(t *testing.T) {
	ld := func(text string) string { return `<script type="application/ld+json">` + text + `</script>` }
	offer := func(text string) string { return ld(`{"@type":"Product","name":"Lamp","offers":` + text + `}`) }
	digest := func(page string) string {
		root, _ := html.Parse(strings.NewReader(page))
		return Digest(NewPage(root, jsonld.Of(root), "https://shop.example/lamp").Product())
	}
	one := digest(offer(`{"price":"79.00","priceCurrency":"EUR","availability":"InStock"}`))
	for _, page := range []string{
		offer(`{"availability":"http://schema.org/InStock","priceCurrency":"EUR","price":79}`),
		`<div itemscope itemtype="https://schema.org/Product"><p itemprop=name>Lamp</p><p itemprop=offers itemscope ` +
			`itemtype="https://schema.org/Offer"><b itemprop=price>79,00 €</b><i itemprop=availability>In stock</i></div>`,
	} {
		if have := digest(page); have != one || len(one) != 16 {
			t.Errorf("%s: have %q, want %q", page, have, one)
		}
	}
	for _, page := range []string{"<p>79", offer(`{"price":"84.00","priceCurrency":"EUR","availability":"InStock"}`),
		offer(`{"price":"79.00","priceCurrency":"USD","availability":"InStock"}`),
		offer(`{"price":"79.00","priceCurrency":"EUR","availability":"SoldOut"}`)} {
		if digest(page) == one {
			t.Errorf("%s: the digest is that of other values", page)
		}
	}
	if digest("<p>79") != "" {
		t.Error("a page without a product has a digest")
	}
}

// G4: TestG4NegativePrices checks that a declared price below zero is not read, and says why.
func TestG4NegativePrices(t *testing.T) {
	root, _ := html.Parse(strings.NewReader(`<script type="application/ld+json">{"@type":"Product","name":"Lamp",` +
		`"offers":{"price":"-5","priceCurrency":"EUR"}}</script>`))
	for _, r := range NewPage(root, jsonld.Of(root), "https://shop.example/lamp").Product() {
		if r.Name == Price && (r.State != Unread || r.Evidence.Reason != "the amount is negative") {
			t.Errorf("have %+v", r)
		}
	}
}
