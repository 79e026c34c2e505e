package main

import "testing"

// TestV4Pick checks that the texts of a page are listed with their numbers, that an element is tried on the captures,
// and that what was tried is saved as a change of the watch alone (V4).
func TestV4Pick(t *testing.T) {
	const item = `{"id":"url_p","status":"Indexed","normalizedSource":"https://a.example/",` +
		`"effective":{"watch":{"include":[".old"],"trigger":"x"},"from":{"watch.include":"item"}},` +
		`"captures":[{"sha256":"0123456789abcdef","capturedAt":"2026-03-01T11:00:00Z"}]}`
	const trial = `{"watch":{"include":[".price"],"trigger":"x"},"selector":".price","text":"79 EUR","larger":true,` +
		`"captures":[` +
		`{"sha256":"0123456789abcdef","current":true,"found":1,"text":"79\u001b EUR","cut":true,"out":2,"outText":"an ad",` +
		`"ignored":[{"hunk":"Seen","op":"removed","rule":"ignore: Seen"}],` +
		`"entries":[{"title":"One","url":"https://a.example/1"},` +
		`{"more":3}],"noEntry":"it is empty","fields":[{"name":"price","state":"gone","why":"nothing matches"}]},` +
		`{"sha256":"abc","at":"2026-02-28T12:00:00Z","why":"it is a PDF","found":0,"text":""}]}`
	const tried = `.price shows: 79 EUR
there is a larger element around it: see --larger
watch: only these parts .price; only if the text matches x
now                   0123456789ab  1 element: 79� EUR…; without 2 elements: an ad (it is empty)
    - Seen
    (ignored by ignore: Seen)
    One  https://a.example/1
    and 3 more entries
    price: gone (nothing matches)
2026-02-28 12:00:00Z  abc  not tried: it is a PDF
`
	const valued = `{"watch":{"include":[".old"],"trigger":"x","fields":{"places-left":{"from":"css","path":".left",` +
		`"type":"number"}}},"selector":".left","text":"4 places left","captures":[],` +
		`"value":{"name":"places-left","type":"number","text":"4","unit":"places left"}}`
	const listed, try9 = "GET /api/items/url_p/elements", `POST /api/items/url_p/watch/try {"capture":"c","element":9`
	const see = "\nsee `tidemark pick --help`\n"
	performAll(t, []script{
		{name: "listed", args: []string{"pick", "url_p", "--find", "EUR", "--capture", "0123"},
			answers: []answered{{200, item}, {200, `{"capture":"0123456789abcdef","at":"2026-03-01T11:00:00Z","total":300,` +
				`"cut":"of 400 lines, the first 300 are listed","lines":[{"element":4,"text":"Lamp","heading":true},` +
				`{"element":9,"text":"79 EUR","larger":true,"around":"aside","parts":[{"element":11,"text":"79"}]}]}`}},
			asked: []string{"GET /api/items/url_p", "GET /api/items/url_p/elements?capture=0123456789abcdef&find=EUR"},
			out: "    4  Lamp\n    9  aside: 79 EUR (and what is around it)\n       11  79\n" +
				"2 of 300 lines, captured 2026-03-01 11:00:00Z (0123456789ab)\n",
			err: "tidemark: of 400 lines, the first 300 are listed\n"},
		{name: "tried", args: []string{"pick", "url_p", "--element", "9", "--larger", "1", "--as", "only"},
			answers: []answered{{200, item}, {200, `{"capture":"c"}`}, {200, trial}}, out: tried,
			asked: []string{"GET /api/items/url_p", listed, try9 + `,"larger":1,"as":"only"}`}},
		{name: "saved", args: []string{"pick", "url_p", "--element", "9", "--save"},
			answers: []answered{{200, item}, {200, `{"capture":"c"}`}, {200, trial}, {200, `{"id":"url_p","watch":{"include":[".price"]}}`}},
			out:     tried + "url_p has the settings: only these parts .price\n",
			asked: []string{"GET /api/items/url_p", listed, try9 + `}`,
				`PATCH /api/items/url_p {"watch":{"include":[".price"]}}`}},
		{name: "its value", args: []string{"pick", "url_p", "--element", "9", "--as", "value", "--save"},
			answers: []answered{{200, item}, {200, `{"capture":"c"}`}, {200, valued}, {200, `{"id":"url_p","watch":{"include":[".old"]}}`}},
			out: ".left shows: 4 places left\nits value is places-left: 4 places left\n" +
				"watch: only these parts .old; only if the text matches x; values of the page places-left:number=css:.left\n" +
				"nothing of the page is kept yet\nurl_p has the settings: only these parts .old\n",
			asked: []string{"GET /api/items/url_p", listed, try9 + `,"as":"value"}`,
				`PATCH /api/items/url_p {"watch":{"fields":{"places-left":{"from":"css","path":".left","type":"number"}}}}`}},
		{name: "by its name", args: []string{"pick", "url_p", "--part", "Great Hall", "--scope", "alike", "--save"},
			answers: []answered{{200, item}, {200, `{"watch":{"include":[".jobs"],"trigger":"x","list":"tell","listLinks":[".jobs a"]},` +
				`"offers":[{"scope":"this","selector":"li:nth-of-type(3)","says":"the third entry","by":"place","found":[1,0,-1],` +
				`"steady":{"insertedAbove":false,"reordered":false,"another":["insertedAbove"]}},` +
				`{"scope":"alike","selector":".jobs","says":"all entries like this one","found":[2,2,-1],` +
				`"steady":{"insertedAbove":true,"reordered":true,"otherClasses":true}}],"captures":[]}`},
				{200, `{"id":"url_p","watch":{"include":[".jobs"]}}`}},
			asked: []string{"GET /api/items/url_p", `POST /api/items/url_p/watch/try {"text":"Great Hall","scope":"alike"}`,
				`PATCH /api/items/url_p {"watch":{"include":[".jobs"],"list":"tell","listLinks":[".jobs a"]}}`},
			out: "this    by its place: the third entry  li:nth-of-type(3)\n" +
				"    found in 1 of 2 captures; finds another thing when one is inserted above; " +
				"not found when they change places\n" +
				"alike   all entries like this one  .jobs\n    found in 2 of 2 captures; still found when one is inserted above; " +
				"still found when they change places; still found when classes get other endings\n" +
				"watch: only these parts .jobs; only if the text matches x; list new entries are told; " +
				"links of its entries .jobs a\n" +
				"nothing of the page is kept yet\nurl_p has the settings: only these parts .jobs\n"},
		{name: "settings", args: []string{"pick", "url_p", "--exclude", ".ad"},
			answers: []answered{{200, item}, {200, trial}}, out: tried, asked: []string{"GET /api/items/url_p",
				`POST /api/items/url_p/watch/try {"watch":{"include":[".old"],"exclude":[".ad"],"trigger":"x"}}`}},
		{name: "nothing to save", args: []string{"pick", "url_p", "--save"}, answers: []answered{{200, item}}, code: 2,
			err: "tidemark: give --element or --part, or what to watch, such as --include" + see},
		{name: "no such capture", args: []string{"pick", "url_p", "--capture", "ff"},
			answers: []answered{{200, item}}, code: 2,
			err: "tidemark: no capture of url_p begins with ff: `tidemark show` lists them" + see},
	})
}

