package condition

import (
	"strconv"

	"github.com/tidemark/tidemark/pkg/content/field"
)

// constant is a value to compare with. The type of the field is not known when it is parsed, so it has a value for each
// type as which it can be read.
type constant struct {
	number, money, date, stock, text field.Value
	why                              string // why it is no number
}

// maxConstant limits the bytes of a constant.
const maxConstant = field.MaxText

// parseConstant reads a constant. A number alone has a point before its decimals.
func parseConstant(text string) (k constant) {
	read := func(t field.Type) field.Value {
		v, why, _ := field.Parse(t, text, field.Hint{})
		if v.Shown = ""; v.High != "" || v.From {
			v, why = field.Value{}, "it is a range, and a range counts as its lowest price"
		}
		if t == field.Money {
			k.why = why
		}
		return v
	}
	k.text, k.date, k.stock = read(field.Text), read(field.Date), read(field.Availability)
	if d, ok := field.ParseDecimal(text); ok {
		k.number = field.Value{Type: field.Number, Number: d}
		k.money = field.Value{Type: field.Money, Number: d}
		return k
	}
	if k.money = read(field.Money); k.money.Currency == "" {
		k.number = read(field.Number)
	}
	return k
}

func (k constant) isNone() bool { return k.text.None() }

// isOrdered reports whether values can be less than the constant.
func (k constant) isOrdered() bool { return !k.number.None() || !k.money.None() || !k.date.None() }

// compare returns the order of a value and the constant; ok is false if the two cannot be compared.
func (k constant) compare(v field.Value) (order int, ok bool) {
	switch v.Type {
	case field.Number:
		return v.Number.Compare(k.number.Number), !k.number.None()
	case field.Money:
		ok = !k.money.None() && (k.money.Currency == "" || k.money.Currency == v.Currency) &&
			(k.money.Per == "" || k.money.Per == v.Per)
		return v.Number.Compare(k.money.Number), ok
	case field.Date:
		if n := len(k.date.Text); n <= len("2006-01-02") && n < len(v.Text) {
			v.Text = v.Text[:n]
		}
		return v.Compare(k.date)
	case field.Availability:
		if within[v.Text] == k.stock.Text {
			v.Text = k.stock.Text
		}
		return v.Compare(k.stock)
	case field.Text:
		return v.Compare(k.text)
	}
	return 0, false
}

// within maps availabilities to those that they are kinds of: a product of which few are left is in stock.
var within = map[string]string{"LimitedAvailability": "InStock", "OnlineOnly": "InStock", "SoldOut": "OutOfStock",
	"Discontinued": "OutOfStock"}

func (k constant) equals(v field.Value) bool {
	order, ok := k.compare(v)
	return ok && order == 0
}

// String writes the constant for people: amounts and dates as they are read, and words and numbers as they are given.
func (k constant) String() string {
	if _, plain := field.ParseDecimal(k.text.Text); plain {
		return k.text.Text
	}
	for _, v := range []field.Value{k.number, k.money, k.date} {
		if !v.None() {
			return v.String()
		}
	}
	if k.stock.None() {
		return strconv.Quote(k.text.Text)
	}
	return k.text.Text
}

// fits reports whether the constant can be compared with values of a type.
func (k constant) fits(t field.Type) bool {
	switch t {
	case field.Number:
		return !k.number.None()
	case field.Money:
		return !k.money.None()
	case field.Date:
		return !k.date.None()
	case field.Availability:
		return !k.stock.None()
	}
	return true
}
