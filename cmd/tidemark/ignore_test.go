package main

import (
	"strings"
	"testing"
)

// TestW10WatchCommand checks the commands for lines that do not count and for broken watches (W10, W16).
func TestW10WatchCommand(t *testing.T) {
	id := "url_" + strings.Repeat("a", 26)
	const made = `{"rules":["^Seen by \\d+ people$"],"ignore":["^Seen by \\d+ people$"],"saved":true,"changes":3,` +
		`"silenced":[{"at":"2026-03-01T10:00:00Z","from":"a","to":"b","whole":true,"lines":[` +
		`{"hunk":"Seen by 12 people","op":"removed","rule":"ignore: x"},` +
		`{"hunk":"Seen by 15\u001b[2J people","op":"added","rule":"ignore: x"}]},` +
		`{"at":"2026-03-01T09:00:00Z","from":"a","to":"b","whole":false,"lines":[]}]}`
	const counts = "of the last 3 changes, 2 would have had such lines, and nobody would have been told of 1\n"
	bad := func(args, says string) script {
		return script{name: args, args: append([]string{"watch"}, strings.Fields(args)...), code: 2,
			err: "tidemark: " + says + "\nsee `tidemark watch --help`\n"}
	}
	performAll(t, []script{
		{name: "preview", args: []string{"watch", id, "--ignore-text", "Seen by 15 people", "--preview"},
			answers: []answered{{200, made}}, asked: []string{"POST /api/items/" + id +
				`/ignore {"text":"Seen by 15 people","preview":true}`},
			out: "2026-03-01 10:00:00Z\n- Seen by 12 people\n+ Seen by 15�[2J people\n2026-03-01 09:00:00Z\n" + counts +
				"nothing is kept; without --preview, lines with this do not count: ^Seen by \\d+ people$\n"},
		{name: "lines", args: []string{"watch", id, "--hunk", "1", "--line", "2", "--line", "3"},
			answers: []answered{{200, `{"rules":["^a"],"ignore":["^a"],"saved":true,"changes":1,"unread":2,"lines":[` +
				`{"was":"a 1","is":"a 2","fact":true,"moves":["number"],"pattern":"^a \\d+$"},` +
				`{"was":"","is":"b","fact":false,"moves":[],"pattern":"^b$"},` +
				`{"was":"1","is":"","fact":true,"moves":[],"why":"too short"}]}`}},
			asked: []string{"POST /api/items/" + id + `/ignore {"hunk":1,"lines":[2,3]}`},
			out: "line 1\n- a 1\n+ a 2\n    ^a \\d+$\n    it would hide a fact: it is ignored if you name it by --line 1\n" +
				"line 2\n+ b\n    ^b$\n    only exactly this line: nothing in it is known to move\n" +
				"line 3\n- 1\n    no pattern: too short\n2 older changes were not examined, because the captures are large\n" +
				"of the last 1 change, 0 would have had such lines, and nobody would have been told of 0\n" +
				"lines with this do not count any more: ^a\n`tidemark watch " + id + " --undo` has them count again\n"},
		{name: "ignore", args: []string{"watch", id, "--ignore", "^Seen, by"}, answers: []answered{{200, made}},
			asked: []string{"POST /api/items/" + id + `/ignore {"pattern":"^Seen, by"}`},
			out: counts + "lines with this do not count any more: ^Seen by \\d+ people$\n`tidemark watch " + id +
				" --undo` has them count again\n"},
		{name: "undo", args: []string{"watch", id, "--undo"}, answers: []answered{{200, made}},
			asked: []string{"POST /api/items/" + id + `/ignore {"undo":true}`},
			out:   "lines with this count again: ^Seen by \\d+ people$\n"},
		{name: "JSON", args: []string{"watch", id, "--undo", "--json"}, answers: []answered{{200, made}}, out: made + "\n"},
		{name: "accept", args: []string{"watch", id, "--accept"}, answers: []answered{{202, `{"id":"` + id + `"}`}},
			asked: []string{"POST /api/items/" + id + "/watch/accept"},
			out:   id + ": what is watched is right as it is now; it is checked again\n"},
		{name: "not known", args: []string{"watch", id, "--accept"}, code: 1,
			answers: []answered{{404, `{"title":"Not Found","status":404,"detail":"no such item"}`}},
			err:     "tidemark: no such item\n"},
		bad(id, "give --ignore, --ignore-text or --hunk, or else --undo, or --accept"),
		bad(id+" --preview", "give --ignore, --ignore-text or --hunk, or else --undo, or --accept"),
		bad(id+" --hunk 1 --line x", "invalid argument \"x\" for \"--line\" flag: must be a whole number, not \"x\""),
		bad(id+" --ignore-text x --line 1", "--line is a line of a --hunk"),
		bad(id+" --accept --undo", "--accept goes with nothing else"),
		bad(id+" --undo --ignore-text x", "--undo goes with nothing but one --ignore"),
		bad(id+" --ignore x --every 1h", "--every is of URLs that are registered: give it on its own"),
		bad("https://a.example/ https://b.example/ --undo", "give one id or URL, not 2"),
	})
}
