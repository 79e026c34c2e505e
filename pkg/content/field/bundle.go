package field

import (
	"cmp"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// declaredProduct is what one source declares about the product of a page.
type declaredProduct struct {
	source             Source
	of                 string // what the paths of its values begin with: Product
	price, sale, stock reading
	variants           reading
}

// Product returns what a page declares about the product that it offers: price, salePrice, currency, availability and
// variants. It returns nothing if no product is declared, and a price that is [Unread] if several are, and none is that
// of the page. JSON-LD counts before microdata, RDFa and OpenGraph, and price and sale price are of one source.
func (p *Page) Product() []Result { return slices.Clone(p.product()) }

func (p *Page) readProduct() []Result {
	var all []declaredProduct
	why := ""
	for _, source := range []Source{JSONLD, Microdata, RDFa} {
		it, reason := p.theItem(p.sets[source], productTypes)
		if it == nil && reason == "" {
			it, reason = p.looseOffers(p.sets[source])
		}
		if it != nil {
			all = append(all, p.declaredBy(source, it))
		}
		why = cmp.Or(why, reason)
	}
	if graph, has := p.graphProduct(); has {
		all = append(all, graph)
	}
	if len(all) == 0 && why != "" {
		return []Result{{Name: Price, State: Unread, Evidence: Evidence{Reason: why}}}
	}
	if len(all) == 0 {
		return nil
	}
	main := all[max(0, slices.IndexFunc(all, func(d declaredProduct) bool { return !d.price.v.None() }))]
	out := []Result{main.result(Price, main.price), main.result(SalePrice, main.sale)}
	if code := main.price.v.Currency; code != "" {
		out = append(out, main.result(Currency, reading{Value{Type: Text, Text: code}, "", code, main.price.at}))
	}
	for _, of := range []struct {
		name string
		get  func(declaredProduct) reading
	}{
		{Stock, func(d declaredProduct) reading { return d.stock }},
		{variants, func(d declaredProduct) reading { return d.variants }},
	} {
		at := slices.IndexFunc(all, func(d declaredProduct) bool { return !of.get(d).v.None() })
		if at < 0 && of.name == variants {
			continue
		}
		d := all[max(0, at)]
		out = append(out, d.result(of.name, of.get(d)))
	}
	return out
}

// result makes a result of a reading of a source that stands.
func (d declaredProduct) result(name string, r reading) Result {
	out := Result{Name: name, State: stateOf(r), Value: r.v, Evidence: Evidence{Source: d.source, At: d.of,
		Excerpt: words.Clip(r.raw, MaxExcerpt), Reason: r.why}}
	if r.at != "" {
		out.Evidence.At = d.of + r.at
	}
	return out
}

// stateOf returns the state of a field whose source stands.
func stateOf(r reading) State {
	switch {
	case !r.v.None():
		return Found
	case r.why != "":
		return Unread
	}
	return Disappeared
}

// declaredBy reads what an item declares.
func (p *Page) declaredBy(source Source, it *Item) declaredProduct {
	d := declaredProduct{source: source, of: typeOf(it) + "."}
	offers := p.offersOf(it, "", 0)
	if text, why := p.variantsOf(offers); text != "" {
		d.variants = reading{Value{Type: Text, Text: text}, why, words.Clip(text, MaxExcerpt), "hasVariant"}
	}
	if slices.ContainsFunc(offers, func(o offered) bool { return o.here }) {
		offers = slices.DeleteFunc(offers, func(o offered) bool { return !o.here })
	}
	if isNew := func(o offered) bool { return !o.used }; slices.ContainsFunc(offers, isNew) {
		offers = slices.DeleteFunc(offers, func(o offered) bool { return o.used })
	}
	var prices, sales []reading
	for _, o := range offers {
		price, sale := p.prices(o)
		prices, sales = append(prices, price), append(sales, sale)
	}
	if isZero := func(r reading) bool { return r.v.Number == "0" && r.v.High == "" }; slices.ContainsFunc(prices,
		func(r reading) bool { return !r.v.None() && !isZero(r) }) {
		prices = slices.DeleteFunc(prices, isZero) // it stands for a price that is not known
	}
	d.price, d.sale, d.stock = over(prices), over(sales), stockOver(offers)
	if d.price.v.High != "" && d.sale.v.None() {
		if one, found := p.shownFirst(prices); found {
			d.price = one
			d.price.why = "of several offers, the one whose price the page shows first"
		}
	}
	if d.sale.v.None() {
		d.price = p.confirm(d.price)
	}
	if d.price.v.Number == "0" && d.price.v.High == "" && !p.free {
		d.price.v, d.price.why = Value{}, "the declared price is 0, and the page does not say that it is free"
	}
	return d
}

// graphProduct reads what the meta elements of OpenGraph declare.
func (p *Page) graphProduct() (d declaredProduct, has bool) {
	get := func(names ...string) (PropValue, string) {
		content, name, found := p.meta(names...)
		has = has || found
		return PropValue{Text: content}, name
	}
	var o offered
	var at, saleAt string
	o.price, at = get("product:price:amount", "og:price:amount", "og:product:price:amount")
	o.reduced, saleAt = get("product:sale_price:amount", "og:sale_price:amount")
	stock, stockAt := get("product:availability", "og:availability", "og:product:availability")
	if !has {
		return d, false
	}
	o.usual, _ = get("product:original_price:amount", "product:price:standard_amount", "og:price:standard_amount")
	currency, _ := get("product:price:currency", "og:price:currency", "og:product:price:currency",
		"product:sale_price:currency")
	o.currency, o.stock = currency.Text, stock.Text
	d = declaredProduct{source: OpenGraph}
	d.price, d.sale = p.prices(o)
	if d.price.at, d.sale.at = at, saleAt; o.reduced.Text == "" {
		d.sale.at = at
	}
	if d.sale.v.None() {
		d.price = p.confirm(d.price)
	}
	if d.stock = stockOver([]offered{o}); d.stock.raw != "" {
		d.stock.at = stockAt
	}
	return d, true
}
