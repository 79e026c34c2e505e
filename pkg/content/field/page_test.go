package field

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/data"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

const here = "https://shop.example/lamp"

func pageOf(t testing.TB, text string) *Page {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return NewPage(root, jsonld.Of(root), here)
}

// line writes results in short: the values, or the states of those without one.
func line(results []Result) string {
	var all []string
	for _, r := range results {
		if text := r.Value.String(); text != "" {
			all = append(all, r.Name+"="+text)
		} else if r.State != Disappeared {
			all = append(all, r.Name+" is "+string(r.State))
		}
	}
	return strings.Join(all, " ")
}

func ld(text string) string { return `<script type="application/ld+json">` + text + `</script>` }

func product(name, price, more string) string {
	return `{"@type":"Product","name":"` + name + `",` + more + `"offers":{"price":"` + price + `","priceCurrency":"EUR"}}`
}

// TestG1Product checks what is read of the product of a page, in each source (G1).
func TestG1Product(t *testing.T) {
	for _, tc := range []struct{ name, page, want string }{
		{"none", "<p>79,00 €", ""},
		{"JSON-LD",
			ld(`{"@type":"Product","offers":{"price":79.90,"priceCurrency":"EUR","availability":"http://schema.org/InStock"}}`),
			"price=79.90 EUR currency=EUR availability=InStock"},
		{"nearly JSON",
			ld("<!-- //<![CDATA[\n" + `{"@type":"Product","description":"two` + "\n" + `lines","offers":[{"price":"5",
			"priceCurrency":"eur",},],};` + "\n//]]> -->"),
			"price=5 EUR currency=EUR"},
		{"several roots and references", ld(`{"@type":"WebSite"}{"@graph":[{"@type":"Product","offers":{"@id":"#o"}},
			{"@type":"Offer","@id":"#o","price":5,"priceCurrency":"EUR"}]}`), "price=5 EUR currency=EUR"},
		{"capital letters", ld(`{"@type":"Product","Offers":[{"Price":5,"PriceCurrency":"EUR"}]}`),
			"price=5 EUR currency=EUR"},
		{"a reduced price", ld(`{"@type":"Product","offers":{"priceSpecification":[{"price":"149","priceCurrency":"EUR"},
			{"price":"249","priceType":"https://schema.org/ListPrice"},{"price":"9","referenceQuantity":{"value":1}}]}}`),
			"price=249 EUR salePrice=149 EUR currency=EUR"},
		{"a unit price", ld(`{"@type":"Product","offers":{"priceSpecification":[{"price":"9","referenceQuantity":{"value":1}},
			{"price":"3","priceCurrency":"EUR"}]}}`), "price=3 EUR currency=EUR"},
		{"a calculated price", `<meta property="product:price:amount" content="198.99996"><meta
			property="product:price:currency" content="EUR">`, "price=199 EUR currency=EUR"},
		{"a range and its offers", ld(`{"@type":"Product","offers":{"lowPrice":5,"highPrice":9,"priceCurrency":"EUR",
			"offers":[{"price":5},{"price":9}]}}`), "price=5–9 EUR currency=EUR"},
		{"a range",
			ld(`{"@type":"Product","offers":{"@type":"AggregateOffer","lowPrice":5,"highPrice":9,"priceCurrency":"EUR"}}`),
			"price=5–9 EUR currency=EUR"},
		{"several offers", ld(`{"@type":"Product","offers":[{"price":9,"priceCurrency":"EUR","availability":"SoldOut"},
			{"price":5,"priceCurrency":"EUR","availability":"InStock"}]}`), "price=5–9 EUR currency=EUR availability=InStock"},
		{"the variant that is shown",
			ld(`{"@type":"ProductGroup","hasVariant":[{"name":"S","offers":{"price":5,"priceCurrency":"EUR"}},
			{"name":"L","offers":{"price":6,"priceCurrency":"EUR"}}]}`) + "<h1>Lamp</h1><p>6,00 €",
			"price=6 EUR currency=EUR variants=L: 6 EUR; S: 5 EUR"},
		{"thousands for people", `<html lang=de>` + ld(product("Lamp", "1.299", "")), "price is unread"},
		{"three decimals, and two", `<html lang=de>` + ld(product("Lamp", "19.990", "")) + "<h1>Lamp</h1><p>19,99 €",
			"price=19.99 EUR currency=EUR"},
		{"microdata", `<div itemscope itemtype="https://schema.org/Product"><p itemprop=offers itemscope
			itemtype="http://schema.org/Offer"><b itemprop=price>1.299<sup>50</sup> €</b><link itemprop=availability
			href="http://schema.org/OutOfStock">`, "price=1299.50 EUR currency=EUR availability=OutOfStock"},
		{"RDFa", `<div vocab="https://schema.org/" typeof=Product><p property=offers typeof=Offer><i property=price
			content="79.00">79</i><i property=priceCurrency>EUR</i>`, "price=79 EUR currency=EUR"},
		{"OpenGraph", `<meta property="product:price:amount" content="99,00"><meta property="product:price:currency"
			content="EUR"><meta property="product:sale_price:amount" content="79,00"><meta property="product:availability"
			content="in stock">`, "price=99 EUR salePrice=79 EUR currency=EUR availability=InStock"},
		{"an offer alone", `<p itemscope itemtype="https://schema.org/Offer"><b itemprop=price>12,90 €</b>`,
			"price=12.90 EUR currency=EUR"},
		{"availability of another source", ld(product("Lamp", "5", "")) + `<meta property="og:availability" content="oos">`,
			"price=5 EUR currency=EUR availability=OutOfStock"},
		{"no amount", ld(product("Lamp", "on request", "")), "price is unread"},
		{"zero", ld(product("Lamp", "0", "")), "price is unread"}, {"free", ld(product("Lamp", "0", "")) + "<b>Free</b>",
			"price=0 EUR currency=EUR"},
		{"without taxes", ld(product("Lamp", "27.23", "")) + "<h1>Lamp</h1><b>29,95 €</b>", "price is unread"},
		{"the usual price", ld(product("Lamp", "99", "")) + "<h1>Lamp</h1><s>99,00 €</s> <b>79,00 €</b>", "price is unread"},
	} {
		if have := line(pageOf(t, "<html lang=de>"+tc.page).Product()); have != tc.want {
			t.Errorf("%s:\nhave %s\nwant %s", tc.name, have, tc.want)
		}
	}
}

