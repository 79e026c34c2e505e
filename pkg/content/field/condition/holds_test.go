package condition_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
)

// read makes a value of a text.
func read(t *testing.T, of field.Type, text string) (v field.Value) {
	t.Helper()
	if text == "" {
		return v
	}
	v, why, ok := field.Parse(of, text, field.Hint{Locale: "en-US"})
	if !ok {
		t.Fatalf("%s %q: %s", of, text, why)
	}
	return v
}

// firesAt returns the number of the check at which a condition fires first, from 0; -1 if it never does.
func firesAt(t *testing.T, spec api.Condition, of field.Type, texts ...string) int {
	t.Helper()
	spec.Field = "it"
	c, err := condition.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	var k field.Known
	for i, text := range texts {
		r := field.Result{Name: "it", State: field.Disappeared}
		if r.Value = read(t, of, text); text != "" {
			r.State = field.Found
		}
		var changes []field.Change
		k, changes, _ = k.See(field.Reading{Results: []field.Result{r}, Keys: map[string]string{"it": "1"},
			At: time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)})
		if _, fires := c.Fires(changes); fires {
			return i
		}
	}
	return -1
}

// TestG2WhatConditionsHoldFor checks for values that a shop of the model does not have when a condition fires (G2).
func TestG2WhatConditionsHoldFor(t *testing.T) {
	const never = -1
	by := func(n api.Constant, unit, against string) api.Condition {
		return api.Condition{Op: "changedBy", Value: n, Unit: unit, Against: against}
	}
	is := func(op string, value api.Constant) api.Condition { return api.Condition{Op: op, Value: value} }
	for _, tc := range []struct {
		c    api.Condition
		of   field.Type
		seen []string
		want int
	}{
		{is("<", "10"), field.Money, []string{"€12", "from €9.90"}, 1},         // counts as the lowest
		{is("<", "10"), field.Money, []string{"€12", "€9.90–€19.90"}, 1},       // likewise
		{is("=", "9.90 EUR"), field.Money, []string{"€12", "€9.90–€19.90"}, 1}, // likewise
		{is(">", "10"), field.Money, []string{"€9", "€9.90–€19.90"}, never},
		{is("<", "10 EUR"), field.Money, []string{"€12", "$9"}, never}, // another currency
		{is("<", "10"), field.Money, []string{"€12", "€9 per month"}, 1},
		{is("<", "10 EUR per year"), field.Money, []string{"€12 per year", "€9 per month", "€9 per year"}, 2},
		{is("<", "10 EUR"), field.Number, []string{"12", "9"}, never}, // a number has no currency
		{is("<", "10"), field.Number, []string{"12", "", "9"}, 2},
		{is("<", "10"), field.Text, []string{"12", "9"}, never},
		{is("=", "1.5.0"), field.Text, []string{"1.4.2", "1.5.0"}, 1},
		{is("=", "in stock"), field.Availability, []string{"sold out", "https://schema.org/InStock"}, 1},
		{api.Condition{Op: "fromTo", From: "OutOfStock", To: "InStock"}, field.Availability,
			[]string{"Sold out", "Back in stock soon", "Only 3 left"}, 2},
		{api.Condition{Op: "fromTo", To: "InStock"}, field.Availability,
			[]string{"Only 3 left", "In stock", "Only available in store", "In stock"}, 3},
		{is("=", "OutOfStock"), field.Availability, []string{"In stock", "Discontinued"}, 1},
		{is("=", "Auf Lager"), field.Availability, []string{"sold out", "InStock"}, 1},
		{is(">=", "2026-11-27"), field.Date, []string{"2026-11-26", "2026-11-27T08:30:00Z"}, 1},
		{is(">", "2026-11-27"), field.Date, []string{"2026-11-26", "2026-11-27T08:30:00Z", "2026-11-28"}, 2},
		{is("=", "2026"), field.Date, []string{"2025-12-31", "2026-11"}, 1},
		{is("=", "2026-11-27"), field.Date, []string{"2026-10", "2026-11"}, never}, // the day is not known
		{api.Condition{Op: ">", Against: "highest"}, field.Date, []string{"2026-02-01", "2026-01-01", "2026-03-01"}, 2},
		{by("5", "", ""), field.Number, []string{"10", "14.99", "20"}, 2},
		{by("5 EUR", "", ""), field.Money, []string{"€10", "€15"}, 1},
		{by("5 EUR", "", ""), field.Money, []string{"$10", "$15"}, never},
		{by("10", "%", ""), field.Number, []string{"0", "0", "0.01"}, 2}, // any difference from zero
		{by("10", "%", "first"), field.Number, []string{"100", "105", "109.99", "110"}, 3},
		{by("10", "%", "highest"), field.Number, []string{"100", "105", "110", "99"}, 3},
		{by("50", "%", ""), field.Number, []string{"-10", "-14", "-7"}, 2},
		{by("1", "", ""), field.Date, []string{"2026-01-01", "2026-03-01"}, never},
		{api.Condition{Op: "fromTo", From: "InStock"}, field.Availability, []string{"InStock", "", "SoldOut"}, 2},
		{api.Condition{Op: "fromTo", From: "79", To: "80"}, field.Number, []string{"79", "78", "80"}, never},
		{api.Condition{Op: "fromTo"}, field.Text, []string{"1.4.2", "1.4.2", "1.5.0"}, 2},
		{api.Condition{Op: "fromTo"}, field.Text, []string{"1.4.2", "", "1.4.2"}, never},
		{api.Condition{Op: "fromTo"}, field.Money, []string{"", "€10", "$10"}, 2},
		{api.Condition{Op: "disappears", First: true}, field.Number, []string{""}, 0},
		{api.Condition{Op: "disappears"}, field.Number, []string{"", "", "1", ""}, 3},
	} {
		if have := firesAt(t, tc.c, tc.of, tc.seen...); have != tc.want {
			t.Errorf("%+v, %s %v: fires at %d, want %d", tc.c, tc.of, tc.seen, have, tc.want)
		}
	}
}

