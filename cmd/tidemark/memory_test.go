package main

import (
	"strings"
	"testing"
)

// TestQ9MemoryCommand checks the command that lists what moves on a page, and notes what people decide (Q9).
func TestQ9MemoryCommand(t *testing.T) {
	id := "url_" + strings.Repeat("a", 26)
	const parts = `{"parts":[{"id":"1kq","text":"12 bo\u001bats","moves":["number"],"moved":6,"of":8,` +
		`"since":"2026-03-01T10:00:00Z","silent":true},{"id":"2ab","text":"Fee: 7","moves":["number"],"moved":2,"of":8,` +
		`"silent":true,"decision":"never"}]}`
	const listed = "1kq             12 bo�ats\n                has moved at 6 of 8 checks; its moves are not told since " +
		"2026-03-01 10:00:00Z\n2ab             Fee: 7\n                has moved at 2 of 8 checks; no move is told, as a " +
		"person has decided\n"
	decide := func(do string) script {
		return script{name: do, args: []string{"memory", id, "--" + do, "1kq"}, answers: []answered{{200, parts}},
			asked: []string{"POST /api/items/" + id + `/memory {"id":"1kq","do":"` + do + `"}`}, out: listed}
	}
	performAll(t, []script{
		{name: "list", args: []string{"memory", id}, answers: []answered{{200, parts}},
			asked: []string{"GET /api/items/" + id + "/memory"}, out: listed},
		{name: "nothing", args: []string{"memory", id}, answers: []answered{{200, `{"parts":[]}`}},
			out: "nothing is known to move on this page\n"},
		decide("always"), decide("never"), decide("forget"),
		{name: "two", args: []string{"memory", id, "--always", "a", "--never", "b"}, code: 2,
			err: "tidemark: give one of --always, --never and --forget\nsee `tidemark memory --help`\n"},
	})
}
