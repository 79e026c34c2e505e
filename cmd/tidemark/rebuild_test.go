package main

import "testing"

func TestRebuild(t *testing.T) {
	const (
		begun    = `{"id":"rebuild-1","status":"marking","items":0,"marked":0,"left":0}`
		marking  = `{"id":"rebuild-1","status":"marking","items":1256,"marked":1100,"left":1000}`
		indexing = `{"id":"rebuild-1","status":"indexing","items":3000,"marked":2500,"left":500}`
		counting = `{"id":"rebuild-1","status":"counting","items":3000,"marked":2500,"left":0}`
		done     = `{"id":"rebuild-1","status":"done","items":3000,"marked":2500,"left":0,"indexed":2400,"keptOut":90,"failed":10}`
	)
	performAll(t, []script{
		{name: "everything", args: []string{"rebuild"}, answers: []answered{{202, begun}},
			out: "rebuild-1 has begun; `tidemark status` tells how far it is\n", asked: []string{`POST /api/RebuildIndex {}`}},
		{name: "every flag travels", args: []string{"rebuild", "--host", "A.example", "--refetch", "--force"},
			answers: []answered{{202, begun}},
			out:     "rebuild-1 has begun; `tidemark status` tells how far it is\n",
			asked:   []string{`POST /api/RebuildIndex {"scope":{"host":"a.example"},"force":true,"refetch":true}`}},
		{name: "wait", args: []string{"rebuild", "--wait"},
			answers: []answered{{202, begun}, {200, marking}, {200, indexing}, {503, `{"title":"Service Unavailable"}`},
				{200, indexing}, {200, counting}, {200, done}}, out: `
1,256 sources looked at, 100 through of 1,100 so far
2,000 of 2,500 sources through
2,500 sources through, being counted
done: 3,000 sources looked at, 2,400 indexed anew, 90 kept out, 10 failed
`},
		{name: "json", args: []string{"rebuild", "--wait", "--json"}, answers: []answered{{202, begun}, {200, done}},
			out: begun + "\n" + done + "\n"},
		{name: "unknown host", args: []string{"rebuild", "--host", "b.example"}, code: 1,
			answers: []answered{{404, `{"title":"Not Found","detail":"nothing is registered for the host \"b.example\""}`}},
			err:     "tidemark: nothing is registered for the host \"b.example\"\n"},
		{name: "no argument is taken", args: []string{"rebuild", "b.example"}, code: 2,
			err: "tidemark: unknown command \"b.example\" for \"tidemark rebuild\"\nsee `tidemark rebuild --help`\n"},
		{name: "interval", args: []string{"rebuild", "--interval", "1ms"}, code: 2,
			err: "tidemark: --interval is 1ms: give 100ms to 1h\nsee `tidemark rebuild --help`\n"},
		{name: "status tells", args: []string{"status"},
			answers: []answered{{200, `{"items":{"Indexed":2},"hosts":[],"rebuilds":[
			{"id":"rebuild-1","status":"indexing","reason":"the index was begun anew","items":2,"marked":2,"left":1},
			{"id":"rebuild-2","status":"indexing","host":"a.example","items":1,"marked":1,"left":1}]}`}}, out: `
2 sources · Indexed 2
nothing is due yet; of recent checks 0% found a change, 0% failed
rebuilding everything: 1 of 2 sources through (the index was begun anew)
rebuilding a.example: 0 of 1 source through
`},
	})
}