// TestG1TheProduct checks which of several products is that of the page, and that there is none rather than another
// (G1).
func TestG1TheProduct(t *testing.T) {
	related := `,` + product("Chair", "9", `"url":"/chair",`)
	for _, tc := range []struct{ name, page, want string }{
		{"by its address", ld(`[` + product("Chair", "9", `"url":"/chair",`) + `,` + product("Lamp", "5",
			`"url":"/lamp/?a=b",`) + `]`),
			"price=5 EUR currency=EUR"},
		{"by the canonical address", `<link rel=canonical href="/l"><p>` + ld(`[`+product("Lamp", "5",
			`"@id":"https://www.shop.example/l#p",`)+
			related+`]`), "price=5 EUR currency=EUR"},
		{"the main entity", ld(`[{"@type":"ItemPage","mainEntity":` + product("Lamp", "5", "") + `},` + product("Chair", "9",
			"") + `]`),
			"price=5 EUR currency=EUR"},
		{"by its name", "<title>Chair | Shop</title>" + ld(`[`+product("Lamp", "5", "")+`,`+product("Chair", "9", "")+`]`),
			"price=9 EUR currency=EUR"},
		{"declared twice", ld(`{"@type":"Product","name":"Lamp"}`) + ld(product("Lamp", "5", "")),
			"price=5 EUR currency=EUR"},
		{"two at one address", ld(`[` + product("Lamp", "5", `"url":"/lamp",`) + `,` + product("Chair", "9",
			`"url":"/lamp",`) +
			`]`), "price is unread"},
		{"several", ld(`[` + product("Lamp", "5", "") + `,` + product("Chair", "9", "") + `]`), "price is unread"},
		{"in a list", ld(`{"@type":"ItemList","itemListElement":[` + product("Lamp", "5", "") + `]}`), ""},
		{"recommended", ld(`{"@type":"Product","name":"Lamp","isRelatedTo":[` + product("Chair", "9", "") + `]}`), ""},
		{"two offers without products", ld(`[{"@type":"Offer","price":5},{"@type":"Offer","price":6}]`), "price is unread"},
	} {
		if have := line(pageOf(t, tc.page).Product()); have != tc.want {
			t.Errorf("%s:\nhave %s\nwant %s", tc.name, have, tc.want)
		}
	}
	root, _ := html.Parse(strings.NewReader(ld(product("Lamp", "5", `"url":"/lamp",`))))
	if have := line(NewPage(root, jsonld.Of(root), "https://shop.example/").Product()); have != "price is unread" {
		t.Errorf("on the start page: have %s", have)
	}
}

