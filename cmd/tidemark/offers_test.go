package main

import "testing"

// TestOffersCommand checks the command that lists what a page offers to be told of.
func TestOffersCommand(t *testing.T) {
	const two = `{"offers":[{"kind":"price","name":"Lamp\u001b","text":"79 EUR","value":79,"unit":"EUR","every":"1h",` +
		`"watch":{"fields":{"price":{"from":"declared"}}},"when":{"field":"price","op":"<","value":"79 EUR"}},` +
		`{"kind":"list","name":"Jobs","text":"Warden; Nurse","entries":2,"every":"6h","watch":{"include":[".jobs"]}}]}`
	performAll(t, []script{
		{name: "listed", args: []string{"offers", "url_p"}, answers: []answered{{200, two}},
			asked: []string{"GET /api/items/url_p/offers"},
			out: "price   Lamp�: 79 EUR\n        watch: values of the page price=declared\n" +
				"        checked every 1h, when price < 79 EUR\n" +
				"list    Jobs: Warden; Nurse (2 entries)\n        watch: only these parts .jobs\n        checked every 6h\n"},
		{name: "none", args: []string{"offers", "url_p"}, answers: []answered{{200, `{"offers":[]}`}},
			out: "the page shows no price, no availability, no list and no number with a name\n"},
	})
}
