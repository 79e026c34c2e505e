package main

import (
	"strings"
	"testing"
)

const busy = `{"items":{"Indexed":1200,"Pending":3,"Error":1,"Frozen":2},"due":3,"inFlight":2,"changeRate":0.125,"errorRate":0.001,
	"asOf":"2026-03-01T11:59:59Z","hosts":[
	{"host":"a.example","items":{"Indexed":1000},"due":0,"inFlight":0,"changeRate":0.1},
	{"host":"b.example","items":{"Indexed":200,"Error":1},"due":3,"inFlight":2,"errorRate":1,"pausedUntil":"2026-03-01T12:05:00Z"}]}`

func TestStatus(t *testing.T) {
	performAll(t, []script{
		{name: "A23 all hosts", args: []string{"status"}, answers: []answered{{200, busy}},
			asked: []string{"GET /api/SearchStatus"}, out: `
1,206 sources · Indexed 1,200 · Pending 3 · Error 1 · Frozen 2
3 due, 2 in flight; of recent checks 12% found a change, <1% failed
1 host paused, 3 pages waiting: b.example (goes on in 5 minutes)

HOST       SOURCES  INDEXED  ERROR  DUE  IN FLIGHT  CHANGED  FAILED
b.example  201      200      1      3    2          0%       100%  paused, goes on in 5 minutes
a.example  1,000    1,000    0      0    0          10%      0%
`},
		{name: "A23 one host", args: []string{"status", "--host", "C.Example"},
			answers: []answered{{200, `{"items":{"Gone":1},"asOf":"2026-03-01T11:00:00Z"}`}},
			asked:   []string{"GET /api/SearchStatus?host=c.example"}, out: `
1 source · Gone 1
nothing waits; of recent checks 0% found a change, 0% failed
as of 1 hour ago
`},
		{name: "A23 more is due than was counted", args: []string{"status"}, answers: []answered{{200,
			`{"items":{"Pending":40376},"due":20000,"dueAtLeast":true,"inFlight":128,"hosts":[{"host":"a.example",` +
				`"items":{"Pending":40376},"due":20000,"dueAtLeast":true,"inFlight":128}]}`}}, out: `
40,376 sources · Pending 40,376
at least 20,000 due, 128 in flight; of recent checks 0% found a change, 0% failed

HOST       SOURCES  INDEXED  ERROR  DUE              IN FLIGHT  CHANGED  FAILED
a.example  40,376   0        0      at least 20,000  128        0%       0%
`},
		{name: "broken watches and tags", args: []string{"status"}, answers: []answered{{200, `{"items":{"Indexed":1}}`}},
			beside: map[string][]string{
				"/api/changes":     {`{"changes":[{"itemId":"url_a","kind":"watchBroken"},{"itemId":"url_a","kind":"watchBroken"}]}`},
				"/api/items/url_a": {`{"id":"url_a","displaySource":"https://a.example/","watchBroken":true,"why":".price finds nothing"}`},
				"/api/tags":        {`{"tags":[{"name":"prices","interval":{"min":"15m","max":"15m"}}]}`},
			}, out: `
1 source · Indexed 1
nothing waits; of recent checks 0% found a change, 0% failed

broken watches: 1
  https://a.example/: .price finds nothing

tags with settings:
  prices: checked every 15 minutes
`},
		{name: "interval", args: []string{"status", "--interval", "1ms"}, code: 2,
			err: "tidemark: --interval is 1ms: give 100ms to 1h\nsee `tidemark status --help`\n"},
	})
}

func look(due, inFlight, indexed string) answered {
	return answered{200, `{"items":{"Indexed":` + indexed + `},"due":` + due + `,"inFlight":` + inFlight + `}`}
}

func TestWatch(t *testing.T) {
	down := answered{503, `{"title":"Service Unavailable","detail":"storage does not answer"}`}
	performAll(t, []script{
		{name: "a line for each change", args: []string{"status", "--watch", "--interval", "2s"},
			answers: []answered{look("2", "0", "0"), look("2", "0", "0"), look("0", "1", "1"), look("0", "0", "2")}, out: `
12:00:00  2 due, 0 in flight; 0 sources
12:00:04  0 due, 1 in flight; 1 source · Indexed 1
12:00:06  nothing waits; 2 sources · Indexed 2
`},
		{name: "nothing to do ends at once", args: []string{"status", "-w"}, answers: []answered{look("0", "0", "2")},
			out: "12:00:00  nothing waits; 2 sources · Indexed 2\n", asked: []string{"GET /api/SearchStatus"}},
		{name: "a look that fails is forgiven", args: []string{"status", "-w"}, answers: []answered{look("1", "0", "0"), down,
			look("0", "0", "1")}, out: `
12:00:00  1 due, 0 in flight; 0 sources
12:00:02  nothing waits; 1 source · Indexed 1
`},
		{name: "not for ever", args: []string{"status", "-w"}, answers: []answered{look("1", "0", "0"), down}, code: 1,
			out: "12:00:00  1 due, 0 in flight; 0 sources\n", err: "tidemark: storage does not answer\n",
			asked: strings.Split(strings.Repeat("GET /api/SearchStatus,", 5)+"GET /api/SearchStatus", ",")},
		{name: "the first look may not fail", args: []string{"status", "-w"}, answers: []answered{down}, code: 1,
			err: "tidemark: storage does not answer\n", asked: []string{"GET /api/SearchStatus"}},
		{name: "json", args: []string{"status", "-w", "--json"}, answers: []answered{{200, `{"due":1}`}, {200, `{"due":0}`}},
			out: "{\"due\":1}\n{\"due\":0}\n"},
		{name: "terminal draws over itself", args: []string{"status", "-w", "--interval", "10s"}, terminal: true,
			answers: []answered{look("4", "0", "0"), look("0", "1", "3"), look("0", "0", "4")}, out: `
0 sources
4 due, 0 in flight; of recent checks 0% found a change, 0% failed

checked   0% |                              | (0/4)
` + "\x1b[4A\x1b[J" + `3 sources · Indexed 3
0 due, 1 in flight; of recent checks 0% found a change, 0% failed

checked  75% |██████████████████████        | (3/4)  about 3 seconds left
` + "\x1b[4A\x1b[J" + `4 sources · Indexed 4
nothing waits; of recent checks 0% found a change, 0% failed

all done
`},
	})
}

