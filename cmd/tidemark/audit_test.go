package main

import "testing"

func TestAudit(t *testing.T) {
	const (
		begun    = `{"id":"audit-1","status":"marking","audit":true,"items":0,"marked":0,"left":0}`
		clearing = `{"id":"audit-1","status":"clearing","audit":true,"items":40,"marked":2,"left":0}`
		done     = `{"id":"audit-1","status":"done","audit":true,"items":40,"marked":2,"indexed":1,"keptOut":1,"failed":0,"removed":1,
			"findings":[{"id":"url_a","what":"2 chunks missing"},{"id":"url_b","what":"the index holds a page that has no item"}]}`
		sound = `{"id":"audit-1","status":"done","audit":true,"items":1,"marked":0}`
	)
	performAll(t, []script{
		{name: "one host", args: []string{"audit", "--host", "A.example"}, answers: []answered{{202, begun}},
			out:   "audit-1 has begun; `tidemark status` tells how far it is\n",
			asked: []string{`POST /api/RebuildIndex {"scope":{"host":"a.example"},"audit":true}`}},
		{name: "wait", args: []string{"audit", "--wait"}, answers: []answered{{202, begun}, {200, clearing}, {200, done}},
			out: `
40 sources looked at, pages without one are being taken out
done: 40 sources looked at, 2 differed: 1 indexed anew, 1 kept out, 0 failed; 1 page without a source taken out
  url_a  2 chunks missing
  url_b  the index holds a page that has no item
  and 1 more, which the server's log names
`},
		{name: "nothing", args: []string{"audit", "--wait"}, answers: []answered{{202, begun}, {200, sound}},
			out: "done: 1 source looked at, the index holds what it should\n"},
		{name: "entries", args: []string{"audit", "--wait"}, answers: []answered{{202, begun},
			{200, `{"id":"audit-1","status":"entries","audit":true,"items":40,"entries":1}`},
			{200, `{"id":"audit-1","status":"done","audit":true,"items":40,"entries":3,"mended":1,"findings":[{"id":"entry_a","what":"the index lacks the entry"}]}`}}, out: `
40 sources and 1 entry looked at
done: 40 sources and 3 entries looked at, 0 differed: 0 indexed anew, 0 kept out, 0 failed; 1 entry put right
  entry_a  the index lacks the entry
`},
		{name: "status tells", args: []string{"status"},
			answers: []answered{{200, `{"items":{"Indexed":2},"hosts":[],"rebuilds":[
			{"id":"audit-1","status":"indexing","audit":true,"items":2,"marked":2,"left":1}]}`}}, out: `
2 sources · Indexed 2
nothing is due yet; of recent checks 0% found a change, 0% failed
auditing everything: 1 of 2 sources through
`},
	})
}
