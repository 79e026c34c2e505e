package main

import "testing"

// TestW11Settings checks the commands that change the settings of one item, and of many items at once (W9, W11).
func TestW11Settings(t *testing.T) {
	const added = `{"items":[{"source":"https://a.example/","item":{"id":"url_a","displaySource":"https://a.example/"}}]}`
	const begun = `{"id":"bulk-1","op":"pause","status":"running"}`
	performAll(t, []script{
		{name: "watch", args: []string{"watch", "https://a.example/", "--every", "1h..7d", "--tag", "news,shop",
			"--priority", "0", "--hours", "08:00-18:00", "--days", "mon,fri", "--timezone", "Europe/Paris", "--ignore", "x, y"},
			answers: []answered{{202, added}}, asked: []string{`POST /api/AddUrlDocument ` +
				`{"urls":["https://a.example/"],"tags":["news","shop"],"watch":{"ignore":["x, y"]},` +
				`"interval":{"min":"1h","max":"7d"},"activeHours":{"from":"08:00","to":"18:00","days":["mon","fri"],` +
				`"timezone":"Europe/Paris"},"priority":0}`}, out: "url_a              https://a.example/\n"},
		{name: "on a schedule", args: []string{"watch", "https://a.example/", "--schedule", "0 9 * * 1-5", "--pause"},
			answers: []answered{{202, added}}, asked: []string{`POST /api/AddUrlDocument ` +
				`{"urls":["https://a.example/"],"schedule":{"cron":"0 9 * * 1-5"},"paused":true}`},
			out: "url_a              https://a.example/\n"},
		{name: "half of the hours", args: []string{"watch", "https://a.example/", "--hours", "8"}, code: 2,
			err: "tidemark: invalid argument \"8\" for \"--hours\" flag: give two times of day, as 08:00-18:00\n" +
				"see `tidemark watch --help`\n"},
		{name: "a tag", args: []string{"tag", "set", "news", "--schedule", "daily at 9am"},
			answers: []answered{{200, `{"name":"news","schedule":{"text":"daily at 9am"}}`}},
			asked:   []string{`PATCH /api/tags/news {"schedule":{"text":"daily at 9am"}}`},
			out:     "the tag news sets: schedule daily at 9am, UTC\n"},
		{name: "tags", args: []string{"tag", "list"}, answers: []answered{{200,
			`{"tags":[{"name":"news","interval":{"min":"1h"},"priority":7,"watch":{"trigger":"x"}}]}`}},
			out: "TAG   SETS\nnews  only if the text matches x; checked at most every hour; priority 7\n"},
		{name: "tags with values", args: []string{"tag", "list"}, answers: []answered{{200,
			`{"tags":[{"name":"a","watch":{"fields":{"price":{"from":"declared"}}}},
			{"name":"b","watch":{"ignore":["x"],"fields":{"a":{"from":"declared"},"b":{"from":"declared"}}}}]}`}},
			out: "TAG  SETS\na    values of the page price=declared\n" +
				"b    ignored lines x; values of the page a=declared; values of the page b=declared\n"},
		{name: "a tag ends", args: []string{"tag", "remove", "news"}, answers: []answered{{200, `{"name":"news"}`}},
			out: "the tag news sets nothing any more\n", asked: []string{"DELETE /api/tags/news"}},
		{name: "tagged", args: []string{"tag", "apply", "news", "https://a.example/"},
			answers: []answered{{202, added}, {202, begun}}, out: "begun: bulk-1\n",
			asked: []string{`POST /api/AddUrlDocument {"urls":["https://a.example/"]}`,
				`POST /api/items/bulk {"ids":["url_a"],"op":"tag","tag":"news"}`}},
		{name: "a tag to choose by", args: []string{"bulk", "pause", "--tag", "sea"}, code: 2,
			err: "tidemark: --tag is what tag and untag put on and take off: choose sources by --has-tag\n" +
				"see `tidemark bulk --help`\n"},
		{name: "many", args: []string{"bulk", "pause", "--host", "A.example", "--status", "error"},
			answers: []answered{{202, begun}}, out: "begun: bulk-1\n",
			asked: []string{`POST /api/items/bulk {"filter":{"host":"a.example","status":"Error"},"op":"pause"}`}},
		{name: "sorted", args: []string{"items", "--tag", "news", "--sort", "-lastChanged"},
			answers: []answered{{200, `{"items":[]}`}}, out: "no sources\n",
			asked: []string{"GET /api/items?sort=-lastChanged&tag=news&top=50"}},
	})
}