// TestG1PageLocale checks the locale of a page by its language and its domain (G1).
func TestG1PageLocale(t *testing.T) {
	for _, tc := range []struct{ lang, host, want string }{
		{"de-CH", "shop.example", "de-CH"}, {"de", "shop.ch", "de-CH"}, {"en", "shop.co.uk", "en-GB"}, {"", "shop.de",
			"de-DE"},
		{"en", "shop.io", "en"}, {"en", "shop.com", "en"}, {"", "shop.com", ""}, {"xx-not a tag", "shop.fr", "fr-FR"},
		{"en", "127.0.0.1", "en"},
	} {
		if have := localeOf(tc.lang, tc.host); have != tc.want {
			t.Errorf("%s at %s: have %q, want %q", tc.lang, tc.host, have, tc.want)
		}
	}
}

// TestG1Article checks what is read of the text of a page (G1).
func TestG1Article(t *testing.T) {
	have := line(pageOf(t, ld(`{"@graph":[{"@type":"WebPage","datePublished":"2020-01-01"},{"@type":"NewsArticle",
		"datePublished":"2026-11-27T09:30:00+01:00","author":[{"@id":"#a"},{"name":"B. Beta"}]},
		{"@type":"Person","@id":"#a","name":"A. Alpha"}]}`)+
		`<meta property="article:modified_time" content="2026-11-28">`).Article())
	if want := "published=2026-11-27T08:30:00Z modified=2026-11-28 author=A. Alpha, B. Beta"; have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	if have := line(pageOf(t,
		ld(`{"@type":"SoftwareApplication","softwareVersion":"1.2.3"}`)).Article()); have != "version=1.2.3" {
		t.Errorf("a program: have %s", have)
	}
	if have := pageOf(t, "<p>27 November 2026").Article(); have != nil {
		t.Errorf("without a declaration: have %v", have)
	}
}

// TestG3Sources checks the states of a field in each source: its value, a value that has disappeared while its source
// stands, a text that cannot be read, and a source that is gone (G3).
func TestG3Sources(t *testing.T) {
	const empty = `<p id=p></p><meta property="og:title" content="Lamp"><div itemscope ` +
		`itemtype="https://schema.org/Product"></div><div typeof=Product></div><script type="application/ld+json">{"@type":"Product","name":"Lamp"}</script>`
	for _, tc := range []struct {
		source              Source
		at, full, text      string
		broken, disappeared string
	}{
		{CSS, "#p", `<p id=p>79,00 €</p>`, `<p id=p>79 € 84 €</p>`, "<p>", empty},
		{CSS, "#p @data-price", `<p id=p data-price="79 €"></p>`, `<p id=p data-price="1.2.3 €"></p>`, "<p>", empty},
		{OpenGraph, "og:price:amount", `<meta property="og:price:amount" content="79 €">`,
			`<meta property="og:price:amount" content="1.2.3 €">`, "<p>", empty},
		{JSONLD, "Product.offers.price", ld(product("Lamp", "79", "")), ld(product("Lamp", "1.2.3", "")), "<p>", empty},
		{Microdata, "Product.price", `<p itemscope itemtype="/Product"><b itemprop=price>79 €</b>`,
			`<p itemscope itemtype="/Product"><b itemprop=price>1.2.3 €</b>`, "<p>", empty},
		{RDFa, "Product.price", `<p typeof=Product><b property=price>79 €</b>`,
			`<p typeof=Product><b property=price>1.2.3 €</b>`,
			"<p>", empty},
	} {
		s := Spec{Name: "mine", Type: Money, Source: tc.source, At: tc.at}
		for page, want := range map[string]State{tc.full: Found, tc.text: Unread, tc.broken: Gone,
			tc.disappeared: Disappeared} {
			r := pageOf(t, page).Read(s)
			if r.State != want || r.Value.None() == (want == Found) || r.Evidence.At != tc.at || r.Evidence.Source != tc.source {
				t.Errorf("%s in %.60s: have %+v, want %s", tc.at, page, r, want)
			}
			if (want == Unread || want == Gone) && r.Evidence.Reason == "" {
				t.Errorf("%s in %.60s: no reason", tc.at, page)
			}
		}
		if r := pageOf(t, tc.full).Read(s); r.Value.String() != "79 EUR" {
			t.Errorf("%s: have %s", tc.at, r.Value)
		}
	}
}

