// Package fieldtest makes pages of shops in eight locales, for tests: what a page says of its product is known, and can
// be changed from page to page.
package fieldtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/field"
)

// Shop is a shop with one product. Its fields may be changed between pages.
type Shop struct {
	Price int64  // what the product costs, in the smallest unit of the currency
	Usual int64  // what it costs usually; 0 if it is not reduced
	Stock string // a name of schema.org; "" if the page does not say

	Source field.Source // where the product is declared
	At     int          // the locale, from 0 to 7
	Noise  int          // bits: what else is on the page
}

// Locales is the number of locales.
const Locales = 8

// manner is how amounts are written in a locale.
type manner struct {
	locale, currency    string
	digits              int // decimals
	thousands, decimal  string
	form                string
	name, shipping      string
	perUnit, usual, now string
}

var locales = [Locales]manner{
	{"de-DE", "EUR", 2, ".", ",", "%s €", "Lampe", "zzgl. %s Versand", "(1 kg = %s)", "statt %s", "nur %s"},
	{"fr-FR", "EUR", 2, "\u202f", ",", "%s\u00a0€", "Lampe", "Livraison %s", "%s / kg", "au lieu de %s", "%s"},
	{"de-CH", "CHF", 2, "’", ".", "CHF %s", "Lampe", "Versand %s", "(100 g = %s)", "statt %s", "%s"},
	{"en-US", "USD", 2, ",", ".", "$%s", "Lamp", "+ %s shipping", "%s/lb", "Was %s", "Now %s"},
	{"en-IN", "INR", 2, "lakh", ".", "₹%s", "Lamp", "Delivery over %s", "(%s per kg)", "MRP: %s", "%s"},
	{"ja-JP", "JPY", 0, ",", "", "%s円", "ランプ", "送料 %s", "%s/kg", "通常価格 %s", "%s（税込）"},
	{"sv-SE", "SEK", 2, "\u00a0", ",", "%s kr", "Lampa", "Frakt %s", "%s/kg", "Ord. pris %s", "%s"},
	{"pt-BR", "BRL", 2, ".", ",", "R$ %s", "Luminária", "Frete %s", "%s / kg", "de: %s", "%s"},
}

// New makes a shop. pick chooses a number below n.
func New(pick func(n int) int) Shop {
	s := Shop{At: pick(Locales), Noise: pick(1 << bits), Price: int64(100 + pick(5_000_000))}
	if pick(4) == 0 {
		s.Price = int64(100 + pick(90_000))
	}
	if s.manner().digits == 0 && s.Price < 1000 {
		s.Price *= 100
	}
	if pick(3) == 0 {
		s.Usual = s.Price + s.Price/5 + 1
	}
	s.Stock = []string{"InStock", "OutOfStock", "PreOrder", "BackOrder", ""}[pick(5)]
	s.Source = []field.Source{field.JSONLD, field.Microdata, field.RDFa, field.OpenGraph}[pick(4)]
	return s
}

func (s Shop) manner() manner { return locales[s.At] }

// Currency returns the code of the shop's currency.
func (s Shop) Currency() string { return s.manner().currency }

// Address is the address of the page.
func (s Shop) Address() string { return "https://www.shop.example/lamp?id=1" }

// Want returns what is to be read of the declared product: the usual price as price if the source can say it.
func (s Shop) Want() (price, sale field.Decimal) {
	if s.Usual == 0 || s.Source == field.Microdata || s.Source == field.RDFa {
		return s.decimal(s.Price), ""
	}
	return s.decimal(s.Usual), s.decimal(s.Price)
}

// Shown returns what the page shows as the present price.
func (s Shop) Shown() field.Decimal { return s.decimal(s.Price) }

func (s Shop) decimal(amount int64) field.Decimal {
	d, _ := field.ParseDecimal(s.program(amount))
	return d
}

// program writes an amount for programs.
func (s Shop) program(amount int64) string {
	digits := s.manner().digits
	text := fmt.Sprintf("%0*d", digits+1, amount)
	if digits == 0 {
		return text
	}
	return text[:len(text)-digits] + "." + text[len(text)-digits:]
}

