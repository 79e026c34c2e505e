package field

import "testing"

// TestG4Amounts checks amounts as people write them (G4).
func TestG4Amounts(t *testing.T) {
	for _, tc := range []struct{ text, locale, declared, want string }{
		{"1.299,00 €", "", "", "1299 EUR"}, {"1'299.00 CHF", "", "", "1299 CHF"}, {"CHF 1’299.–", "de-CH", "",
			"1299 CHF"},
		{"1\u00a0299,00 €", "fr", "", "1299 EUR"}, {"1\u202f299,50\u00a0€", "fr", "", "1299.50 EUR"}, {"€79", "", "",
			"79 EUR"},
		{"¥1,980", "ja", "", "1980 JPY"}, {"￥1,980（税込）", "ja", "", "1980 JPY"}, {"1,980円", "", "", "1980 JPY"},
		{"1 299 kr", "sv", "", "1299 SEK"}, {"1.299,- kr.", "da", "", "1299 DKK"}, {"kr 1 299,00", "nb-NO", "",
			"1299 NOK"},
		{"1299,00 zł", "pl", "", "1299 PLN"}, {"R$ 1.299,90", "pt-BR", "", "1299.90 BRL"}, {"₹1,29,900.00", "", "",
			"129900 INR"},
		{"Rs. 12,34,567", "en-IN", "", "1234567 INR"}, {"$1,299.00", "en-US", "", "1299 USD"}, {"$1,299.00", "", "CAD",
			"1299 CAD"},
		{"$1,299.00", "en", "", "1299"}, {"US$ 79.90", "", "", "79.90 USD"}, {"79,90 EUR", "", "", "79.90 EUR"},
		{"USD79", "", "", "79 USD"}, {"from 12.90 €", "en", "", "from 12.90 EUR"}, {"ab 12,90 €", "de", "",
			"from 12.90 EUR"},
		{"À partir de 12,90 €", "fr", "", "from 12.90 EUR"}, {"$79+", "en-US", "", "from 79 USD"},
		{"12,90 € – 19,90 €", "", "", "12.90–19.90 EUR"}, {"12.90-19.90 €", "", "", "12.90–19.90 EUR"},
		{"$12.90 to $19.90", "en-US", "", "12.90–19.90 USD"}, {"€12.90—€19.90", "", "", "12.90–19.90 EUR"},
		{"1,99 € (3,98 €/kg)", "de", "", "1.99 EUR"}, {"1,99 € (1 kg = 3,98 €)", "de", "", "1.99 EUR"},
		{"3.98 €/kg", "", "", "3.98 EUR per kg"}, {"1,20 € je 100 g", "de", "", "1.20 EUR per 100 g"},
		{"2,49 € (100 g = 0,83 €)", "de", "", "2.49 EUR"}, {"1,299 €/l", "de", "", "1.299 EUR per l"},
		{"9,99 € / Monat", "de", "", "9.99 EUR per month"}, {"$9.99/mo", "en-US", "", "9.99 USD per month"},
		{"$9.99 per month", "en-US", "", "9.99 USD per month"}, {"9,99 € par mois", "fr", "", "9.99 EUR per month"},
		{"12,00 € / Stück", "de", "", "12 EUR"}, {"Was $99.00 Now $79.00", "en-US", "", "79 USD"},
		{"statt 99,00 € nur 79,00 €", "de", "", "79 EUR"}, {"79,00 € UVP 99,00 €", "de", "", "79 EUR"},
		{"$79.00 (save $20.00)", "en-US", "", "79 USD"}, {"$79.00 $20 off", "en-US", "", "79 USD"},
		{"79,00 € zzgl. 4,90 € Versand", "de", "", "79 EUR"}, {"Pack of 6 for €12.90", "en", "", "12.90 EUR"},
		{"-20% 79,00 €", "", "", "79 EUR"}, {"79,00 €79,00 €", "", "", "79 EUR"}, {"Free", "en", "USD", "0 USD"},
		{"79.00", "", "EUR", "79 EUR"}, {"79", "", "", "79"}, {".99 €", "", "", "0.99 EUR"}, {"1.299 €", "de", "",
			"1299 EUR"},
		{"1.299 €", "", "", "1299 EUR"}, {"1,299", "en", "USD", "1299 USD"}, {"12.500 ₫", "", "", "12500 VND"},
		{"12.500 KWD", "", "", "12.500 KWD"}, {"١٬٢٩٩٫٥٠ SAR", "ar", "", "1299.50 SAR"}, {"1.299.000 Rp", "id", "",
			"1299000 IDR"},
		{"12€90", "fr", "", "12.90 EUR"}, {"1 299€90 le lot", "fr", "", "1299.90 EUR"},
		{"5 €–10 €", "fr", "", "5–10 EUR"}, {"R$ 1.299,90 ou 10x de R$ 129,99", "pt-BR", "", "1299.90 BRL"},
		{"1 x 5,99 €", "de", "", "5.99 EUR"}, {"20 x 30 cm 5,99 €", "de", "", "5.99 EUR"},
		{"5 Kč", "", "", "5 CZK"}, {"2 990 Ft", "hu", "", "2990 HUF"}, {"1 999 ₽", "ru", "", "1999 RUB"}, {"R1 299.00",
			"", "", "1299 ZAR"},
	} {
		v, why, ok := Parse(Money, tc.text, Hint{Locale: tc.locale, Currency: tc.declared})
		if have := v.String(); !ok || have != tc.want {
			t.Errorf("%q in %q, %q declared: have %q %v (%s), want %q", tc.text, tc.locale, tc.declared, have, ok, why,
				tc.want)
		}
	}
}

// TestG4Refused checks that what is no amount, or means two, is refused, and says why if there is a number (G4).
func TestG4Refused(t *testing.T) {
	for _, tc := range []struct{ text, locale, declared, why string }{
		{"1.299", "", "", "1.299 may be thousands or decimals: neither currency nor language shows which"},
		{"$1.299", "en-US", "", "1.299 is ambiguous: it has three decimals in en-US, and amounts have two"},
		{"79 € 84 €", "", "", "the text has several amounts: 79 and 84"},
		{"5€10€", "fr", "", "the text has several amounts: 5 and 10"},
		{"10x R$ 129,99", "pt-BR", "", severalPieces}, {"3 for $10", "en-US", "", severalPieces},
		{"2 x 5,99 €", "de", "", severalPieces}, {"12x sem juros de R$ 10,00", "pt-BR", "", severalPieces},
		{"USD 1.5k", "en", "", otherCount}, {"£1.2m", "en-GB", "", otherCount}, {"$3 million", "en-US", "", otherCount},
		{"€ 1,5 Mio.", "de", "", otherCount}, {"¥3万", "ja", "", otherCount},
		{"99¢", "en-US", "", otherCount}, {"on request", "", "", ""}, {"", "", "", ""},
		{"$79", "", "EUR", "the text says USD, and EUR is declared"}, {"42 reviews", "en", "",
			"there is no currency next to the number"},
		{"1.2.3 €", "", "", "1.2.3 is not a number"}, {"12,34,56 €", "", "", "12,34,56 is not a number"}, {"20 %", "", "",
			"no money is found next to the digits"},
		{"SM7", "", "", "no money is found next to the digits"}, {"250g", "", "EUR", "no money is found next to the digits"},
	} {
		v, why, ok := Parse(Money, tc.text, Hint{Locale: tc.locale, Currency: tc.declared})
		if ok || why != tc.why {
			t.Errorf("%q: have %v %v, %q, want %q", tc.text, v, ok, why, tc.why)
		}
	}
}