// TestG3EmptyIsNotUnread checks that an empty element has no value, whatever the type, and that a text which is no
// value of the type is not taken for one that has disappeared (G3).
func TestG3EmptyIsNotUnread(t *testing.T) {
	for of, text := range map[Type]string{Text: "", Number: "5-7", Money: "1.2.3 €", Date: "01/07/16",
		Availability: "Read more"} {
		s := Spec{Name: "mine", Type: of, Source: CSS, At: "b"}
		if r := pageOf(t, "<p><b></b>").Read(s); r.State != Disappeared {
			t.Errorf("%s of an empty element: have %+v", of, r)
		}
		if r := pageOf(t, "<p><b>"+text+"</b>").Read(s); text != "" && (r.State != Unread || r.Evidence.Reason == "") {
			t.Errorf("%s of %q: have %+v", of, text, r)
		}
	}
}

// TestG3JSON checks the states of a field in JSON (G3).
func TestG3JSON(t *testing.T) {
	root, ok := data.Tree(`{"item":{"price":79.90,"old":null}}`, false)
	if !ok {
		t.Fatal("not JSON")
	}
	p := NewJSON(root, here)
	for at, want := range map[string]State{"$.item.price": Found, "$.item.old": Disappeared, "$.item.none": Disappeared,
		`$["item"]["a.b"]`: Disappeared, "$.other.price": Gone, "$.item": Unread, "$..price": Found, "$[": Gone} {
		r := p.Read(Spec{Name: "mine", Type: Number, Source: JSONPath, At: at})
		if r.State != want || want == Found && r.Value.Number != "79.9" {
			t.Errorf("%s: have %+v, want %s", at, r, want)
		}
	}
}

// TestG1Compile checks which expressions are refused (G1).
func TestG1Compile(t *testing.T) {
	for _, s := range []Spec{{Source: CSS, At: "p >"}, {Source: JSONPath, At: "$["}, {Source: JSONLD, At: "Product"},
		{Source: JSONLD, At: "Product..price"}} {
		s.Name, s.Type = "mine", Money
		if compile(s) == nil {
			t.Errorf("%s is not refused", s.At)
		}
	}
	if err := compile(Spec{"mine", Money, CSS, "p.price @content", "de"}); err != nil {
		t.Error(err)
	}
}

// FuzzPage checks that no page makes the reader panic or gives two results, and that results are within the bounds.
func FuzzPage(f *testing.F) {
	f.Add(ld(`{"@type":"Product","@id":"a","hasVariant":{"@id":"a"},"offers":[{"price":"1.299,00",
		"priceCurrency":"EUR"}]}`))
	f.Add(`<p itemscope itemtype="https://schema.org/Product"><b itemprop=price>12,90 €</b><h1>x</h1><s>5 €</s>`)
	f.Add(`<p typeof=Product><b property=price content=5></b><meta property=product:price:amount content=5>`)
	f.Fuzz(func(t *testing.T, text string) {
		p, again := pageOf(t, text), pageOf(t, text)
		if line(p.Product()) != line(again.Product()) || line(p.Article()) != line(again.Article()) {
			t.Fatal("two readings differ")
		}
		all := append(p.Product(), p.Article()...)
		for _, d := range declaredTypes {
			all = append(all, p.Read(Spec{"mine", "", Declared, d.name, ""}))
		}
		for _, source := range []Source{JSONLD, Microdata, RDFa, OpenGraph, CSS} {
			all = append(all, p.Read(Spec{"mine", Money, source, "p.offers.price", ""}))
		}
		for _, r := range all {
			if (r.State == Found) == r.Value.None() || len(r.Evidence.Excerpt) > MaxExcerpt || len(r.Evidence.Reason) > 400 ||
				len(r.Evidence.At) > MaxExcerpt || len(r.Value.Text) > MaxText {
				t.Fatalf("%+v", r)
			}
		}
	})
}
