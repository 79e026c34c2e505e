package field

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"pgregory.net/rapid"
)

// TestG1Decimals checks that a number has one form (G1).
func TestG1Decimals(t *testing.T) {
	for text, want := range map[string]Decimal{
		"79": "79", "079.90": "79.9", "0": "0", "-0.0": "0", "+5": "5", "-5.50": "-5.5", ".5": "0.5", "5.": "5",
		"1.5E3": "1500", "12e-1": "1.2", "1e-12": "0.000000000001", "79.900000000000006": "79.9", "0.9999999999999": "1",
	} {
		if have, ok := ParseDecimal(text); !ok || have != want {
			t.Errorf("%s: have %q %v, want %q", text, have, ok, want)
		}
	}
	for _, text := range []string{"", ".", "-", "1,5", "1e", "1e999", "NaN", "0x1", "1 0", "--1", "1.2.3",
		strings.Repeat("9", 25), strings.Repeat("0", 999)} {
		if have, ok := ParseDecimal(text); ok {
			t.Errorf("%.20s: have %q, want no number", text, have)
		}
	}
}

// decimals generates numbers in their form.
var decimals = rapid.Custom(func(t *rapid.T) Decimal {
	d, ok := ParseDecimal(rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,12})?`).Draw(t, "number"))
	if !ok {
		t.Fatal("not a number")
	}
	return d
})

// TestG1DecimalsAreExact checks numbers against those of math/big (G1).
func TestG1DecimalsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals.Draw(t, "a"), decimals.Draw(t, "b")
		x, _ := new(big.Rat).SetString(string(a))
		y, _ := new(big.Rat).SetString(string(b))
		if a.Compare(b) != x.Cmp(y) {
			t.Fatalf("%s and %s: have %d", a, b, a.Compare(b))
		}
		if (a == b) != (x.Cmp(y) == 0) {
			t.Fatalf("%s and %s are one number in two forms", a, b)
		}
		if have := a.minus(b).Rat(); have.Cmp(x.Sub(x, y)) != 0 {
			t.Fatalf("%s - %s: have %s", a, b, have)
		}
	})
}

func money(number, code string) Value {
	return Value{Type: Money, Number: Decimal(number), Currency: code}
}

// TestG1Strings checks how values are written for people (G1).
func TestG1Strings(t *testing.T) {
	for _, tc := range []struct {
		v    Value
		want string
	}{
		{money("79", "EUR"), "79 EUR"}, {money("12.9", "EUR"), "12.90 EUR"}, {money("12.5", ""), "12.50"},
		{money("12.5", "KWD"), "12.500 KWD"}, {money("0.125", "EUR"), "0.125 EUR"}, {money("1500", "JPY"), "1500 JPY"},
		{Value{Type: Money, Number: "5", High: "9.5", Currency: "CHF"}, "5–9.50 CHF"},
		{Value{Type: Money, Number: "9.9", Currency: "EUR", From: true, Per: "month"}, "from 9.90 EUR per month"},
		{Value{Type: Number, Number: "4.5"}, "4.5"}, {Value{Type: Availability, Text: "InStock"}, "InStock"},
		{Value{Type: Date, Text: "2026-11"}, "2026-11"}, {Value{}, ""},
	} {
		if have := tc.v.String(); have != tc.want {
			t.Errorf("%+v: have %q, want %q", tc.v, have, tc.want)
		}
	}
}

// TestG1Compare checks which values are equal, and which have an order (G1).
func TestG1Compare(t *testing.T) {
	date := func(text string) Value { return Value{Type: Date, Text: text} }
	word := func(text string) Value { return Value{Type: Availability, Text: text} }
	for _, tc := range []struct {
		a, b  Value
		order int
		ok    bool
	}{
		{money("9", "EUR"), money("10", "EUR"), -1, true}, {money("10", "EUR"), money("10", "EUR"), 0, true},
		{money("9", "EUR"), money("9", "USD"), 0, false}, {money("9", "EUR"), Value{Type: Number, Number: "9"}, 0, false},
		{Value{Type: Money, Number: "5", High: "9"}, money("5", ""), 1, true},
		{Value{Type: Money, Number: "5", Per: "kg"}, money("5", ""), 0, false},
		{date("2026-11-27"), date("2026-12-01"), -1, true}, {date("2026-11-27"), date("2026-11"), 0, false},
		{date("2026-11-27T08:00:00Z"), date("2026-11-27T07:00:00Z"), 1, true}, {date("2026"), date("2025-12"), 1, true},
		{date("2026-11-27T08:00:00Z"), date("2026-11-27"), 0, false},
		{date("2026-11-27T08:00:00Z"), date("2026-11-27T08:00:00"), 0, false},
		{word("InStock"), word("InStock"), 0, true}, {word("InStock"), word("SoldOut"), 0, false},
		{Value{}, Value{}, 0, false},
	} {
		if order, ok := tc.a.Compare(tc.b); order != tc.order || ok != tc.ok {
			t.Errorf("%v and %v: have %d %v", tc.a, tc.b, order, ok)
		}
		if order, ok := tc.b.Compare(tc.a); order != -tc.order || ok != tc.ok {
			t.Errorf("%v and %v: have %d %v", tc.b, tc.a, order, ok)
		}
	}
	a, b := money("79", "EUR"), money("79", "EUR")
	a.Shown, b.Shown = "79,00 €", "EUR 79.00"
	if !a.Equal(b) || a.Equal(money("79", "USD")) {
		t.Error("what a page shows decides whether values are equal")
	}
}

// TestG1Rows checks that a result is short in a row, and read as it was written (G1).
func TestG1Rows(t *testing.T) {
	r := Result{Price, Found, Value{Type: Money, Number: "1299", Currency: "EUR", Shown: "1.299,00 €"},
		Evidence{JSONLD, "Product.offers.price", "1.299,00 €", ""}}
	text, err := json.Marshal(r)
	const want = `{"name":"price","state":"value","v":{"t":"money","n":"1299","c":"EUR","as":"1.299,00 €"},` +
		`"by":{"src":"json-ld","at":"Product.offers.price","x":"1.299,00 €"}}`
	if err != nil || string(text) != want {
		t.Errorf("have %s %v\nwant %s", text, err, want)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil || back != r {
		t.Errorf("have %+v %v, want %+v", back, err, r)
	}
	if text, _ := json.Marshal(Result{Name: Price, State: Gone}); string(text) != `{"name":"price","state":"gone"}` {
		t.Errorf("without a value: %s", text)
	}
}

// TestG1Specs checks which fields are refused, and that the refusal names the part that is wrong (G1).
func TestG1Specs(t *testing.T) {
	good := Spec{Name: "price", Type: Money, Source: CSS, At: ".price"}
	for _, tc := range []struct {
		change func(*Spec)
		field  string
	}{
		{func(*Spec) {}, ""}, {func(s *Spec) { s.Name = " " }, "name"}, {func(s *Spec) { s.Name = "a " }, "name"},
		{func(s *Spec) { s.Name = strings.Repeat("a", 61) }, "name"}, {func(s *Spec) { s.Type = "float" }, "type"},
		{func(s *Spec) { s.Locale = "no tag" }, "locale"}, {func(s *Spec) { s.Locale = "de-CH" }, ""},
		{func(s *Spec) { s.Source = "xpath" }, "source"}, {func(s *Spec) { s.At = "" }, "at"},
	} {
		s := good
		tc.change(&s)
		if have := fault.FieldOf(s.Check()); have != tc.field || (s.Check() == nil) != (tc.field == "") {
			t.Errorf("%+v: have %q, want %q", s, have, tc.field)
		}
	}
}

// TestG3WhatBreaks checks which fields break when their source is gone, and which changes are told unasked (G3).
func TestG3WhatBreaks(t *testing.T) {
	for _, name := range []string{Price, variants, Author, "mine"} {
		if !breaks(name) {
			t.Errorf("%s does not break", name)
		}
	}
	if breaks(SalePrice) || breaks(Stock) {
		t.Error("a sale price or an availability breaks")
	}
	if !Reported(Price) || !Reported(SalePrice) || !Reported(Stock) ||
		Reported(Currency) || Reported(variants) || Reported(modified) {
		t.Error("other fields than price, sale price and availability are told unasked")
	}
}
