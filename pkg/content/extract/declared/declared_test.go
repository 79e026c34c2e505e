package declared

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// fieldsOf returns the fields of a page as text. The source is left out after the first field that has it.
func fieldsOf(t testing.TB, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	source := ""
	for _, f := range Of(root, jsonld.Of(root)) {
		if f.Source != source {
			out, source = append(out, f.Source+":"), f.Source
		}
		out = append(out, f.Name+"="+f.Value)
	}
	return strings.Join(out, " ")
}

func ld(json string) string { return `<script type="application/ld+json">` + json + `</script>` }

// TestX12WherePagesDeclareProducts checks the fields from each source (X12).
func TestX12WherePagesDeclareProducts(t *testing.T) {
	for _, tc := range []struct{ name, page, want string }{
		{"none", "<p>79,00 €", ""},
		{"JSON-LD", ld(`{"@context":"https://schema.org","@type":"Product","name":"Lamp","offers":{"@type":"Offer",
			"price":"79.00","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}`),
			"JSON-LD: price=79 currency=EUR availability=InStock"},
		{"JSON-LD that is nearly JSON", ld(`<!-- {"@type":"Product","offers":[{"price":79.90,"priceCurrency":"eur",},],}; -->`),
			"JSON-LD: price=79.9 currency=EUR"},
		{"JSON-LD by reference", ld(`{"@graph":[{"@type":"WebPage"},{"@type":"Product","offers":{"@id":"#o"}},
			{"@type":"Offer","@id":"#o","schema:price":5,"http://schema.org/priceCurrency":"GBP"}]}`),
			"JSON-LD: price=5 currency=GBP"},
		{"JSON-LD of a main entity", ld(`{"@type":"ItemPage","mainEntity":{"@type":"Product","offers":{"price":5}}}`),
			"JSON-LD: price=5"},
		{"a reduced price", ld(`{"offers":{"price":79,"priceCurrency":"USD","priceSpecification":[
			{"priceType":"https://schema.org/ListPrice","price":99},{"price":7.9,"referenceQuantity":{"value":100}}]}}`),
			"JSON-LD: price=99 salePrice=79 currency=USD"},
		{"a specification alone", ld(`{"offers":{"priceSpecification":{"price":"12.50","priceCurrency":"CHF"}}}`),
			"JSON-LD: price=12.5 currency=CHF"},
		{"a range", `<script type="application/ld+json; charset=utf-8">{"offers":{"priceSpecification":{"minPrice":5,
			"maxPrice":9}}}</script>`, "JSON-LD: lowPrice=5 highPrice=9"},
		{"many offers", ld(`{"offers":{"@type":"AggregateOffer","lowPrice":"5.00","highPrice":9,"priceCurrency":"EUR",
			"offers":[{"price":5},{"price":9,"availability":"SoldOut"}]}}`), "JSON-LD: lowPrice=5 highPrice=9 currency=EUR " +
			"price=5 currency=EUR price=9 currency=EUR availability=SoldOut"},
		{"variants", ld(`{"@type":"ProductGroup","hasVariant":[{"offers":{"price":5}},{"offers":{"price":6}}]}`),
			"JSON-LD: price=5 price=6"},
		{"an offer without a product", ld(`{"@type":["schema:Offer"],"price":{"@value":"5"},"availability":{"@id":"schema:InStock"}}`),
			"JSON-LD: price=5 availability=InStock"},
		{"other products beside", ld(`[{"@type":"Product","offers":{"price":5},"isRelatedTo":{"offers":{"price":8}}},
			{"@type":"Product","offers":{"price":9}}]`), "JSON-LD: price=5"},
		{"microdata", `<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Lamp</b><p itemprop=offers
			itemscope itemtype="http://schema.org/Offer"><span itemprop=price content="1299.00">1.299,00 €</span><meta
			itemprop=priceCurrency content=EUR><link itemprop=availability href="http://schema.org/OutOfStock"></p></div>`,
			"microdata: price=1299 currency=EUR availability=OutOfStock"},
		{"microdata in text", `<div itemscope itemtype="https://schema.org/Product"><b itemprop=price>1.299,00 <i>€</i></b></div>`,
			"microdata: price=1299 currency=EUR"},
		{"microdata of two offers, and of other products", `<div itemscope itemtype="https://schema.org/Product"><p
			itemprop=offers itemscope itemtype="https://schema.org/Offer"><i itemprop=price>5</i></p><p itemprop=offers
			itemscope itemtype="https://schema.org/Offer"><i itemprop=price>6</i></p><p itemprop=isRelatedTo itemscope
			itemtype="https://schema.org/Product"><i itemprop=price>7</i></p></div><div itemscope
			itemtype="https://schema.org/Product"><i itemprop=price>8</i></div>`, "microdata: price=5 price=6"},
		{"an older vocabulary, and small decimals", `<div itemscope itemtype="http://data-vocabulary.org/Product"><p
			itemprop=offerDetails itemscope itemtype="http://data-vocabulary.org/Offer"><i itemprop=currency>USD</i><b
			itemprop=price>$1,299<sup>99</sup></b></p></div>`, "microdata: price=$1,299 99 currency=USD"},
		{"RDFa", `<div vocab="https://schema.org/" typeof=Product><p property=offers typeof="schema:Offer"><span
			property="schema:price" content="79.00">79</span><span property=priceCurrency>EUR</span><a property=availability
			href="https://schema.org/PreOrder">soon</a></p></div>`, "RDFa: price=79 currency=EUR availability=PreOrder"},
		{"OpenGraph", `<meta property="product:price:amount" content="99,00"><meta property="product:price:currency"
			content="EUR"><meta property="product:sale_price:amount" content="79,00"><meta property="product:availability"
			content="in stock"><meta property="og:price:amount" content="98">`,
			"OpenGraph: price=99 salePrice=79 currency=EUR availability=InStock"},
		{"the older names", `<meta name="og:price:amount" content="5"><meta name="og:price:currency" content="usd">`,
			"OpenGraph: price=5 currency=USD"},
		{"two sources", ld(`{"offers":{"price":5}}`) + `<meta property="product:price:amount" content=5>`,
			"JSON-LD: price=5 OpenGraph: price=5"},
		{"no values", ld(`{"@type":"Product","offers":[null,5,[[]],"x",{"price":null,"priceCurrency":""}]}`), ""},
	} {
		if have := fieldsOf(t, tc.page); have != tc.want {
			t.Errorf("%s:\nhave %s\nwant %s", tc.name, have, tc.want)
		}
	}
}

