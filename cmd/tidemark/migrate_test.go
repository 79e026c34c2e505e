package main

import "testing"

func TestZ1Migrate(t *testing.T) {
	const (
		running = `{"status":"running","dryRun":false,"steps":[{"name":"items","rules":"url_v2 ref","seen":5000,"changed":12,"examples":["a becomes b"],"done":false}]}`
		done    = `{"status":"current","dryRun":false,"steps":[{"name":"items","rules":"url_v2 ref","seen":7000,"changed":12,"examples":["a becomes b","c joins b"],"done":true},{"name":"entries","rules":"v2","seen":3,"changed":0,"done":true}]}`
		dry     = `{"status":"needed","dryRun":true,"steps":[{"name":"items","rules":"url_v2 ref","seen":2,"changed":1,"examples":["a becomes b"],"done":true}]}`
	)
	performAll(t, []script{
		{name: "it goes on by itself", args: []string{"migrate"}, answers: []answered{{202, running}},
			out: "goes on: 12 of 5,000 items changed\n", asked: []string{`POST /api/migrate {}`}},
		{name: "wait", args: []string{"migrate", "--wait"}, answers: []answered{{202, running}, {200, running}, {200, done}},
			out: `
goes on: 12 of 5,000 items changed
done: 12 of 7,000 items changed, 0 of 3 entries changed
  a becomes b
  c joins b
`},
		{name: "dry run", args: []string{"migrate", "--dry-run"}, answers: []answered{{202, dry}},
			out: "done: 1 of 2 items to be changed\n  a becomes b\n", asked: []string{`POST /api/migrate {"dryRun":true}`}},
		{name: "refused", args: []string{"migrate", "--dry-run"}, code: 1,
			answers: []answered{{409, `{"title":"Conflict","detail":"a migration goes on; wait for it to end"}`}},
			err:     "tidemark: a migration goes on; wait for it to end\n"},
		{name: "interval", args: []string{"migrate", "--interval", "1ms"}, code: 2,
			err: "tidemark: --interval is 1ms: give 100ms to 1h\nsee `tidemark migrate --help`\n"},
	})
}
