package condition_test

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
)

func condOf(t *testing.T, spec api.Condition) condition.Condition {
	t.Helper()
	spec.Field = "it"
	c, err := condition.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestQ18WhyNot checks what is said of a change that does not meet a condition, and whether the condition counts as met
// at the moment after it (Q18).
func TestQ18WhyNot(t *testing.T) {
	for _, tc := range []struct {
		spec         api.Condition
		of           field.Type
		before, now  string
		want         string
		met, isFirst bool
	}{
		{api.Condition{Op: "<", Value: "80"}, field.Money, "99 EUR", "89 EUR", "89 EUR is not below 80", false, false},
		{api.Condition{Op: "<", Value: "80"}, field.Money, "79 EUR", "75 EUR", "it was so before: 79 EUR", true, false},
		{api.Condition{Op: "<", Value: "80"}, field.Money, "", "75 EUR", "75 EUR was the first value that was seen", true,
			true},
		{api.Condition{Op: "<", Against: "lowest"}, field.Money, "79 EUR", "85 EUR",
			"85 EUR is not below the lowest value, 79 EUR", false, false},
		{api.Condition{Op: "changedBy", Value: "10", Unit: "%"}, field.Number, "100", "101",
			"101 differs from 100 by less than 10 %", false, false},
		{api.Condition{Op: "fromTo", To: "in stock"}, field.Availability, "in stock", "out of stock",
			"it went from in stock to out of stock", false, false},
		{api.Condition{Op: "appears"}, field.Number, "1", "2", "it was so before: 1", true, false},
		{api.Condition{Op: "disappears"}, field.Number, "1", "2", "there is a value: 2", false, false},
	} {
		c := condOf(t, tc.spec)
		then := read(t, tc.of, tc.before)
		now := field.Moment{Value: read(t, tc.of, tc.now), Seen: field.Seen{Previous: then, First: field.Point{Value: then},
			Lowest: field.Point{Value: then}, Highest: field.Point{Value: then}}}
		change := field.Change{Name: "it", Then: field.Moment{Value: then}, Now: now, First: tc.isFirst}
		if _, fires := c.Fires([]field.Change{change}); fires {
			t.Errorf("%s fires", c)
		}
		if got := c.WhyNot(change); got != tc.want || c.IsMet(now) != tc.met {
			t.Errorf("%s: have %q and %t, want %q", c, got, c.IsMet(now), tc.want)
		}
	}
}

// TestQ18Words checks that a condition is written in words for people, and a first value that is seen has a reason of
// its own (Q18).
func TestQ18Words(t *testing.T) {
	for want, spec := range map[string]api.Condition{
		"price is below 80 EUR":                {Field: "price", Op: "<", Value: "80 EUR"},
		"price falls":                          {Field: "price", Op: "<", Against: "previous"},
		"price rises, also at the first check": {Field: "price", Op: ">", Against: "previous", First: true},
		"price is below the lowest value":      {Field: "price", Op: "<", Against: "lowest"},
		"in stock":                             {Field: "availability", Op: "fromTo", To: "InStock"},
		"stock becomes out of stock":           {Field: "availability", Op: "fromTo", To: "OutOfStock"},
		"“bikes” changes":                      {Field: "bikes", Op: "fromTo"},
	} {
		c, err := condition.Parse(spec)
		if err != nil || c.Words() != want {
			t.Errorf("%q, want %q (%v)", c.Words(), want, err)
		}
	}
	c := condOf(t, api.Condition{Op: "fromTo"})
	first := field.Change{Name: "it", First: true, Now: field.Moment{Value: read(t, field.Number, "41")}}
	if have := c.WhyNot(first); have != "41 was the first value that was seen" {
		t.Error(have)
	}
}

// TestQ18Samples checks that a change that is made up for a condition meets it, for each operator and type (Q18).
func TestQ18Samples(t *testing.T) {
	types := map[field.Type]string{field.Number: "4", field.Money: "84 USD", field.Date: "2026-03-01",
		field.Availability: "in stock", field.Text: "1.0"}
	for of, present := range types {
		for _, text := range []string{present, ""} {
			for _, op := range condition.Ops {
				spec := api.Condition{Op: op}
				switch op {
				case condition.FromTo, condition.Appears, condition.Disappears:
				case condition.ChangedBy:
					spec.Value = "5"
				default:
					spec.Value = api.Constant(present)
				}
				spec.Field = "it"
				c, err := condition.Parse(spec)
				if err != nil || c.Fits(of) != nil {
					continue
				}
				change, ok := c.Sample(of, read(t, of, text))
				if _, fires := c.Fires([]field.Change{change}); !ok || !fires {
					t.Errorf("%s of %s: %+v", c, of, change)
				}
			}
		}
	}
}
