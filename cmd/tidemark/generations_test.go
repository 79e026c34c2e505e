package main

import "testing"

const twoGenerations = `{"generations":[
	{"id":"g1","state":"current","why":"the first","model":"tide-1","begun":"2026-02-01T12:00:00Z","by":"settings","done":50000,"of":50000},
	{"id":"g2","state":"building","why":"asked for","model":"tide-2","begun":"2026-03-01T11:00:00Z","by":"person","done":1200,"of":50000,
	 "forecast":{"until":"2026-03-01T14:05:00Z","tokens":21000000,"bytes":828375040}}]}`

// TestJ10Generations checks what the commands print of the generations of the index, and what they ask for.
func TestJ10Generations(t *testing.T) {
	const begun = `{"id":"g2","state":"building","why":"asked for","by":"person","done":0,"of":50000,` +
		`"forecast":{"until":"2026-03-02T01:05:00Z","tokens":21000000,"bytes":828375040}}`
	performAll(t, []script{
		{name: "list", args: []string{"generations", "list"}, answers: []answered{{200, twoGenerations}},
			asked: []string{"GET /api/generations"}, out: `
ID  MODEL   BEGUN        WHY        STATE
g1  tide-1  28 days ago  the first  current: answers searches
g2  tide-2  1 hour ago   asked for  building: 1,200 of 50,000, until about 14:05
`},
		{name: "list says what is wrong", args: []string{"generations", "list"}, answers: []answered{{200, `{"generations":[
			{"id":"g3","state":"current"},{"id":"g4","state":"building","done":7,"of":9,"trouble":"the model answers 401",
			"forecast":{"until":"2026-03-01T14:05:00Z"}}]}`}}, out: `
ID  MODEL       BEGUN  WHY  STATE
g3  no vectors  never       current: answers searches
g4  no vectors  never       building: 7 of 9

g4 does not go on: the model answers 401
`},
		{name: "list of others", args: []string{"generations", "list"}, answers: []answered{{200, `{"generations":[
			{"id":"g2","state":"current"},{"id":"g1","state":"previous","keptUntil":"2026-03-02T10:00:00Z"},
			{"id":"g3","state":"whole","by":"person"}]}`}}, out: `
ID  MODEL       BEGUN  WHY  STATE
g2  no vectors  never       current: answers searches
g1  no vectors  never       previous, kept for another 22 hours
g3  no vectors  never       whole, waits for a switch
`},
		{name: "begin", args: []string{"generations", "begin", "--model", "tide-2"}, answers: []answered{{202, begun}},
			asked: []string{`POST /api/generations {"model":"tide-2"}`}, out: `
g2 has begun: 0 of 50,000, until about 2026-03-02 01:05, about 21,000,000 tokens, about 790 MiB on disk
` + "`tidemark generations list` tells how far it is\n"},
		{name: "begin without vectors", args: []string{"generations", "begin", "--model", "none"},
			answers: []answered{{202, begun}}, asked: []string{`POST /api/generations {"model":""}`}, out: `
g2 has begun: 0 of 50,000, until about 2026-03-02 01:05, about 21,000,000 tokens, about 790 MiB on disk
` + "`tidemark generations list` tells how far it is\n"},
		{name: "no room", args: []string{"generations", "begin"}, code: 1, answers: []answered{{507,
			`{"title":"Insufficient Storage","status":507,"detail":"the new generation needs 790 MB, and 12 MB are free"}`}},
			err: "tidemark: the new generation needs 790 MB, and 12 MB are free\n"},
		{name: "switch", args: []string{"generations", "switch", "g2"}, answers: []answered{{200, `{"id":"g2"}`}},
			asked: []string{"POST /api/generations/g2/switch"}, out: "g2 answers searches now; for a day, " +
				"`tidemark generations list` shows the former one, and `rollback` brings it back\n"},
		{name: "rollback", args: []string{"generations", "rollback", "g1"}, answers: []answered{{200, `{"id":"g1"}`}},
			asked: []string{"POST /api/generations/g1/rollback"}, out: "g1 answers searches again\n"},
		{name: "remove", args: []string{"generations", "remove", "g2"}, answers: []answered{{200, `{"id":"g2"}`}},
			asked: []string{"DELETE /api/generations/g2"}, out: "the generation g2 is removed\n"},
	})
}

// TestJ10Compare checks that the differences of two generations are shown, and that the questions are counted.
func TestJ10Compare(t *testing.T) {
	performAll(t, []script{
		{name: "compare", args: []string{"generations", "compare", "g2", "high tide", "crane", "--top", "3"},
			asked: []string{`POST /api/generations/g2/compare {"queries":["high tide","crane"],"top":3}`},
			answers: []answered{{200, `{"queries":[{"q":"high tide","current":["url_a","url_b","url_c"],
				"this":["url_b","url_d","url_c"]},{"q":"crane","current":["url_a"],"this":["url_a"]}]}`}}, out: `
high tide: 2 of 3 results in common
    1  url_b  was 2
    2  url_d  new
    3  url_c
    -  url_a  was 1

crane: 1 result, in the same order
`},
		{name: "no question", args: []string{"generations", "compare", "g2"}, code: 2,
			err: "tidemark: give the id of a generation, and 1 to 50 questions\nsee `tidemark generations compare --help`\n"},
		{name: "too many results", args: []string{"generations", "compare", "g2", "a", "--top", "0"}, code: 2,
			err: "tidemark: --top is 0: give 1 to 100\nsee `tidemark generations compare --help`\n"},
	})
}

// TestJ10StatusTells checks that the status has a line while a generation is built.
func TestJ10StatusTells(t *testing.T) {
	performAll(t, []script{
		{name: "status", args: []string{"status"}, answers: []answered{{200, `{"items":{"Indexed":2},"hosts":[],
			"generations":{"current":"g1","building":{"id":"g2","done":1200,"of":50000,"until":"2026-03-01T14:05:00Z"}}}`}}, out: `
2 sources · Indexed 2
nothing waits; of recent checks 0% found a change, 0% failed
building the generation g2 of the index: 1,200 of 50,000, until about 14:05
`},
		{name: "nothing is built", args: []string{"status"}, answers: []answered{{200,
			`{"items":{"Indexed":2},"hosts":[],"generations":{"current":"g1"}}`}}, out: `
2 sources · Indexed 2
nothing waits; of recent checks 0% found a change, 0% failed
`},
	})
}
