package field

import "testing"

// G5: TestG5Proposals checks which field is proposed for the text of an element, with its value and unit.
func TestG5Proposals(t *testing.T) {
	for _, tc := range []struct{ html, want string }{
		{"€ 199.00", "price money 199 EUR"}, {"1.299,00 €", "price money 1299 EUR"}, {"$ 5", "price money 5"},
		{"<s>€ 249</s> € 199", "price money 199 EUR"}, {"-5,00 €", "price money -5 EUR"},
		{"4 places left", "places-left number 4 places left"}, {"Places left: 4", "places-left number 4"},
		{"20 %", "number number 20 %"}, {"-5 °C", "number number -5 °C"}, {"1,234 reviews", "reviews number 1234 reviews"},
		{"42", "number number 42"}, {"12 March", "date date --03-12"}, {"March 12th", "date date --03-12"},
		{"Fri, 12 March", "date date --03-12"}, {"3月12日", "date date --03-12"}, {"le 12 mars", "date date --03-12"},
		{"12 March 2027", "date date 2027-03-12"},
		{`<time datetime="2027-03-12">Friday</time>`, ""}, {`Closes <time datetime="2027-03-12">on 12 March</time>`,
			"date date 2027-03-12"},
		{"In stock", "availability availability InStock"}, {"Back in stock soon", "availability availability OutOfStock"},
		{"Only 4 left in stock", "availability availability LimitedAvailability"},
		{"Lamp", ""}, {"", ""}, {"From 3 to 5 people", ""}, {"30 February", "february number 30 February"},
		{"Room 12 is open from 10 to 18", ""}, {"2027", "number number 2027"},
	} {
		have := ""
		if got, ok := pageOf(t, "<html lang=en><p class=x>"+tc.html+"</p>").Propose(".x"); ok {
			have = got.Spec.Name + " " + string(got.Spec.Type) + " " + got.Value.String()
			if got.Unit != "" {
				have += " " + got.Unit
			}
		}
		if have != tc.want {
			t.Errorf("%s: have %q, want %q", tc.html, have, tc.want)
		}
	}
	if got, ok := pageOf(t, "<p class=x>5 €<p class=x>6 €").Propose(".x"); ok {
		t.Errorf("two elements: have %+v", got)
	}
}
