package condition

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestG2Sentences checks that conditions are read as people write them (G2).
func TestG2Sentences(t *testing.T) {
	for text, want := range map[string]api.Condition{
		"price < 80 EUR":                         {Field: "price", Op: Less, Value: "80 EUR"},
		" price<=80 ":                            {Field: "price", Op: atMost, Value: "80"},
		"price < the lowest":                     {Field: "price", Op: Less, Against: Lowest},
		"price >= the highest value":             {Field: "price", Op: atLeast, Against: highest},
		"price <":                                {Field: "price", Op: Less},
		"sale price < 10":                        {Field: "salePrice", Op: Less, Value: "10"},
		"Availability goes to InStock":           {Field: "availability", Op: FromTo, To: "InStock"},
		`"sale price" < 10`:                      {Field: "sale price", Op: Less, Value: "10"},
		`"a <b>" appears`:                        {Field: "a <b>", Op: Appears},
		"list price = 80":                        {Field: "list price", Op: Equal, Value: "80"},
		"price changes by 10 %":                  {Field: "price", Op: ChangedBy, Value: "10", Unit: Percent},
		"price changes by 5 EUR":                 {Field: "price", Op: ChangedBy, Value: "5 EUR"},
		"stock from InStock to OutOfStock":       {Field: "stock", Op: FromTo, From: "InStock", To: "OutOfStock"},
		"stock goes from a to \"from b to\"":     {Field: "stock", Op: FromTo, From: "a", To: "from b to"},
		"stock goes to InStock":                  {Field: "stock", Op: FromTo, To: "InStock"},
		"version changes":                        {Field: "version", Op: FromTo},
		"price disappears":                       {Field: "price", Op: Disappears},
		"price appears, also at the first check": {Field: "price", Op: Appears, First: true},
		"price changes by at least 5 against the first value": {Field: "price", Op: ChangedBy, Value: "5",
			Against: First},
	} {
		if got, err := fromText(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "price", "price is low", "goes to"} {
		if got, err := fromText(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for _, text := range sentences {
		if c, err := fromText(text); err != nil {
			t.Error(err)
		} else if _, err := Parse(c); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestG2SentencesAreReadBack checks that a condition that is written for people is read as the same condition (G2).
func TestG2SentencesAreReadBack(t *testing.T) {
	some := func(t *rapid.T, name string, all ...string) string { return rapid.SampledFrom(all).Draw(t, name) }
	rapid.Check(t, func(t *rapid.T) {
		constants := []string{"", "80", "80 EUR", "0.5", "2026-11-27", "InStock", "in stock",
			"https://schema.org/InStock", "red and blue", "from here to there"}
		spec := api.Condition{Field: some(t, "field", "price", "list price", "availability", "sale price",
			"Price", `a "b" < c`), Op: some(t, "op", Ops...),
			Value: api.Constant(some(t, "value", constants...)), From: api.Constant(some(t, "from", constants...)),
			To: api.Constant(some(t, "to", constants...)), Unit: some(t, "unit", "", Percent, Absolute),
			Against: some(t, "against", append([]string{""}, References...)...), First: rapid.Bool().Draw(t, "first")}
		c, err := Parse(spec)
		if err != nil {
			return
		}
		again, err := fromText(c.String())
		if err != nil {
			t.Fatalf("%q: %v", c, err)
		}
		if read, err := Parse(again); err != nil || read != c {
			t.Fatalf("%q is read as %q, %v", c, read, err)
		}
	})
}

// FuzzFromText checks that no text makes reading a condition fail otherwise than with an error, and that what is read
// is part of the text.
func FuzzFromText(f *testing.F) {
	for _, text := range sentences {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := fromText(text)
		if err == nil && (len(c.Field) > len(text) || c.Op == "") {
			t.Errorf("%q: %+v", text, c)
		}
	})
}
