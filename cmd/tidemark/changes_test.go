package main

import (
	"strings"
	"testing"
)

const (
	older = "7f1d441a34a57f04b64824c50957e28025a82762ed531468e096817902ea106f"
	newer = "3f235255ec5cd5c0512e41da251628669acaabb37a78a6c1568c91ed73cd0020"
)

// aChange is a change as the API lists it.
const aChange = `{"id":"1-2-1","itemId":"url_a","url":"https://a.example/","title":"Pri\u001b[2Jces","at":"2026-03-01T11:00:00Z",` +
	`"kind":"content","why":"the content is different: 1 word added, 1 removed","passages":[{"text":"It costs 5.",` +
	`"op":"removed"},{"text":"It costs 6.","op":"added"}],"from":"` + older + `","to":"` + newer + `"}`

func TestW3Changes(t *testing.T) {
	page := func(cursor, more string, changes ...string) string {
		return `{"changes":[` + strings.Join(changes, ",") + `],"cursor":"` + cursor + `"` + more + `}`
	}
	const shown = `content   https://a.example/
  2026-03-01 11:00:00Z, 1 hour ago, change 1-2-1
  Pri�[2Jces
  the content is different: 1 word added, 1 removed
    - It costs 5.
    + It costs 6.
  tidemark diff url_a 7f1d441a34a5 3f235255ec5c

`
	small := strings.Replace(aChange, `"from"`, `"small":{"why":"moves","what":"a number"},"from"`, 1)
	performAll(t, []script{
		{name: "one", args: []string{"changes"}, answers: []answered{{200, page("1-3-0", "", aChange)}}, out: shown,
			asked: []string{"GET /api/changes?top=50"}},
		{name: "a small one", args: []string{"changes"}, answers: []answered{{200, page("1-3-0", "", small)}},
			out: strings.Replace(shown, "    - It", "  small: a number that moves at most checks; rules do not tell of it by "+
				"default\n    - It", 1)},
		{name: "none", args: []string{"changes"}, answers: []answered{{200, page("1-3-0", "")}},
			out: "nothing has changed\n"},
		{name: "filtered", args: []string{"changes", "--since", "3d", "--until", "2026-03-01", "--host", "A.example",
			"--kind", "content,gone", "--type", "url", "--min-share", "0.2", "-q", "costs", "--top", "5"},
			answers: []answered{{200, page("1-3-0", "")}}, out: "nothing has changed\n",
			asked: []string{"GET /api/changes?host=a.example&kind=content%2Cgone&minShare=0.2&q=costs&" +
				"since=2026-02-26T12%3A00%3A00Z&top=5&type=url&until=2026-03-01"}},
		{name: "more than are shown", args: []string{"changes", "--top", "1"},
			answers: []answered{{200, page("1-3-0", `,"continuation":"1-2-1"`, aChange)}}, out: shown,
			err: "tidemark: 1 change shown, there are more: see --all\n"},
		{name: "all", args: []string{"changes", "--top", "1", "--all"}, answers: []answered{
			{200, page("1-3-0", `,"continuation":"1-2-1"`, aChange)}, {200, page("1-3-0", "", aChange)}}, out: shown + shown,
			asked: []string{"GET /api/changes?top=1", "GET /api/changes?continuation=1-2-1&top=1"}},
		{name: "JSON", args: []string{"changes", "--json"}, answers: []answered{{200, page("1-3-0", "", aChange)}},
			out: page("1-3-0", "", aChange) + "\n"},
		{name: "followed", args: []string{"changes", "--follow"}, code: 1, answers: []answered{{200, page("1-2-0", "")},
			{200, page("1-2-0", "")}, {200, page("1-2-1", "", aChange)}, {503, `{"title":"Away","status":503,"detail":"away"}`}},
			out: shown, err: "tidemark: away\n",
			asked: []string{"GET /api/changes?top=1", "GET /api/changes?order=oldest&since=1-2-0&top=50",
				"GET /api/changes?order=oldest&since=1-2-0&top=50", "GET /api/changes?order=oldest&since=1-2-1&top=50"}},
		{name: "unread, and marked", args: []string{"changes", "--unread", "--mark-read"},
			answers: []answered{{200, page("1-3-0", "", aChange)}, {200, `{"name":"","beyond":0,"unread":0}`}}, out: shown,
			asked: []string{"GET /api/changes?top=50&unread=true", `POST /api/changes/read {"ids":["1-2-1"]}`}},
		{name: "unread again", args: []string{"changes", "--silenced", "only", "--mark-unread"},
			answers: []answered{{200, page("1-3-0", "", aChange)}, {200, `{"name":"","beyond":0,"unread":1}`}}, out: shown,
			asked: []string{"GET /api/changes?silenced=only&top=50", `POST /api/changes/read {"ids":["1-2-1"],"unread":true}`}},
		{name: "read and unread", args: []string{"changes", "--mark-read", "--mark-unread"}, code: 2,
			err: "tidemark: --mark-read and --mark-unread exclude each other\nsee `tidemark changes --help`\n"},
		{name: "all marked", args: []string{"changes", "--mark-all-read"},
			answers: []answered{{200, page("1-3-0", "", aChange)}, {200, `{"name":"","beyond":0,"unread":0}`}},
			asked:   []string{"GET /api/changes?top=1", `POST /api/changes/read {"upTo":"1-3-0"}`},
			out:     "everything up to now is marked as read\n"},
		{name: "of a tag, silenced", args: []string{"changes", "--tag", "news", "--silenced", "only"},
			answers: []answered{{200, page("1-3-0", "")}}, out: "nothing has changed\n",
			asked: []string{"GET /api/changes?silenced=only&tag=news&top=50"}},
		{name: "W17 why", args: []string{"changes", "why", "1-2-1"}, answers: []answered{{200, `{"change":` +
			strings.TrimSuffix(aChange, "}") + `,"silenced":true,"ignored":[{"hunk":"Seen 5 times","op":"added",` +
			`"rule":"ignore: ^Seen"}]},"rules":[{"id":"rule_a","name":"Prices"}],` +
			`"outcome":[{"rule":"rule_a","name":"Prices","state":"notMet","why":"price: 89 EUR is not below 80"}],` +
			`"outcomeMore":2,"deliveries":[{"state":"sent",` +
			`"channel":"ops","created":"2026-03-01T11:01:00Z","answer":{"ok":true,"status":204}}]}`}},
			out: shown + `item           url_a
silenced by what is watched of the page: it is listed with --silenced only
did not count, by ignore: ^Seen
    + Seen 5 times
rule Prices (rule_a): not met: price: 89 EUR is not below 80
and 2 more rules; --top shows more
sent to ops, 2026-03-01 11:01:00Z: 204
`, asked: []string{"GET /api/changes/1-2-1/why?top=10"}},
		{name: "W17 nobody was told", args: []string{"changes", "why", "1-2-1"},
			answers: []answered{{200, `{"change":` + aChange + `,"rules":[],"deliveries":[]}`}},
			out:     shown + "item           url_a\nno rule is for its page\n"},
		{name: "a bad share", args: []string{"changes", "--min-share", "2"}, code: 2,
			err: "tidemark: --min-share is 2: give 0 to 1\nsee `tidemark changes --help`\n"},
		{name: "follow to an end", args: []string{"changes", "-f", "--all"}, code: 2,
			err: "tidemark: --follow has no end: leave --until and --all out\nsee `tidemark changes --help`\n"},
	})
}

