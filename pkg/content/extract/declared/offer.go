package declared

import (
	"strings"
	"unicode"

	"golang.org/x/text/currency"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// offer holds the values of one offer as they are declared; "" for none.
type offer struct {
	price    value
	usual    value // the price before a reduction
	reduced  value // the price after a reduction
	low      value
	high     value
	currency string
	stock    string
}

// value is a declared amount. The amount is written for people, in the manner of their country, or for programs.
type value struct {
	text   string
	people bool
}

// empty reports whether the offer declares nothing.
func (o offer) empty() bool { return o == offer{} }

// ofOffers returns the fields of offers.
func ofOffers(source string, offers []offer) (fields []Field) {
	for _, o := range offers {
		code := currencyOf(o.currency, o.price.text, o.low.text, o.reduced.text)
		usual, now := o.price, o.reduced
		if o.usual.text != "" {
			usual = o.usual
			if now.text == "" {
				now = o.price
			}
		}
		price, sale := amountOf(usual, code), amountOf(now, code)
		if sale == price {
			sale = ""
		}
		for _, f := range []Field{
			{Price, price, source}, {SalePrice, sale, source}, {LowPrice, amountOf(o.low, code), source},
			{HighPrice, amountOf(o.high, code), source}, {Currency, code, source},
			{Availability, availabilityOf(o.stock), source},
		} {
			if f.Value != "" && len(fields) < maxFields {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// signs are the signs of currencies that stand for one currency alone.
var signs = map[string]string{"€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW", "₽": "RUB", "₴": "UAH", "₺": "TRY",
	"₫": "VND", "₪": "ILS", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "R$": "BRL"}

// currencyOf returns the declared currency or, if there is none, that of the first amount that names one.
func currencyOf(declared string, amounts ...string) string {
	if code := codeIn(declared); code != "" {
		return code
	}
	for _, amount := range amounts {
		if code := codeIn(amount); code != "" {
			return code
		}
	}
	return ""
}

// codeIn returns the code of the currency that a text names.
func codeIn(text string) string {
	if unit, err := currency.ParseISO(strings.TrimSpace(text)); err == nil {
		return unit.String()
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsDigit(r) || strings.ContainsRune(".,'’-–", r)
	}) {
		if code := signs[word]; code != "" {
			return code
		}
		if unit, err := currency.ParseISO(word); err == nil && unit.String() == word {
			return word
		}
	}
	return ""
}

// stocks maps availabilities, in lower case and without spaces and signs, to their names at schema.org.
var stocks = func() map[string]string {
	all := map[string]string{"oos": "OutOfStock", "instoreonly": "InStoreOnly", "available": "InStock",
		"availablefororder": "BackOrder", "unavailable": "OutOfStock", "notavailable": "OutOfStock", "true": "InStock",
		"false": "OutOfStock", "outstock": "OutOfStock"}
	for name := range strings.FieldsSeq(`InStock OutOfStock PreOrder PreSale BackOrder Discontinued InStoreOnly OnlineOnly
		LimitedAvailability SoldOut MadeToOrder Reserved`) {
		all[strings.ToLower(name)] = name
	}
	return all
}()

// availabilityOf returns the name of an availability at schema.org, or the text if there is no such name.
func availabilityOf(text string) string {
	if known := StockNamed(text); known != "" {
		return known
	}
	return clip(strings.Join(strings.Fields(text), " "))
}

// StockNamed returns the name at schema.org of an availability that is declared for programs; "" if there is none.
func StockNamed(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	name := strings.TrimRight(text, "/")
	name = name[strings.LastIndexAny(name, "/:#")+1:]
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
	return stocks[plain]
}

// clip cuts a text that is kept as it is declared.
func clip(text string) string {
	const longest = 60
	return words.Clip(strings.ToValidUTF8(text, "\ufffd"), longest)
}
