package field

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Bounds of a product: its offers, and the bytes of the text of its variants.
const (
	maxOffers   = 500
	maxVariants = 1000
)

// offered is an offer of a product, as it is declared.
type offered struct {
	price, usual, reduced PropValue
	low, high             PropValue
	currency, stock       string
	variant               string // name of the variant
	here                  bool   // it has the whole address of the page, with its query
	used                  bool   // it is of a used copy
}

// offersOf returns the offers of a product and of its variants.
func (p *Page) offersOf(product *Item, variant string, depth int) (all []offered) {
	const deepest = 4
	if depth > deepest {
		return nil
	}
	for _, o := range product.Items("offers") {
		if len(all) < maxOffers {
			all = append(all, p.readOffer(o, offered{variant: variant}, depth)...)
		}
	}
	for _, key := range []string{"hasVariant", "model"} {
		for _, v := range product.Items(key) {
			if len(all) < maxOffers && v != product {
				all = append(all, p.offersOf(v, variantName(v), depth+1)...)
			}
		}
	}
	if len(all) == 0 {
		o := offered{price: product.First("price"), currency: product.First("priceCurrency").Text,
			stock: product.First("availability").Text, variant: variant}
		if o.price.Text != "" {
			all = append(all, o)
		}
	}
	return all[:min(len(all), maxOffers)]
}

// variantName returns what tells a variant from others.
func variantName(v *Item) string {
	for _, key := range []string{"name", "sku", "size", "color"} {
		if text := v.First(key).Text; text != "" {
			return text
		}
	}
	return v.ID
}

// readOffer returns an offer and the offers in it, which inherit the currency.
func (p *Page) readOffer(it *Item, outer offered, depth int) (all []offered) {
	const deepest = 6
	if depth > deepest {
		return nil
	}
	o := offered{price: it.First("price"), low: it.First("lowPrice"), high: it.First("highPrice"),
		currency: outer.currency, stock: it.First("availability").Text, variant: outer.variant}
	if code := it.First("priceCurrency").Text; code != "" {
		o.currency = code
	}
	condition := it.First("itemCondition").Text
	o.used = outer.used || usedCopy.MatchString(condition)
	if address := it.First("url").Text; address != "" {
		if u, err := p.address.Parse(address); err == nil {
			o.here = u.RawQuery != "" && u.RawQuery == p.address.RawQuery && pageKey(u) == pageKey(p.address)
		}
	}
	for _, s := range it.Items("priceSpecification") {
		o.specify(s)
	}
	all = append(all, o)
	for _, inner := range it.Items("offers") {
		if len(all) < maxOffers {
			all = append(all, p.readOffer(inner, o, depth+1)...)
		}
	}
	return all
}

// usedCopy matches the names at schema.org of what is not new.
var usedCopy = regexp.MustCompile(`(?i)(?:used|refurbished|damaged)(?:condition)?/?$`)

// specify adds a price specification, unless it is for a part of the product, such as one liter, or for members.
func (o *offered) specify(s *Item) {
	if len(s.Items("referenceQuantity")) > 0 || len(s.all("validForMemberTier")) > 0 {
		return
	}
	o.currency = cmp.Or(o.currency, s.First("priceCurrency").Text)
	amount, kind := s.First("price"), s.First("priceType").Text
	switch kind[strings.LastIndexAny(kind, "/:#")+1:] {
	case "ListPrice", "StrikethroughPrice", "SRP", "MSRP", "RegularPrice", "MinimumAdvertisedPrice":
		o.usual = amount
	case "SalePrice":
		o.reduced = amount
	default:
		if o.price.Text == "" {
			o.price = amount
		}
		if o.low.Text == "" && amount.Text == "" {
			o.low, o.high = s.First("minPrice"), s.First("maxPrice")
		}
	}
}

// reading is a value of an offer, or why there is none.
type reading struct {
	v   Value
	why string
	raw string
	at  string
}

// amountOf reads a declared amount.
func (p *Page) amountOf(raw PropValue, currency, at string) reading {
	if raw.Text == "" {
		return reading{}
	}
	h := Hint{Locale: p.locale, Currency: codeOf(currency), Program: !raw.People}
	v, why, ok := Parse(Money, raw.Text, h)
	if !ok && why == "" {
		why = "the text is not an amount"
	}
	if below := strings.TrimSpace(raw.Text); strings.HasPrefix(below, "-") || strings.HasPrefix(below, "−") {
		v, why = Value{}, "the amount is negative"
	}
	if v.Per != "" && !isTime(v.Per) {
		v, why = Value{}, "the amount is for a unit: "+v.Per
	}
	if h.Program && mayBeThousands(raw.Text, v.Currency) && !isShown(p.shownAmounts(), v, p.locale) {
		v, why = Value{}, raw.Text+" may be thousands or decimals, and the page does not show which"
	}
	return reading{v, why, raw.Text, at}
}