const rebuilding = `{"items":{"Indexed":2},"rebuilds":[{"id":"rebuild-1","status":"marking","items":1,"marked":1,"left":1}]}`

// TestS13WatchWaitsForWhatMakesItemsDue checks that a watch waits for a rebuild, a backfill or an import. Each of
// them makes items due after a request that saw none (S13).
func TestS13WatchWaitsForWhatMakesItemsDue(t *testing.T) {
	running := `{"runs":[{"id":"b","status":"RUNNING","sources":["port"],"maxUrls":100,"maxUrlsPerSource":100,"discoveredCount":7,"queuedCount":7},
		{"id":"c","status":"PAUSED","sources":["other"]}]}`
	sites := `{"sites":[{"slug":"port","domain":"a.example"}]}`
	performAll(t, []script{
		{name: "rebuild", args: []string{"status", "-w"}, answers: []answered{{200, rebuilding}, look("2", "0", "2"),
			look("0", "0", "2")}, out: `
12:00:00  nothing is due yet; 2 sources · Indexed 2; rebuilding everything: 1 source looked at, 0 through of 1 so far
12:00:01  2 due, 0 in flight; 2 sources · Indexed 2
12:00:02  nothing waits; 2 sources · Indexed 2
`},
		{name: "rebuild on a terminal", args: []string{"status", "-w"}, terminal: true, answers: []answered{{200, rebuilding},
			look("0", "0", "2")}, out: `
2 sources · Indexed 2
nothing is due yet; of recent checks 0% found a change, 0% failed
rebuilding everything: 1 source looked at, 0 through of 1 so far

nothing is due yet; more may come
` + "\x1b[5A\x1b[J" + `2 sources · Indexed 2
nothing waits; of recent checks 0% found a change, 0% failed

all done
`},
		{name: "backfill, then import", args: []string{"status", "-w"}, answers: []answered{look("0", "0", "2")},
			beside: map[string][]string{"/api/backfill/runs": {running, "{}"},
				"/api/import/email": {"{}", `{"imports":[{"status":"reading","mbox_path":"in.mbox","mails":1}]}`,
					`{"imports":[{"status":"done"}]}`}}, out: `
12:00:00  nothing is due yet; 2 sources · Indexed 2; backfilling port: 7 of at most 100 found: 7 new, 0 known, 0 errors
12:00:01  nothing is due yet; 2 sources · Indexed 2; importing in.mbox: 1 mail so far
12:00:02  nothing waits; 2 sources · Indexed 2
`},
		{name: "a backfill of the host", args: []string{"status", "-w", "--host", "a.example"},
			answers: []answered{look("0", "0", "2")},
			beside:  map[string][]string{"/api/backfill/runs": {running, "{}"}, "/api/backfill/sites": {sites}}, out: `
12:00:00  nothing is due yet; 2 sources · Indexed 2; backfilling port: 7 of at most 100 found: 7 new, 0 known, 0 errors
12:00:01  nothing waits; 2 sources · Indexed 2
`},
		{name: "a backfill of another host", args: []string{"status", "-w", "--host", "b.example"},
			answers: []answered{look("0", "0", "2")},
			beside:  map[string][]string{"/api/backfill/runs": {running}, "/api/backfill/sites": {sites}},
			out:     "12:00:00  nothing waits; 2 sources · Indexed 2\n"},
		{name: "once", args: []string{"status"}, answers: []answered{look("0", "0", "2")},
			beside: map[string][]string{"/api/backfill/runs": {running}}, out: `
2 sources · Indexed 2
nothing is due yet; of recent checks 0% found a change, 0% failed
backfilling port: 7 of at most 100 found: 7 new, 0 known, 0 errors
`},
		{name: "json", args: []string{"status", "-w", "--json"}, answers: []answered{look("0", "0", "2")},
			beside: map[string][]string{"/api/backfill/runs": {running, "{}"}},
			out:    strings.Repeat(`{"items":{"Indexed":2},"due":0,"inFlight":0}`+"\n", 2)},
	})
}
