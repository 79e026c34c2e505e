package field

import (
	"cmp"
	"encoding/json"
	"strings"

	"golang.org/x/text/currency"
)

// Type is the type of the values of a field.
type Type string

// The types of fields.
const (
	Text         Type = "text"
	Number       Type = "number"
	Money        Type = "money"
	Date         Type = "date"
	Availability Type = "availability"
)

// Value is a normalized value. The zero Value stands for no value. Which fields are set follows from the type:
//
//	text          Text, on one line
//	number        Number
//	money         Number, Currency if it is known, High for a range, From for "from 12.90", Per for "9.99 a month"
//	date          Text, in the form of ISO 8601 and as precise as the page is: 2026, 2026-11, 2026-11-27,
//	              2026-11-27T08:30:00Z, or without Z if the page gives no zone; --11-27 for a day without a year
//	availability  Text, a name of https://schema.org/ItemAvailability such as InStock
type Value struct {
	Type     Type    `json:"t,omitempty"`
	Text     string  `json:"s,omitempty"`
	Number   Decimal `json:"n,omitempty"`
	High     Decimal `json:"h,omitempty"`  // the highest price of a range, of which Number is the lowest
	From     bool    `json:"f,omitempty"`  // Number is the lowest price, and the highest is not known
	Currency string  `json:"c,omitempty"`  // ISO 4217
	Per      string  `json:"p,omitempty"`  // what the price is for, if not for one product: month, kg, 100 g
	Shown    string  `json:"as,omitempty"` // the text as the page has it, at most [MaxExcerpt] bytes
}

// None reports whether there is no value.
func (v Value) None() bool { return v.Type == "" }

// Equal reports whether two values are the same, however the page shows them.
func (v Value) Equal(w Value) bool {
	v.Shown, w.Shown = "", ""
	return v == w
}

// Compare returns -1, 0 or 1 for a value that is less than w, equal or greater. Numbers, and amounts of one currency,
// are compared by Number and then by High; dates by time. ok is false if the values cannot be compared: they have other
// types, currencies or units, or one of two days is known and of the other the month alone, which it is in. Texts and
// availabilities have no order, so ok is false unless they are equal.
func (v Value) Compare(w Value) (order int, ok bool) {
	switch {
	case v.Type != w.Type || v.Currency != w.Currency || v.Per != w.Per || v.None():
		return 0, false
	case v.Type == Number || v.Type == Money:
		return cmp.Or(v.Number.Compare(w.Number), v.top().Compare(w.top())), true
	case v.Type == Date:
		return compareDates(v.Text, w.Text)
	}
	return 0, v.Text == w.Text
}

// top returns the highest price of a range, or the one price.
func (v Value) top() Decimal { return cmp.Or(v.High, v.Number) }

// String writes the value for people: "79 EUR", "12.90–19.90 EUR", "from 9.90 EUR per month", "InStock".
func (v Value) String() string { return strings.TrimSpace(v.figures() + " " + v.Unit()) }

// Words writes the value like String, and an availability in words: "in stock".
func (v Value) Words() string {
	if v.Type == Availability {
		return stockInWords(v.Text)
	}
	return v.String()
}

// figures writes the value without its currency and unit: "79", "12.90–19.90", "from 9.90".
func (v Value) figures() string {
	if v.Type != Number && v.Type != Money {
		return v.Text
	}
	text := v.amount(v.Number)
	if v.High != "" {
		text += "–" + v.amount(v.High)
	}
	if v.From {
		text = "from " + text
	}
	return text
}

// Unit returns the currency of an amount and what it is for: "EUR per month".
func (v Value) Unit() string {
	if v.Per == "" {
		return v.Currency
	}
	return strings.TrimSpace(v.Currency + " per " + v.Per)
}

// amount writes a number as an amount of the value's currency: with all decimals of the currency, or with none if the
// amount is whole.
func (v Value) amount(d Decimal) string {
	whole, fraction, has := strings.Cut(string(d), ".")
	if !has || v.Type != Money {
		return string(d)
	}
	places := 2
	if unit, err := currency.ParseISO(v.Currency); err == nil {
		places, _ = currency.Standard.Rounding(unit)
	}
	return whole + "." + fraction + strings.Repeat("0", max(0, places-len(fraction)))
}

// compareDates compares dates in the form of [Value].
func compareDates(a, b string) (order int, ok bool) {
	if a == b {
		return 0, true
	}
	const yearless = "--"
	if strings.HasPrefix(a, yearless) != strings.HasPrefix(b, yearless) {
		return 0, false
	}
	if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
		return 0, false // one is within the other, or the zone of one is not known
	}
	return strings.Compare(a, b), true
}

// JSON returns the value as the API has it: a number, a text, or nil for none. Of a range it is the lowest price.
func (v Value) JSON() any {
	switch {
	case v.None():
		return nil
	case v.Type == Number || v.Type == Money:
		return json.Number(v.Number)
	}
	return v.Text
}