// TestX12Amounts checks that equal amounts have one form, in whatever manner they are written (X12).
func TestX12Amounts(t *testing.T) {
	for _, tc := range []struct {
		text, code string
		people     bool
		want       string
	}{
		{"79", "EUR", false, "79"}, {"79.00", "EUR", false, "79"}, {"079.90", "", false, "79.9"}, {"0.50", "", false, "0.5"},
		{",50", "", true, "50"}, {"1.299,00 €", "EUR", true, "1299"}, {"1,299.00", "USD", true, "1299"},
		{"1 299,50 kr", "SEK", true, "1299.5"}, {"1\u202f299,50", "", true, "1299.5"}, {"CHF 1'299.–", "CHF", true, "1299"},
		{"79,- €", "", true, "79"}, {"1.299", "EUR", true, "1299"}, {"1.299", "EUR", false, "1.299"},
		{"1,299", "USD", false, "1299"}, {"12.500", "VND", false, "12500"}, {"12.500", "KWD", true, "12.5"},
		{"0.125", "", true, "0.125"}, {"1299.0000", "", false, "1299"}, {"1.234.567", "", true, "1234567"},
		{"79.90000000000001", "", false, "79.9"}, {"1.5E3", "", false, "1500"}, {"١٬٢٩٩٫٥٠", "SAR", true, "1299.5"},
		{"from 12.90 to 19.90", "", true, "from 12.90 to 19.90"}, {"on request", "", true, "on request"}, {"", "", true, ""},
	} {
		if have := amountOf(value{tc.text, tc.people}, tc.code); have != tc.want {
			t.Errorf("%q %s: have %q, want %q", tc.text, tc.code, have, tc.want)
		}
	}
}

// TestX12Digest checks that sources, order and forms of values do not count for the digest, and that values do (X12).
func TestX12Digest(t *testing.T) {
	digest := func(page string) string {
		root, _ := html.Parse(strings.NewReader(page))
		return Digest(Of(root, jsonld.Of(root)))
	}
	one := digest(ld(`{"offers":{"price":"79.00","priceCurrency":"EUR","availability":"InStock"}}`))
	for _, page := range []string{
		ld(`{"offers":{"availability":"http://schema.org/InStock","priceCurrency":"EUR","price":79}}`),
		`<p itemscope itemtype="https://schema.org/Offer"><b itemprop=price>79,00 €</b><i itemprop=availability>In stock</i>`,
		ld(`{"offers":{"price":79,"priceCurrency":"EUR","availability":"InStock"}}`) +
			`<meta property="product:price:amount" content="79.0">`,
	} {
		if have := digest(page); have != one || len(one) != 16 {
			t.Errorf("%s: have %q, want %q", page, have, one)
		}
	}
	for _, page := range []string{"<p>79", ld(`{"offers":{"price":"84.00","priceCurrency":"EUR","availability":"InStock"}}`),
		ld(`{"offers":{"price":"79.00","priceCurrency":"USD","availability":"InStock"}}`),
		ld(`{"offers":{"price":"79.00","priceCurrency":"EUR","availability":"SoldOut"}}`)} {
		if digest(page) == one {
			t.Errorf("%s: the digest is that of other values", page)
		}
	}
	if digest("<p>79") != "" {
		t.Error("a page without a product has a digest")
	}
}

