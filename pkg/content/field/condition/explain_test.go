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