// people writes an amount as the locale does.
func (s Shop) people(amount int64) string {
	whole, fraction, _ := strings.Cut(s.program(amount), ".")
	m := s.manner()
	text := grouped(whole, m.thousands)
	if fraction != "" {
		text += m.decimal + fraction
	}
	return fmt.Sprintf(m.form, text)
}

// grouped divides digits into thousands.
func grouped(digits, sign string) string {
	size, first := 3, true
	out := ""
	if sign == "lakh" {
		sign = ","
	} else {
		first = false
	}
	for len(digits) > size {
		at := len(digits) - size
		out, digits = sign+digits[at:]+out, digits[:at]
		if first {
			size, first = 2, false
		}
	}
	return digits + out
}

// has reports whether a bit of the noise is set.
func (s Shop) has(bit int) bool { return s.Noise>>bit&1 == 1 }

// The bits of the noise.
const (
	perUnit = iota
	shipping
	related
	trail     // breadcrumbs in JSON-LD
	nearly    // JSON-LD that is nearly JSON
	forPeople // amounts for programs are written for people
	graph     // JSON-LD in a graph, with references
	header    // an amount in the header
	language  // no region in the language of the page
	extra     // markup around the price
	number    // numbers of JSON-LD without quotes
	list      // related products in a list
	split     // decimals of the shown price in an element of their own
	twice     // the product is declared again, without offers
	variants  // dearer variants, of which the page shows none
	bits      // number of bits
)