// TestV4IgnoredLines checks that a hunk between two captures, and several patterns, are ignored (V4).
func TestV4IgnoredLines(t *testing.T) {
	const item = `{"id":"url_aaaaaaaaaaaaaaaaaaaaaaaaaa","captures":[{"sha256":"abc1"},{"sha256":"def2"}]}`
	const made = `{"rules":["^a"],"ignore":["^z","^a"],"saved":true,"changes":1}`
	const out = "of the last 1 change, 0 would have had such lines, and nobody would have been told of 0\n" +
		"lines with this do not count any more: ^a\nof this page, 2 rules are ignored now\n" +
		"`tidemark watch url_aaaaaaaaaaaaaaaaaaaaaaaaaa --undo` has them count again\n"
	const id, to = "url_aaaaaaaaaaaaaaaaaaaaaaaaaa", "POST /api/items/url_aaaaaaaaaaaaaaaaaaaaaaaaaa/ignore "
	performAll(t, []script{
		{name: "a hunk", args: []string{"watch", id, "--hunk", "2", "--from", "def", "--to", "abc",
			"--part", "watched"},
			answers: []answered{{200, item}, {200, made}}, out: out, asked: []string{"GET /api/items/" + id,
				to + `{"hunk":2,"from":"def2","to":"abc1","part":"watched"}`}},
		{name: "several", args: []string{"watch", id, "--ignore", "^a", "--ignore", "^b"},
			answers: []answered{{200, made}}, out: out, asked: []string{to + `{"patterns":["^a","^b"]}`}},
		{name: "what it was", args: []string{"watch", id, "--ignore-text", "5 seen", "--was", "4 seen"},
			answers: []answered{{200, made}}, out: out, asked: []string{to + `{"text":"5 seen","was":"4 seen"}`}},
	})
}

// TestV4ShowCapture checks that a capture is shown, and written (V4).
func TestV4ShowCapture(t *testing.T) {
	const item = `{"id":"url_p","captures":[{"sha256":"abc1","capturedAt":"2026-03-01T11:00:00Z","bytes":2000,` +
		`"statusCode":200,` +
		`"plainSha256":"ef","normalizationVersion":"v9"}]}`
	performAll(t, []script{
		{name: "shown", args: []string{"show", "url_p", "--capture", "ab"}, answers: []answered{{200, item}}, out: `
capture        abc1
captured       2026-03-01 11:00:00Z (1 hour ago)
sent by the source ef
size           2.0 KiB
answer         200
read by the rules v9
`},
		{name: "its bytes", args: []string{"show", "url_p", "--capture", "ab", "--plain"},
			answers: []answered{{200, item}, {200, "<html>"}}, out: "<html>",
			asked: []string{"GET /api/items/url_p", "GET /api/items/url_p/captures/abc1?plain=true&raw=true"}},
		{name: "of which", args: []string{"show", "url_p", "--raw"}, code: 2,
			err: "tidemark: --raw and --plain are of one capture: give --capture\nsee `tidemark show --help`\n"},
	})
}