// TestG2ConstantsInJSON checks that a constant may be a number or text in JSON, and nothing else (G2).
func TestG2ConstantsInJSON(t *testing.T) {
	for text, want := range map[string]api.Constant{`80`: "80", `-0.5`: "-0.5", `"80 EUR"`: "80 EUR", `null`: "",
		`1299.00`: "1299.00", `true`: "!", `[1]`: "!", `{}`: "!"} {
		var c api.Condition
		err := json.Unmarshal([]byte(`{"value":`+text+`}`), &c)
		if refused := want == "!"; refused != (err != nil) || !refused && c.Value != want {
			t.Errorf("%s: %q, %v; want %q", text, c.Value, err, want)
		}
	}
}

// TestG2AskedForWhatChangesAtOnce checks that a condition fires at the first check after somebody asked for the field,
// if the value differs from what was stored then. One that also takes the first value fires where it holds (G2).
func TestG2AskedForWhatChangesAtOnce(t *testing.T) {
	for _, tt := range []struct {
		was, is string
		first   bool
		fires   bool
	}{
		{"99 EUR", "78 EUR", false, true},
		{"79 EUR", "78 EUR", false, false},
		{"79 EUR", "78 EUR", true, true},
		{"99 EUR", "98 EUR", true, false},
	} {
		c, err := condition.Parse(api.Condition{Field: "price", Op: "<", Value: "80 EUR", First: tt.first})
		if err != nil {
			t.Fatal(err)
		}
		change := field.Change{Name: "price", State: field.Found, Begins: true,
			Then: field.Moment{Value: read(t, field.Money, tt.was)}, Now: field.Moment{Value: read(t, field.Money, tt.is)}}
		if _, fires := c.Fires([]field.Change{change}); fires != tt.fires {
			t.Errorf("%+v: fires %t", tt, fires)
		}
	}
}
