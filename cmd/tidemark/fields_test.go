package main

import (
	"strings"
	"testing"
)

const (
	pricedDetail = `{"id":"url_p","status":"Indexed","displaySource":"https://a.example/lamp","fields":{
	"price":{"value":84.5,"currency":"EUR","text":"84.50\u001b EUR","state":"value","at":"2026-02-28T09:00:00Z","entries":3,
	"first":{"text":"79 EUR","at":"2026-02-01T09:00:00Z"},"lowest":{"text":"72 EUR","at":"2026-02-14T09:00:00Z"},
	"highest":{"text":"84.50 EUR","at":"2026-02-28T09:00:00Z"}},
	"note":{"value":null,"state":"gone","why":".note finds nothing","entries":0},
	"sale":{"value":null,"state":"disappeared","last":"69 EUR","entries":2}}}`
	unreadDetail = `{"id":"url_w","status":"Indexed","displaySource":"https://a.example/lamp",
	"unreadData":{"blocks":1,"why":"it ends too early","text":"{"}}`
	priceHistory = `{"name":"price","entries":[
	{"value":null,"at":"2026-02-14T09:00:00Z","why":"no offer"},
	{"value":84.5,"currency":"EUR","text":"84.50 EUR","at":"2026-02-28T09:00:00Z"}],"older":1,"notKept":2}`
	priceCSV = "at,value,currency,text,capture\r\n2026-02-28T09:00:00Z,84.5,EUR,84.50 EUR,\r\n"
)

// oneLine is an answer as --json prints it.
func oneLine(answer string) string {
	return strings.NewReplacer("\n", "", "\t", "").Replace(answer) + "\n"
}

// TestG1FieldsCommand checks that the command shows the values of a page and the history of one, and writes the
// history as the API gives it (G1).
func TestG1FieldsCommand(t *testing.T) {
	item, both := answered{body: pricedDetail}, []answered{{body: pricedDetail}, {body: priceHistory}}
	performAll(t, []script{
		{name: "the values", args: []string{"fields", "url_p"}, answers: []answered{item}, out: `
NAME   VALUE       SINCE       FIRST                 LOWEST                HIGHEST                  STATE
note   none                                                                                         gone: .note finds nothing
price  84.50� EUR  2026-02-28  79 EUR on 2026-02-01  72 EUR on 2026-02-14  84.50 EUR on 2026-02-28  value
sale   none                                                                                         disappeared: it was 69 EUR
`},
		{name: "no values", args: []string{"fields", "url_w"}, answers: []answered{{body: watchedDetail}},
			out: "no values have been read from this page; to read one, use `tidemark watch URL --field`\n"},
		{name: "what is not read", args: []string{"fields", "url_w"}, answers: []answered{{body: unreadDetail}},
			out: "no values have been read from this page; to read one, use `tidemark watch URL --field`\n",
			err: "tidemark: 1 block of the data that the page declares could not be read: it ends too early, at “{”\n"},
		{name: "why", args: []string{"why", "url_w"}, answers: []answered{{body: unreadDetail}, {body: `{"mutes":[]}`}},
			out: "Indexed  https://a.example/lamp\nnot read: 1 block of the data that the page declares could not be read: " +
				"it ends too early, at “{”\nnothing was decided yet\nno further check is planned\n"},
		{name: "the answer", args: []string{"fields", "url_p", "--json"}, answers: []answered{item},
			out: oneLine(pricedDetail)},
		{name: "a history", args: []string{"fields", "url_p", "price"}, answers: both,
			asked: []string{"GET /api/items/url_p", "GET /api/items/url_p/fields/price?top=50"},
			out:   "2026-02-14 09:00:00Z  none: no offer\n2026-02-28 09:00:00Z  84.50 EUR\n",
			err: "tidemark: 1 value before these: see --top, or --csv for all\n" +
				"tidemark: 2 values before are not kept any more\n"},
		{name: "the history as the answer", args: []string{"fields", "url_p", "price", "--top", "2", "--json"},
			answers: both,
			out:     oneLine(priceHistory)},
		{name: "as CSV", args: []string{"fields", "url_p", "sale price", "--csv"},
			answers: []answered{item, {body: priceCSV}},
			asked:   []string{"GET /api/items/url_p", "GET /api/items/url_p/fields/sale%20price?format=csv"}, out: priceCSV},
	})
}

// TestG1FieldsCommandRefuses checks that the command says what is wrong (G1).
func TestG1FieldsCommandRefuses(t *testing.T) {
	none := answered{404, `{"title":"Not Found","status":404,` +
		`"detail":"no field \"cost\" of this page has been read; there are note, price"}`}
	const see = "\nsee `tidemark fields --help`\n"
	performAll(t, []script{
		{name: "no such value", args: []string{"fields", "url_p", "cost"}, code: 1,
			answers: []answered{{body: pricedDetail}, none},
			err:     "tidemark: no field \"cost\" of this page has been read; there are note, price\n"},
		{name: "no such value as CSV", args: []string{"fields", "url_p", "cost", "--csv"}, code: 1,
			answers: []answered{{body: pricedDetail}, none},
			err:     "tidemark: no field \"cost\" of this page has been read; there are note, price\n"},
		{name: "no such page", args: []string{"fields", "url_q", "price"}, code: 1,
			answers: []answered{{404, `{"title":"Not Found","status":404,"detail":"no item url_q"}`}},
			err:     "tidemark: no item url_q\n"},
		{name: "no page", args: []string{"fields"}, code: 2,
			err: "tidemark: give one id or source, and maybe a name of a value, not 0 arguments" + see},
		{name: "CSV of what", args: []string{"fields", "url_p", "--csv"}, code: 2,
			err: "tidemark: --csv and --top are for the history of one value: give its name, too" + see},
		{name: "CSV or JSON", args: []string{"fields", "url_p", "price", "--csv", "--json"}, code: 2,
			err: "tidemark: --csv writes the whole history as CSV: leave --json and --top out" + see},
		{name: "too many", args: []string{"fields", "url_p", "price", "--top", "6000"}, code: 2,
			err: "tidemark: --top is 6000: give 1 to 5001" + see},
	})
}

