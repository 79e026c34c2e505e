package field_test

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/content/field"
)

// G1: TestG1WhatFieldsExplain checks which differences of a page its fields explain: only those that are nothing but
// the values.
func TestG1WhatFieldsExplain(t *testing.T) {
	price := func(was, is field.Decimal) field.Change {
		return field.Change{Name: "price", Then: field.Moment{Value: euros(was)}, Now: field.Moment{Value: euros(is)}}
	}
	sold := field.Change{Name: "availability", Then: field.Moment{Value: stock("InStock")},
		Now: field.Moment{Value: stock("OutOfStock")}}
	ends := field.Change{Name: "salePrice", Then: field.Moment{Value: euros("59")}}
	for _, c := range []struct {
		changes     []field.Change
		before, now string
		want        bool
	}{
		{[]field.Change{price("79", "84")}, "Lamp\nPrice: 79,00 €", "Lamp\nPrice: 84,00 €", true},
		{[]field.Change{price("79", "84")}, "Lamp\nPrice: 79 €", "Lamp\nprice now: 84 €", false},
		{[]field.Change{price("1299", "1199.5")}, "1.299,00 €", "1.199,50 €", true},
		{[]field.Change{price("79", "84")}, "79 EUR in 1979", "84 EUR in 1984", false},
		{[]field.Change{price("79", "84")}, "79 EUR\nread by 10", "84 EUR\nread by 11", false},
		{[]field.Change{price("79", "84"), sold}, "79 EUR\nIn stock", "84 EUR\nSold out", true},
		{[]field.Change{sold}, "In stock\nDelivered in 3 days", "Sold out", false},
		{[]field.Change{ends}, "79 EUR\n59 €", "79 EUR", true},
		{[]field.Change{ends}, "79 EUR\nuntil Sunday 59 €", "79 EUR", false},
		{[]field.Change{ends}, "~~€79.00~~ €59.00", "€79.00", true},
		{[]field.Change{ends}, "~~€79.00~~ €59.00 today", "€79.00", false},
		{[]field.Change{price("79", "84")}, "a\n79", "84\na", true},
		{nil, "a", "b", false},
		{nil, "a\nb", "b\na", true},
	} {
		if got := field.Explain(c.changes, c.before, c.now); got != c.want {
			t.Errorf("%q to %q: explained %v", c.before, c.now, got)
		}
	}
}