// Page writes the page. Its price stands in an element with the class now, within one with the class price.
func (s Shop) Page() string {
	m := s.manner()
	lang := m.locale
	if s.has(language) && m.currency != "USD" {
		lang, _, _ = strings.Cut(lang, "-")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=%q><head><title>%s 17 | Shop</title>", lang, m.name)
	if s.Source == field.OpenGraph {
		s.writeGraph(&b)
	}
	if s.has(trail) {
		b.WriteString(`<script type="application/ld+json">{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem",` +
			`"position":1,"name":"5 €"}]}</script>`)
	}
	if s.Source == field.JSONLD {
		b.WriteString(`<script type="application/ld+json">` + s.json() + `</script>`)
	}
	b.WriteString("</head><body>")
	if s.has(header) {
		fmt.Fprintf(&b, "<header>"+m.shipping+"</header>", s.people(9900))
	}
	s.writeProduct(&b)
	if s.has(related) {
		s.writeRelated(&b)
	}
	b.WriteString("</body></html>")
	return b.String()
}

// declared writes an amount as a source for programs has it.
func (s Shop) declared(amount int64) string {
	if s.has(forPeople) {
		return s.people(amount)
	}
	return s.program(amount)
}

func (s Shop) writeGraph(b *strings.Builder) {
	meta := func(name, content string) { fmt.Fprintf(b, `<meta property="%s" content="%s">`, name, content) }
	price, sale := s.Price, int64(0)
	if s.Usual > 0 {
		price, sale = s.Usual, s.Price
	}
	meta("og:type", "product")
	meta("product:price:amount", s.declared(price))
	meta("product:price:currency", s.Currency())
	if sale > 0 {
		meta("product:sale_price:amount", s.declared(sale))
	}
	if s.Stock != "" {
		meta("product:availability", s.Stock)
	}
}

// json writes the product in JSON-LD.
func (s Shop) json() string {
	amount := func(n int64) string {
		if s.has(number) && !s.has(forPeople) {
			return s.program(n)
		}
		return strconv.Quote(s.declared(n))
	}
	offer := `"@type":"Offer","priceCurrency":"` + s.Currency() + `","price":` + amount(s.Price)
	if s.Usual > 0 {
		offer += `,"priceSpecification":{"priceType":"https://schema.org/ListPrice","price":` + amount(s.Usual) + `}`
	}
	if s.Stock != "" {
		offer += `,"availability":"https://schema.org/` + s.Stock + `"`
	}
	name := s.manner().name + " 17"
	more := ""
	if s.has(list) {
		more = `,"isRelatedTo":[{"@type":"Product","name":"x","offers":{"price":1,"priceCurrency":"EUR"}}]`
	}
	product, end := `{"@type":"Product","name":"`+name+`"`+more, "}"
	if s.has(nearly) {
		end = ",}"
		product = strings.Replace(product, `",`, "\n\",", 1)
	}
	if s.has(graph) {
		return `{"@context":"https://schema.org","@graph":[` + product + `,"offers":{"@id":"#o"}` + end + `,{"@id":"#o",` +
			offer + `}]}`
	}
	if s.has(twice) {
		end += `</script><script type="application/ld+json">{"@type":"Product","name":"` + name + `","sku":"17"}`
	}
	if s.has(variants) && s.Usual == 0 {
		return product + `,"hasVariant":[{"@type":"Product","name":"17 a","offers":{` + offer +
			`}},{"@type":"Product","name":"17 b","offers":{"price":"` + s.program(s.Price*2) + `","priceCurrency":"` +
			s.Currency() + `"}}]` + end
	}
	return product + `,"offers":[{` + offer + `}]` + end
}

// writeProduct writes the product as people see it, with its attributes for programs.
func (s Shop) writeProduct(b *strings.Builder) {
	m := s.manner()
	scope, kind, property := "", "", ""
	if s.Source == field.Microdata {
		scope, kind, property = " itemscope", "itemtype=\"https://schema.org/", "itemprop"
	} else if s.Source == field.RDFa {
		kind, property = "typeof=\"schema:", "property"
	}
	open := func(of, as string) string {
		switch {
		case kind == "":
			return ""
		case as == "":
			return scope + " " + kind + of + `"`
		}
		return scope + " " + kind + of + `" ` + property + "=" + as
	}
	title := ""
	if property != "" {
		title = " " + property + "=name"
	}
	fmt.Fprintf(b, "<main%s><h1%s>%s 17</h1><div class=price%s>", open("Product", ""), title, m.name, open("Offer",
		"offers"))
	if s.Usual > 0 {
		fmt.Fprintf(b, "<p class=was>"+m.usual+"</p>", "<s>"+s.people(s.Usual)+"</s>")
	}
	price := s.people(s.Price)
	if _, fraction, has := strings.Cut(s.program(s.Price), "."); has && s.has(split) {
		price = strings.Replace(price, m.decimal+fraction, "<sup>"+fraction+"</sup>", 1)
	}
	if property != "" {
		content := ""
		if !s.has(forPeople) {
			content = ` content="` + s.program(s.Price) + `"`
		}
		price = "<span " + property + "=price" + content + ">" + price + "</span><meta " + property +
			"=priceCurrency content=" +
			s.Currency() + ">"
		if s.Stock != "" {
			price += "<link " + property + "=availability href=\"https://schema.org/" + s.Stock + "\">"
		}
	}
	if s.has(extra) {
		price = "<b><i>" + price + "</i></b><!-- 1 -->"
	}
	fmt.Fprintf(b, "<p class=now>"+m.now+"</p>", price)
	if s.has(perUnit) {
		fmt.Fprintf(b, "<p>"+m.perUnit+"</p>", s.people(s.Price/3+1))
	}
	if s.has(shipping) {
		fmt.Fprintf(b, "<p>"+m.shipping+"</p>", s.people(500))
	}
	b.WriteString("</div></main>")
}

// writeRelated writes other products with their prices.
func (s Shop) writeRelated(b *strings.Builder) {
	b.WriteString("<aside><ul>")
	for i := range int64(3) {
		price := s.people(s.Price/2 + 100*i + 7)
		switch {
		case s.Source == field.Microdata && s.has(list):
			fmt.Fprintf(b,
				`<li itemscope itemtype="https://schema.org/Product"><a itemprop=name>Other %d</a><p itemprop=offers `+
					`itemscope itemtype="https://schema.org/Offer"><b itemprop=price>%s</b></p></li>`, i, price)
		default:
			fmt.Fprintf(b, "<li>Other %d <b>%s</b></li>", i, price)
		}
	}
	b.WriteString("</ul></aside>")
}