// TestG2RuleThatNoPageMeets checks that the command says at once that no page meets the condition of a rule (G2).
func TestG2RuleThatNoPageMeets(t *testing.T) {
	performAll(t, []script{
		{name: "a rule that no page meets", args: []string{"rules", "add", "Cheap", "--when", "sale price < 10", "--channel",
			"ops"}, answers: []answered{{body: `{"id":"rule_a","name":"Cheap","warning":"no page has it"}`}},
			asked: []string{`POST /api/rules {"name":"Cheap","channels":["ops"],` +
				`"when":{"field":"salePrice","op":"<","value":"10"}}`},
			out: "rule Cheap made; it applies to changes from now on: rule_a\nthe rule reports nothing: no page has it\n" +
				asOften},
	})
}

// TestQ18RulesThatCannotFire checks that the commands say why a rule is not saved and what to do about it, save it
// anyway, send what holds already, and list such rules (Q18).
func TestQ18RulesThatCannotFire(t *testing.T) {
	add := []string{"rules", "add", "Cheap", "--when", "price < 180", "--channel", "ops"}
	spec := `{"name":"Cheap","channels":["ops"],"when":{"field":"price","op":"<","value":"180"}`
	const cannot = `"cannot":[{"item":"url_a","title":"Lamp","why":"the page has no value named \"price\"","remedy":"choose one"}]`
	const proposal = "its pages are checked as often as their settings say; " +
		"--every 1d is proposed: about 1 request a day\n"
	const firing = "  Lamp: the page has no value named \"price\"\n    what to do: choose one\n"
	performAll(t, []script{
		{name: "it is refused", args: add, code: 1, asked: []string{"POST /api/rules " + spec + "}"},
			answers: []answered{{409, `{"status":409,"detail":"the rule is not saved: Lamp: no value (choose one)",` + cannot + `}`}},
			err:     "tidemark: the rule is not saved: Lamp: no value (choose one); --anyway saves it\n"},
		{name: "anyway", args: append(add, "--anyway"), asked: []string{"POST /api/rules " + spec + `,"anyway":true}`},
			answers: []answered{{200, `{"id":"rule_a","name":"Cheap","warning":"no price",` + cannot + `,"cannotMore":2}`}},
			out: "rule Cheap made; it applies to changes from now on: rule_a\nthe rule reports nothing: no price\n" + firing +
				"  and 2 more pages\n" + proposal},
		{name: "on some pages", args: add, answers: []answered{{200, `{"id":"rule_a","name":"Cheap",` + cannot +
			`,"holds":[{"item":"url_b","title":"Desk","value":"39 EUR"}],"unexamined":true}`}},
			out: "rule Cheap made; it applies to changes from now on: rule_a\nit cannot fire on 1 page:\n" + firing +
				"there may be more pages, which were not examined\n" +
				"Desk: it is 39 EUR now, so the condition holds already; --now sends a message\n" + proposal},
		{name: "now", args: []string{"rules", "set", "rule_a", "--now"}, answers: []answered{{200, `{"name":"Cheap"}`}},
			asked: []string{`PATCH /api/rules/rule_a {"now":true}`}, out: "rule Cheap changed\n"},
		{name: "listed", args: []string{"rules", "list", "--cannot"}, asked: []string{"GET /api/rules?cannot=true&top=5000"},
			answers: []answered{{200, `{"rules":[{"id":"rule_a","name":"Cheap","channels":["ops"],"origin":"here",` +
				`"warning":"no price"}]}`}},
			out: "NAME   CHANGES  SENT     CHANNELS  FROM  ID      PROBLEM\n" +
				"Cheap  all      at once  ops       here  rule_a  cannot fire: no price\n"},
		{name: "at a page", args: []string{"why", "url_a"}, answers: []answered{{200, `{"id":"url_a","status":"Indexed",` +
			`"normalizedSource":"s"}`}}, beside: map[string][]string{"/api/items/url_a/why": {`{"rules":[{"rule":"rule_a",` +
			`"name":"Cheap","state":"cannot","why":"no price","remedy":"choose one"},{"rule":"rule_b","name":"All",` +
			`"state":"waits"}]}`}},
			out: "Indexed  s\nrule Cheap (rule_a): cannot fire: no price; what to do: choose one\nrule All (rule_b): waits\n" +
				"nothing was decided yet\nno further check is planned\n"},
	})
}