// mayBeThousands reports whether three digits follow the point of an amount whose currency has two decimals. A program
// of a shop that writes 1.299 for people may write the same for programs.
func mayBeThousands(text, currency string) bool {
	return currency != "" && decimalsOf(currency) == 2 && threeDecimals.MatchString(strings.TrimSpace(text))
}

var threeDecimals = regexp.MustCompile(`^[1-9]\d{0,2}\.\d{3}$`)

// prices returns the usual price and the present one of an offer. If only one is known, it is the price.
func (p *Page) prices(o offered) (price, sale reading) {
	price = p.amountOf(o.price, o.currency, "offers.price")
	reduced := p.amountOf(o.reduced, o.currency, "offers.priceSpecification.price")
	usual := p.amountOf(o.usual, o.currency, "offers.priceSpecification.price")
	if sale = reduced; price.raw == "" {
		price, sale = reduced, reading{}
	}
	if !usual.v.None() && !price.v.None() && price.v.Currency == usual.v.Currency &&
		price.v.Number.Compare(usual.v.Number) < 0 {
		price, sale = usual, price
	} else if price.raw == "" {
		price = usual
	}
	if sale.v.None() || !price.v.None() && sale.v.Number.Compare(price.v.Number) >= 0 {
		sale = reading{}
	}
	if price.raw == "" && o.low.Text != "" {
		price = p.rangeOf(o)
	}
	return price, sale
}

// rangeOf reads the lowest and the highest price of an offer that sums up others.
func (p *Page) rangeOf(o offered) reading {
	low, high := p.amountOf(o.low, o.currency, "offers.lowPrice"), p.amountOf(o.high, o.currency, "offers.highPrice")
	switch {
	case low.v.None():
	case low.v.Number == "0" && !high.v.None() && high.v.Number != "0" && !p.free:
		low.v, low.why = Value{}, "the lowest declared price is 0, and the page does not say that it is free"
	case high.v.None():
		low.v.From = true
	case high.v.Currency == low.v.Currency && high.v.Number.Compare(low.v.Number) > 0:
		low.v.High, low.raw = high.v.Number, low.raw+" – "+high.raw
	}
	return low
}

// over returns one reading of those of several offers: the value that all have, or the range from the lowest to the
// highest. Offers without a value do not count if others have one.
func over(all []reading) (out reading) {
	for _, r := range all {
		switch {
		case r.raw == "" || out.v.None() && r.v.None() && out.raw != "":
		case out.v.None():
			out = r
		case r.v.None() || r.v.Equal(out.v):
		case r.v.Currency != out.v.Currency || r.v.Per != out.v.Per:
			return reading{Value{}, "the offers have other currencies", out.raw, out.at}
		default:
			low, high := out.v.Number, out.v.top()
			if r.v.Number.Compare(low) < 0 {
				low = r.v.Number
			}
			if r.v.top().Compare(high) > 0 {
				high = r.v.top()
			}
			shown := out.v.Shown
			if low != out.v.Number {
				shown = r.v.Shown
			}
			out.v = Value{Type: Money, Number: low, Currency: out.v.Currency, Per: out.v.Per, Shown: shown}
			if out.why = "the lowest and the highest price of several offers"; high != low {
				out.v.High = high
			}
		}
	}
	return out
}

// stockOver returns one availability of those of several offers: that the product can be had, if any offer says so.
func stockOver(offers []offered) (out reading) {
	for _, o := range offers {
		if o.stock == "" {
			continue
		}
		v, why, _ := Parse(Availability, o.stock, Hint{})
		r := reading{v, why, o.stock, "offers.availability"}
		switch {
		case out.raw == "" || out.v.None():
			out = r
		case !r.v.None() && rank(r.v.Text) < rank(out.v.Text):
			r.why = "the offers differ; this is the best of them"
			out = r
		}
	}
	return out
}

// rank orders availabilities: those with which the product can be had come first.
func rank(name string) int {
	order := strings.Fields(`InStock OnlineOnly LimitedAvailability InStoreOnly MadeToOrder PreSale PreOrder BackOrder Reserved
		OutOfStock SoldOut Discontinued`)
	if at := slices.Index(order, name); at >= 0 {
		return at
	}
	return len(order)
}

// variantsOf writes the variants of a product that have names, in the order of their names.
func (p *Page) variantsOf(offers []offered) (text, why string) {
	var all []string
	for _, o := range offers {
		if o.variant == "" {
			continue
		}
		price, sale := p.prices(o)
		line := words.Clip(o.variant, 100)
		if now := sale.v; !now.None() {
			line += ": " + now.String()
		} else if !price.v.None() {
			line += ": " + price.v.String()
		}
		if stock := stockOver([]offered{o}); stock.v.Text != "" {
			line += ", " + stock.v.Text
		}
		all = append(all, line)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	text = strings.Join(all, "; ")
	if len(text) > maxVariants {
		why = words.Count(len(all), "variant") + "; only the beginning is kept"
	}
	return words.Clip(text, maxVariants), why
}
