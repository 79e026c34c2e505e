package condition_test

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
)

// TestG2ConditionsReadLikeSentences checks what conditions are read as, and how they are written for people (G2).
func TestG2ConditionsReadLikeSentences(t *testing.T) {
	for want, c := range map[string]api.Condition{
		"price < 80 EUR":               {Op: "<", Value: "80 EUR"},
		"price <= 1299 EUR":            {Op: "<=", Value: "1.299,00 €"},
		"price >= 12.90":               {Op: ">=", Value: "12.90"},
		"price > 9.90 EUR per month":   {Op: ">", Value: "9.90 EUR a month", Against: "value"},
		"price = InStock":              {Op: "=", Value: "InStock"},
		"price = ausverkauft":          {Op: "=", Value: "ausverkauft"},
		`price = "green"`:              {Op: "=", Value: " green "},
		"price > 2026-11-27":           {Op: ">", Value: "27 November 2026"},
		"price < the lowest value":     {Op: "<", Against: "lowest"},
		"price = the previous value":   {Op: "=", Against: "previous"},
		"price appears":                {Op: "appears", Unit: "abs", Against: "value"},
		"price goes to 80":             {Op: "fromTo", To: "80"},
		"price goes from 79 EUR to 84": {Op: "fromTo", From: "79 EUR", To: "84"},
		"price changes by at least 5 against the previous value":    {Op: "changedBy", Value: "5"},
		"price changes by at least 5 EUR against the first value":   {Op: "changedBy", Value: "5 EUR", Against: "first"},
		"price changes by at least 10 % against the previous value": {Op: "changedBy", Value: "10", Unit: "%"},
		"price changes by at least 2.5 % against the highest value": {Op: "changedBy", Value: "2.5 %", Against: "highest"},
		"price goes from InStock to another value":                  {Op: "fromTo", From: "InStock"},
		"price changes": {Op: "fromTo"},
		"price disappears, also at the first check": {Op: "disappears", First: true},
	} {
		c.Field = "price"
		got, err := condition.Parse(c)
		if err != nil || got.String() != want {
			t.Errorf("%+v: %q, %v; want %q", c, got, err, want)
		}
	}
}

// TestG2ConditionsThatAreRefused checks that a condition that says nothing is refused, with the name of what is wrong
// (G2).
func TestG2ConditionsThatAreRefused(t *testing.T) {
	long := api.Constant(make([]byte, 301))
	for _, tc := range []struct {
		c     api.Condition
		field string
	}{
		{api.Condition{Field: " ", Op: "appears"}, "when.field"}, {api.Condition{Op: ""}, "when.op"},
		{api.Condition{Op: "!="}, "when.op"}, {api.Condition{Op: "<"}, "when.value"},
		{api.Condition{Op: "<", Value: "cheap"}, "when.value"}, {api.Condition{Op: "<", Value: "1.299"}, ""},
		{api.Condition{Op: "<", Value: "5–9 EUR"}, "when.value"}, {api.Condition{Op: "<", Value: "1,299"}, "when.value"},
		{api.Condition{Op: "<", Value: "80", Against: "lowest"}, "when.value"},
		{api.Condition{Op: "<", Against: "mean"}, "when.against"}, {api.Condition{Op: "=", Value: long}, "when.value"},
		{api.Condition{Op: "<", Value: "80", Unit: "%"}, "when.unit"},
		{api.Condition{Op: "changedBy", Value: "5", Against: "value"}, "when.against"},
		{api.Condition{Op: "changedBy", Value: "0"}, "when.value"}, {api.Condition{Op: "changedBy"}, "when.value"},
		{api.Condition{Op: "changedBy", Value: "-5"}, "when.value"},
		{api.Condition{Op: "changedBy", Value: "InStock"}, "when.value"},
		{api.Condition{Op: "changedBy", Value: "2026-11-27"}, "when.value"},
		{api.Condition{Op: "changedBy", Value: "5 EUR", Unit: "%"}, "when.value"},
		{api.Condition{Op: "changedBy", Value: "5 %", Unit: "abs"}, "when.unit"},
		{api.Condition{Op: "changedBy", Value: "5", Unit: "€"}, "when.unit"},
		{api.Condition{Op: "fromTo"}, ""}, {api.Condition{Op: "fromTo", From: "5", To: "5"}, "when.to"},
		{api.Condition{Op: "fromTo", From: "5", Value: "6"}, "when.value"},
		{api.Condition{Op: "appears", From: "5"}, "when.from"}, {api.Condition{Op: "appears", To: "5"}, "when.to"},
		{api.Condition{Op: "appears", Against: "first"}, "when.against"},
	} {
		if tc.c.Field == "" {
			tc.c.Field = "price"
		}
		_, err := condition.Parse(tc.c)
		if fault.FieldOf(err) != tc.field || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v; want an error of %q", tc.c, err, tc.field)
		}
	}
}

// TestG2ConditionsFitTypes checks that a condition that can never hold for a type of fields is found (G2).
func TestG2ConditionsFitTypes(t *testing.T) {
	for _, tc := range []struct {
		c     api.Condition
		of    field.Type
		wrong string
	}{
		{api.Condition{Op: "<", Value: "80 EUR"}, field.Money, ""},
		{api.Condition{Op: "<", Value: "80 EUR"}, field.Number, "when.value"},
		{api.Condition{Op: "<", Value: "80"}, field.Number, ""},
		{api.Condition{Op: "<", Value: "80"}, field.Text, "when.op"},
		{api.Condition{Op: "<", Value: "2026-11-27"}, field.Date, ""},
		{api.Condition{Op: "<", Value: "2026-11-27"}, field.Money, "when.value"},
		{api.Condition{Op: "=", Value: "in stock"}, field.Availability, ""},
		{api.Condition{Op: "=", Value: "green"}, field.Availability, "when.value"},
		{api.Condition{Op: "=", Value: "green"}, field.Text, ""},
		{api.Condition{Op: "=", Against: "lowest"}, field.Availability, "when.against"},
		{api.Condition{Op: "changedBy", Value: "5"}, field.Money, ""},
		{api.Condition{Op: "changedBy", Value: "5"}, field.Date, "when.op"},
		{api.Condition{Op: "fromTo", From: "in stock"}, field.Money, "when.from"},
		{api.Condition{Op: "fromTo", From: "in stock", To: "gone fishing"}, field.Availability, "when.to"},
		{api.Condition{Op: "appears"}, field.Text, ""},
	} {
		tc.c.Field = "it"
		c, err := condition.Parse(tc.c)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Fits(tc.of); fault.FieldOf(err) != tc.wrong || err != nil && tc.wrong == "" {
			t.Errorf("%s for %s: %v; want an error of %q", c, tc.of, err, tc.wrong)
		}
	}
}