func TestW3Diff(t *testing.T) {
	const diff = `{"from":{"sha256":"` + older + `","capturedAt":"2026-03-01T10:00:00Z"},"to":{"sha256":"` + newer +
		`","capturedAt":"2026-03-01T11:00:00Z"},"hunks":[{"lines":[{"op":"same","old":1,"new":1,"text":[{"text":"Prices"}]},` +
		`{"op":"removed","old":2,"text":[{"text":"It costs "},{"text":"5.","changed":true}]},` +
		`{"op":"added","new":2,"text":[{"text":"It costs "},{"text":"6.","changed":true}]}]}]}`
	const item = `{"id":"url_aaaaaaaaaaaaaaaaaaaaaaaaaa","captures":[{"sha256":"` + older + `"},{"sha256":"` + newer + `"}]}`
	id := "url_" + strings.Repeat("a", 26)
	const plain = `--- 7f1d441a34a5 2026-03-01 10:00:00Z
+++ 3f235255ec5c 2026-03-01 11:00:00Z
  Prices
- It costs 5.
+ It costs 6.
`
	performAll(t, []script{
		{name: "the last change", args: []string{"diff", id}, answers: []answered{{200, diff}}, out: plain,
			asked: []string{"GET /api/items/" + id + "/diff"}},
		{name: "two captures", args: []string{"diff", id, "7f1", "3F2"}, answers: []answered{{200, item}, {200, diff}},
			out: plain, asked: []string{"GET /api/items/" + id,
				"GET /api/items/" + id + "/diff?from=" + older + "&to=" + newer}},
		{name: "no such capture", args: []string{"diff", id, "abc"}, answers: []answered{{200, item}}, code: 2,
			err: "tidemark: no capture of " + id + " begins with abc: `tidemark show` lists them\nsee `tidemark diff --help`\n"},
		{name: "since it was read", args: []string{"diff", "--since-read", id}, answers: []answered{{200, diff}}, out: plain,
			asked: []string{"GET /api/items/" + id + "/diff?from=read"}},
		{name: "two ways to say from", args: []string{"diff", "--since-read", id, "7f1"}, code: 2,
			err: "tidemark: --since-read stands for FROM: leave the captures out\nsee `tidemark diff --help`\n"},
		{name: "how much", args: []string{"diff", "--stat", id}, answers: []answered{{200, diff}},
			out: "2026-03-01 10:00:00Z → 2026-03-01 11:00:00Z: 1 place, 2 lines; 1 word added, 1 removed\n"},
		{name: "on a terminal", args: []string{"diff", id}, answers: []answered{{200, diff}}, terminal: true,
			env: map[string]string{"PAGER": "cat"},
			out: "\x1b[1m--- 7f1d441a34a5 2026-03-01 10:00:00Z\x1b[0m\n\x1b[1m+++ 3f235255ec5c 2026-03-01 11:00:00Z\x1b[0m\n" +
				"  Prices\n\x1b[31m- It costs \x1b[7m5.\x1b[27m\x1b[0m\n\x1b[32m+ It costs \x1b[7m6.\x1b[27m\x1b[0m\n"},
		{name: "JSON", args: []string{"diff", "--json", id}, answers: []answered{{200, diff}}, out: diff + "\n"},
		{name: "nothing to compare", args: []string{"diff", id}, code: 1,
			answers: []answered{{404, `{"title":"Not Found","status":404,"detail":"the item has not changed yet"}`}},
			err:     "tidemark: the item has not changed yet\n"},
	})
}
