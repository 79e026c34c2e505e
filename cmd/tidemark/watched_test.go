package main

import "testing"

const watchedDetail = `{"id":"url_w","status":"Indexed","displaySource":"https://a.example/lamp","title":"Storm\u001b[2J lamp","tags":["prices","lamps"],
	"watchBroken":true,"why":".price finds nothing","effective":{"watch":{"include":[".price"],"ignore":["^Stock"]},
	"schedule":{"text":"weekdays at 9am","timezone":"Europe/Paris"},"interval":{"min":"1h","max":"7d"},"priority":7,
	"from":{"watch.include":"item","watch.ignore":"tag prices","schedule":"tag prices","interval":"default","priority":"item"}}}`

// TestW16ShowAndWhyOfAWatch checks that both commands say how a page is watched, and that its watch is broken (W16).
func TestW16ShowAndWhyOfAWatch(t *testing.T) {
	performAll(t, []script{
		{name: "show how it is watched", args: []string{"show", "url_w"}, answers: []answered{{200, watchedDetail}}, out: `
id             url_w
title          Storm�[2J lamp
source         https://a.example/lamp
status         Indexed
watch broken   .price finds nothing
tags           prices, lamps
only these parts .price
ignored lines  ^Stock (tag prices)
schedule       weekdays at 9am, Europe/Paris (tag prices)
priority       7
`},
		{name: "why says how it is watched", args: []string{"why", "url_w"}, answers: []answered{{200, watchedDetail}},
			beside: map[string][]string{"/api/mutes": {`{"mutes":[{"id":"m","itemId":"url_w","until":"2026-03-02T12:00:00Z"}]}`}},
			out: `
Indexed  Storm�[2J lamp  https://a.example/lamp
the watch is broken: .price finds nothing
tags: prices, lamps
only these parts: .price
ignored lines: ^Stock (tag prices)
schedule: weekdays at 9am, Europe/Paris (tag prices)
priority: 7
messages are muted until 2026-03-02 12:00:00Z
nothing was decided yet
no further check is planned
`},
	})
}

// TestW5ShowRule checks that a rule is shown with all that it asks for (W5).
func TestW5ShowRule(t *testing.T) {
	performAll(t, []script{
		{name: "a rule shown", args: []string{"rules", "show", "rule_a"}, answers: []answered{{body: dailyRule}},
			asked: []string{"GET /api/rules/rule_a"}, out: `
id             rule_a
enabled        yes
name           Prices
host           a.example
kinds of change gone
minimum share of the text 20%
sent to        ops
sent           daily
time of day    07:30
time zone      Europe/Paris
quiet hours    22:00 to 07:00, Asia/Tokyo
edited in      here
`},
	})
}
