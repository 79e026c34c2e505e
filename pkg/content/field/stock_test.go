package field

import "testing"

// TestG1Availabilities checks what shops write of the availability of a product (G1).
func TestG1Availabilities(t *testing.T) {
	for text, want := range map[string]string{
		"https://schema.org/InStock": "InStock", "in stock": "InStock", "oos": "OutOfStock", "Auf Lager": "InStock",
		"Nicht auf Lager": "OutOfStock", "Sofort lieferbar, Lieferzeit 1-3 Tage": "InStock", "Ausverkauft": "SoldOut",
		"Rupture de stock": "OutOfStock", "Only 3 left!": "LimitedAvailability", "En stock": "InStock",
		"Agotado": "SoldOut",
		"在庫あり":    "InStock", "在庫なし": "OutOfStock", "売り切れました": "SoldOut", "På lager": "InStock",
		"Ikke på lager":    "OutOfStock",
		"Brak w magazynie": "OutOfStock", "Esgotado": "SoldOut", "Not available online": "OutOfStock",
		"Diese Größe ist nicht mehr lieferbar": "Discontinued", "Vorbestellbar ab 3. Mai": "PreOrder",
	} {
		if v, why, ok := Parse(Availability, text, Hint{}); !ok || v.Text != want {
			t.Errorf("%q: have %q %s, want %s", text, v.Text, why, want)
		}
	}
	for _, text := range []string{"", "Read more", "instockholm", "3"} {
		if v, _, ok := Parse(Availability, text, Hint{}); ok {
			t.Errorf("%q: have %s", text, v.Text)
		}
	}
}

// TestG1Dates checks that dates are as precise as the text is, and that a date that may be two is refused (G1).
func TestG1Dates(t *testing.T) {
	for _, tc := range []struct{ text, locale, want string }{
		{"2026", "", "2026"}, {"2026-11", "", "2026-11"}, {"2026-11-27", "", "2026-11-27"},
		{"2026-11-27T09:30:00+01:00", "", "2026-11-27T08:30:00Z"}, {"2026-11-27T09:30:00", "", "2026-11-27T09:30:00"},
		{"Fri, 27 Nov 2026 08:30:00 GMT", "", "2026-11-27T08:30:00Z"}, {"27. November 2026", "de", "2026-11-27"},
		{"le 27 novembre 2026", "fr", "2026-11-27"}, {"2026年11月27日", "ja", "2026-11-27"}, {"27/11/2026", "",
			"2026-11-27"},
		{"05/06/2026", "en-US", "2026-05-06"}, {"05/06/2026", "en-GB", "2026-06-05"}, {"05.06.2026", "de", "2026-06-05"},
		{"05/06/2026", "en", ""}, {"05/06/2026", "", ""}, {"31/02/2026", "de", ""}, {"soon", "", ""}, {"", "", ""},
		{"0000-00-00", "", ""}, {"2026-02-30", "", ""},
	} {
		if v, why, ok := Parse(Date, tc.text, Hint{Locale: tc.locale}); v.Text != tc.want || ok != (tc.want != "") {
			t.Errorf("%q in %q: have %q %s, want %q", tc.text, tc.locale, v.Text, why, tc.want)
		}
	}
}

// TestG1Numbers checks numbers in texts (G1).
func TestG1Numbers(t *testing.T) {
	for _, tc := range []struct{ text, locale, want string }{
		{"1,234 reviews", "en", "1234"}, {"1.234 Bewertungen", "de", "1234"}, {"4,5 Sterne", "de", "4.5"}, {"-5 °C", "",
			"-5"},
		{"1.299", "en", "1.299"}, {"1.299", "", ""}, {"20 %", "", "20"}, {"pages 5-7", "", ""}, {"iPhone17 12", "", "12"},
		{"none", "", ""}, {"１２３", "", "123"}, {"5, 5", "", "5"},
	} {
		if v, why, ok := Parse(Number, tc.text, Hint{Locale: tc.locale}); string(v.Number) != tc.want ||
			ok != (tc.want != "") {
			t.Errorf("%q in %q: have %q %s, want %q", tc.text, tc.locale, v.Number, why, tc.want)
		}
	}
}
