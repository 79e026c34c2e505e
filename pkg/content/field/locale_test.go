package field

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
	"pgregory.net/rapid"
)

// manners are ways to write an amount in a locale: %s is the number, as CLDR writes it there.
var manners = []struct {
	locale, code string
	forms        []string
}{
	{"de-DE", "EUR", []string{"%s €", "%s EUR", "ab %s €", "%s € / Stück", "nur %s\u00a0€"}},
	{"de-CH", "CHF", []string{"CHF %s", "%s CHF", "Fr. %s"}},
	{"fr-FR", "EUR", []string{"%s\u00a0€", "À partir de %s €", "%s€"}},
	{"en-US", "USD", []string{"$%s", "USD %s", "US$%s", "$%s each"}},
	{"en-GB", "GBP", []string{"£%s", "GBP %s", "from £%s"}},
	{"en-IN", "INR", []string{"₹%s", "Rs. %s", "₹ %s"}},
	{"ja-JP", "JPY", []string{"¥%s", "%s円", "￥%s（税込）"}},
	{"sv-SE", "SEK", []string{"%s kr", "%s SEK", "från %s kr"}},
	{"da-DK", "DKK", []string{"%s kr.", "kr. %s"}},
	{"pl-PL", "PLN", []string{"%s zł", "od %s zł", "%s PLN"}},
	{"pt-BR", "BRL", []string{"R$ %s", "R$%s", "a partir de R$ %s"}},
	{"es-MX", "MXN", []string{"$%s", "MX$%s", "desde $%s"}},
	{"it-IT", "EUR", []string{"€ %s", "%s €"}},
	{"cs-CZ", "CZK", []string{"%s Kč"}},
	{"ar-SA", "SAR", []string{"%s SAR"}},
	{"ko-KR", "KRW", []string{"₩%s", "%s원"}},
}

// written writes an amount of hundredths in a manner.
func written(locale, form string, hundredths int64, digits int) string {
	p := message.NewPrinter(language.MustParse(locale))
	return fmt.Sprintf(form, p.Sprint(number.Decimal(float64(hundredths)/100, number.MinFractionDigits(digits),
		number.MaxFractionDigits(digits))))
}

// TestG4EveryLocale checks that an amount that is written as a locale does is read as the same amount (G4).
func TestG4EveryLocale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(manners).Draw(t, "locale")
		form := rapid.SampledFrom(m.forms).Draw(t, "form")
		hundredths := rapid.Int64Range(1, 9_999_999_99).Draw(t, "amount")
		decimals := decimalsOf(m.code)
		if decimals == 0 || rapid.Bool().Draw(t, "whole") {
			hundredths, decimals = (hundredths/100+1)*100, 0
		}
		text := written(m.locale, form, hundredths, decimals)
		want := Decimal(strings.TrimSuffix(strings.TrimRight(big.NewRat(hundredths, 100).FloatString(2), "0"), "."))
		v, why, ok := Parse(Money, text, Hint{Locale: m.locale})
		if !ok || v.Number != want || v.Currency != m.code {
			t.Fatalf("%q in %s: have %v %v (%s), want %s %s", text, m.locale, v, ok, why, want, m.code)
		}
		if v, why, ok = Parse(Money, text, Hint{Currency: m.code}); ok && v.Number != want {
			t.Fatalf("%q without a locale: have %v (%s), want %s or nothing", text, v, why, want)
		}
	})
}

// TestG4DecimalSigns checks the table of decimal signs against CLDR (G4).
func TestG4DecimalSigns(t *testing.T) {
	for locale := range strings.FieldsSeq(`en en-US en-GB en-IN de de-AT de-CH de-LI fr fr-CA it it-CH es es-MX es-US es-AR pt
		pt-BR nl sv da nb fi pl cs sk hu ro bg el tr ru uk ja zh zh-TW ko th he hi bn ta id vi lt lv et sl hr sr ca eu gl is
		ms sw ga cy mt ne km my`) {
		text := message.NewPrinter(language.MustParse(locale)).Sprint(number.Decimal(1.5))
		want := "."
		if strings.Contains(text, ",") {
			want = ","
		}
		if have := decimalSign(locale); have != want {
			t.Errorf("%s: have %q, want %q as in %s", locale, have, want, text)
		}
	}
	for _, none := range []string{"", "no tag at all", "x"} {
		if have := decimalSign(none); have != "" {
			t.Errorf("%q: have %q", none, have)
		}
	}
}

// FuzzParse checks that no text makes the reader panic, and that what it reads is within the bounds and is read again
// from what it writes.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"1.299,00 €", "from $12.90", "Rs. 12,34,567", "1'299.–", "(1 kg = 3,98 €)", ".5",
		"2026-11-27",
		"5–9 kr", "1 2 3", "−5", "١٬٢٩٩", "in stock", "\xff€1"} {
		f.Add(text, "de", "EUR", false)
	}
	f.Fuzz(func(t *testing.T, text, locale, code string, program bool) {
		for _, of := range []Type{Text, Number, Money, Date, Availability, "?"} {
			h := Hint{Locale: locale, Currency: codeOf(code), Program: program}
			v, _, ok := Parse(of, text, h)
			if ok == v.None() || len(v.Shown) > MaxExcerpt || len(v.Text) > MaxText || len(v.Per) > 60 {
				t.Fatalf("%s: %+v %v", of, v, ok)
			}
			for _, d := range []Decimal{v.Number, v.High} {
				if again, isNumber := ParseDecimal(string(d)); d != "" && (!isNumber || again != d) {
					t.Fatalf("%s: %q is not in its form", text, d)
				}
			}
			if again, why, ok := Parse(of, v.Text, Hint{}); v.Text != "" && (!ok || again.Text != v.Text) {
				t.Fatalf("%s: %q is read as %q: %s", of, v.Text, again.Text, why)
			}
			if order, ok := v.Compare(v); !v.None() && (!ok || order != 0 || !v.Equal(v)) {
				t.Fatalf("%+v is not itself", v)
			}
		}
	})
}