// TestX12Bounded checks that no page declares more than the bounds allow (X12).
func TestX12Bounded(t *testing.T) {
	offers := strings.Repeat(`{"price":1},`, 3000)
	nested := strings.Repeat(`{"offers":`, 3000) + `{"price":1}` + strings.Repeat("}", 3000)
	for _, page := range []string{
		ld(`{"offers":[` + offers + `]}`), ld(nested), ld(`{"@id":"#a","offers":{"@id":"#a"}}`),
		ld(`{"hasVariant":[` + strings.Repeat(`{"offers":[`+strings.Repeat(`{"price":2},`, 30)+`]},`, 400) + `]}`),
		strings.Repeat(`<p itemscope itemtype="https://schema.org/Offer"><b itemprop=price>1</b>`, 3000),
		ld(fmt.Sprintf(`{"offers":{"price":"%s","availability":"%[1]s"}}`, strings.Repeat("ä ", 9000))),
	} {
		root, _ := html.Parse(strings.NewReader(page))
		fields := Of(root, jsonld.Of(root))
		if len(fields) > maxFields {
			t.Errorf("%d fields of %.60s", len(fields), page)
		}
		for _, f := range fields {
			if len(f.Value) > 80 {
				t.Errorf("%d bytes of %.60s", len(f.Value), page)
			}
		}
	}
}

// TestX12Circles checks that a page cannot make the reader follow many references to few objects (X12).
func TestX12Circles(t *testing.T) {
	const many = 500
	refs := func(id string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"@id":"`+id+`"},`, many), ",") + "]"
	}
	for _, key := range []string{"hasVariant", "model", "offers"} {
		one := fmt.Sprintf(`{"@id":"a",%q:%s}`, key, refs("a"))
		chain := "["
		for i := range 6 {
			chain += fmt.Sprintf(`{"@id":"%d",%q:%s},`, i, key, refs(fmt.Sprint(i+1)))
		}
		for _, page := range []string{one, chain + `{"@id":"6"}]`} {
			if have := fieldsOf(t, ld(page)); have != "" {
				t.Errorf("%s: have %s of %.60s", key, have, page)
			}
		}
	}
	if have := fieldsOf(t, ld(`{"@id":"p","hasVariant":[{"@id":"p"},{"@id":"p","offers":{"price":5}}]}`)); have !=
		"JSON-LD: price=5" {
		t.Errorf("a product beside a circle: have %s", have)
	}
}

// TestX12LongAttributes checks that the reader takes the beginning of a value, and the first words of a list (X12).
func TestX12LongAttributes(t *testing.T) {
	root, _ := html.Parse(strings.NewReader("<b content='" + strings.Repeat("9", 900) + "'>x</b><i> \n" +
		strings.Repeat("9", 900) + "</i>"))
	for n := range root.Descendants() {
		if v := valueOf(n); len(v.text) > longestValue {
			t.Errorf("%s: %d bytes", n.Data, len(v.text))
		}
	}
	list := func(before string) string {
		return `<p itemscope itemtype="https://schema.org/Offer"><b itemprop="` + before + `price">5</b>`
	}
	if have := fieldsOf(t, list("name sku ")); have != "microdata: price=5" {
		t.Errorf("a short list: have %q", have)
	}
	if have := fieldsOf(t, list(strings.Repeat("a ", maxWords))); have != "" {
		t.Errorf("a long list: have %q", have)
	}
}

// FuzzOf checks that no page makes the reader panic, gives two results, or gives fields without a name or a value.
func FuzzOf(f *testing.F) {
	f.Add(ld(`{"@type":"Product","offers":[{"price":"1.299,00","priceCurrency":"EUR"}]}`))
	f.Add(`<p itemscope itemtype="https://schema.org/Product"><b itemprop=price>12,90 €</b>`)
	f.Add(`<p typeof=Product><b property=price content=5></b><meta property=product:price:amount content=5>`)
	f.Fuzz(func(t *testing.T, page string) {
		if fieldsOf(t, page) != fieldsOf(t, page) {
			t.Error("two readings differ")
		}
		root, _ := html.Parse(strings.NewReader(page))
		for _, field := range Of(root, jsonld.Of(root)) {
			if field.Name == "" || field.Value == "" || field.Source == "" || len(field.Value) > 80 {
				t.Errorf("%+v", field)
			}
		}
	})
}
