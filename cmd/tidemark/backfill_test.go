package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// backfillOf returns an answer about run r1, with the sites port and pier.
func backfillOf(status, counts, more string) string {
	return `{"id":"r1","status":"` + status +
		`","sources":["port","pier"],"mode":"SITEMAP","maxUrls":1000,"maxUrlsPerSource":400,` + counts + more + `,
		"progress":[{"source":"port","state":"running","note":"waits\u001b[2J for it","discoveredCount":3},{"source":"pier","state":"waiting"}]}`
}

const (
	noCounts   = `"discoveredCount":0`
	someCounts = `"discoveredCount":400,"queuedCount":300,"skippedCount":100,"excludedCount":5,"errorCount":1`
	allCounts  = `"discoveredCount":342,"queuedCount":287,"skippedCount":55`
	oneReport  = `,"report":["[backfill] DRY RUN - no jobs will be queued","[backfill] Discovered 342 URLs from port","[backfill] Would queue 287 new items (55 already exist)"]`
)

func TestE12Backfill(t *testing.T) {
	begun := answered{202, backfillOf("PENDING", noCounts, "")}
	half := answered{200, backfillOf("RUNNING", someCounts, "")}
	const first = "12:00:00  0 of at most 800 found: 0 new, 0 known, 0 errors; port waits�[2J for it\n"
	performAll(t, []script{
		{name: "E10 a dry run prints as OPS-1", args: []string{"backfill", "run", "--source", "port", "--mode", "sitemap",
			"--max-urls", "500", "--dry-run"},
			answers: []answered{begun, {200, backfillOf("COMPLETED", allCounts, oneReport)}}, out: `
[backfill] DRY RUN - no jobs will be queued
[backfill] Discovered 342 URLs from port
[backfill] Would queue 287 new items (55 already exist)
`, err: first + "12:00:01  342 of at most 800 found: 287 new, 55 known, 0 errors; port waits�[2J for it\n",
			asked: []string{`POST /api/backfill/runs {"sources":["port"],"mode":"SITEMAP","maxUrls":500,"dryRun":true}`,
				"GET /api/backfill/runs/r1"}},
		{name: "every flag travels", args: []string{"backfill", "run", "--source", "port,quay", "--source", "pier", "--mode",
			"ARCHIVE", "--max-urls", "9", "--max-per-source", "4",
			"--concurrency", "2", "--delay", "5s", "--date-from", "2020-01-01", "--date-to", "2024-12-31",
			"--detach"}, env: map[string]string{"USER": "ops"}, answers: []answered{begun},
			out: "r1 has begun; `tidemark backfill show --watch r1` follows it\n",
			asked: []string{
				`POST /api/backfill/runs {"sources":["port","quay","pier"],"mode":"ARCHIVE","dateFrom":"2020-01-01","dateTo":"2024-12-31",` +
					`"maxUrls":9,"maxUrlsPerSource":4,"concurrency":2,"delayMs":5000,"runBy":"ops"}`}},
		{name: "the server is away for a while", args: []string{"backfill", "run", "--source", "port", "--interval", "10s"},
			answers: []answered{begun, {503, `{"title":"Service Unavailable"}`}, half,
				{200, backfillOf("COMPLETED", someCounts, `,"report":["done"]`)}},
			out: "done\n", err: first +
				"12:00:20  400 of at most 800 found: 300 new, 100 known, 5 not wanted, 1 error; port waits�[2J for it\n" +
				"tidemark: 1 error; `tidemark backfill show r1` lists them\n"},
		{name: "it is away for good", args: []string{"backfill", "run", "--source", "port"},
			answers: []answered{begun, {503, `{"title":"Service Unavailable","detail":"no storage"}`}}, code: 1,
			err: first + "tidemark: the run may go on: follow it with `tidemark backfill show --watch r1`, end it with " +
				"`tidemark backfill cancel r1`\ntidemark: no storage\n"},
		{name: "it fails", args: []string{"backfill", "run", "--source", "port"},
			answers: []answered{{202, backfillOf("FAILED", noCounts, `,"note":"port: nothing"`)}}, code: 1,
			err: first + "tidemark: the run failed: port: nothing; `tidemark backfill resume r1` goes on where it ended\n"},
		{name: "it is paused", args: []string{"backfill", "show", "-w", "r1"},
			answers: []answered{{200, backfillOf("PAUSED", noCounts, `,"note":"paused by request"`)}}, code: 1,
			err: first + "tidemark: the run is paused: paused by request; `tidemark backfill resume r1` lets it go on\n"},
		{name: "it is cancelled", args: []string{"backfill", "run", "--source", "port"},
			answers: []answered{{202, backfillOf("CANCELLED", noCounts, `,"report":["so far"]`)}}, code: 1,
			out: "so far\n", err: first + "tidemark: the run was cancelled\n"},
		{name: "E6 switched off", args: []string{"backfill", "run", "--source", "port"},
			answers: []answered{{403, `{"title":"Forbidden","detail":"backfill is disabled: set BACKFILL_ENABLED=true"}`}},
			code:    1,
			err:     "tidemark: backfill is disabled: set BACKFILL_ENABLED=true\n"},
		{name: "no site", args: []string{"backfill", "run"}, code: 2,
			err: "tidemark: name a site with --source; `backfill sites` lists them\nsee `tidemark backfill run --help`\n"},
		{name: "a wrong number", args: []string{"backfill", "run", "--source", "port", "--max-urls", "-1"}, code: 2,
			err: "tidemark: --max-urls must be from 1 to 100000, not -1\nsee `tidemark backfill run --help`\n"},
		{name: "json", args: []string{"backfill", "run", "--source", "port", "--json"},
			answers: []answered{{202, `{"id":"r1","status":"RUNNING"}`}, {200,
				`{"id":"r1","status":"COMPLETED","report":["x"]}`}},
			out: `{"id":"r1","status":"RUNNING"}` + "\n" + `{"id":"r1","status":"COMPLETED","report":["x"]}` + "\n"},
		{name: "a terminal has a bar", args: []string{"backfill", "show", "--watch", "r1"}, terminal: true,
			answers: []answered{half, {200, backfillOf("COMPLETED", allCounts, oneReport)}}, out: `
[backfill] DRY RUN - no jobs will be queued
[backfill] Discovered 342 URLs from port
[backfill] Would queue 287 new items (55 already exist)
`, err: `
found  50% |███████████████               | (400/800)
300 new, 100 known, 5 not wanted, 1 error
  running  port  3  waits�[2J for it
  waiting  pier  0
` + "\x1b[4A\x1b[J" + `found  42% |████████████                  | (342/800)
287 new, 55 known, 0 errors
  running  port  3  waits�[2J for it
  waiting  pier  0
` + "\x1b[4A\x1b[J"},
	})
}

// TestS13BackfillThatFoundAll checks that the largest possible number is not shown for a run that has found
// everything (S13).
func TestS13BackfillThatFoundAll(t *testing.T) {
	whole := `{"id":"r1","status":"COMPLETED","sources":["port"],"maxUrls":10000,"maxUrlsPerSource":10000,"discoveredCount":3355,"queuedCount":3355,"progress":[{"source":"port","state":"done"}]}`
	performAll(t, []script{{name: "all", args: []string{"backfill", "show", "-w", "r1"}, answers: []answered{{200, whole}},
		err: "12:00:00  3,355 found: 3,355 new, 0 known, 0 errors\n"}})
}

func TestE7BackfillRuns(t *testing.T) {
	run := backfillOf("COMPLETED", someCounts,
		`,"dryRun":true,"documents":2,"requests":1,"bytes":4096,"reasons":{"/print":1,"trap: calendar":4},"dateFrom":"2020-01-01T00:00:00Z",
		"startedAt":"2026-03-01T11:00:00Z","finishedAt":"2026-03-01T11:30:00Z","createdAt":"2026-03-01T11:00:00Z",
		"errorLog":[{"at":"2026-03-01T11:10:00Z","source":"port","url":"https://a.example/s.xml","message":"HTTP 500"}]`)
	performAll(t, []script{
		{name: "list", args: []string{"backfill", "list", "--top", "5", "--before", "r2"},
			answers: []answered{{200, `{"runs":[` + run + `]}`}}, out: `
RUN  BEGUN       STATUS               FOUND  NEW  ERRORS  SITES
r1   1 hour ago  COMPLETED (dry run)  400    300  1       port, pier
`, asked: []string{"GET /api/backfill/runs?continuation=r2&top=5"}},
		{name: "no runs", args: []string{"backfill", "list"}, answers: []answered{{200, `{"runs":[]}`}}, out: "no runs\n"},
		{name: "show", args: []string{"backfill", "show", "r1"}, answers: []answered{{200, run}}, out: `
run            r1
status         COMPLETED (dry run)
mode           SITEMAP
dates          from 2020-01-01 00:00:00Z
begun          2026-03-01 11:00:00Z (1 hour ago)
ended          2026-03-01 11:30:00Z (30 minutes ago)
pages          400 of at most 800 found: 300 new, 100 known, 5 not wanted, 1 error
read           2 documents with 1 request, 4,096 bytes

SITE  STATE    FOUND  NEW  KNOWN  ERRORS  NOTE
port  running  3      0    0      0       waits�[2J for it
pier  waiting  0      0    0      0       

passed over
  4  trap: calendar
  1  /print

1 error
  2026-03-01 11:10:00Z  port https://a.example/s.xml HTTP 500
`},
		{name: "pause", args: []string{"backfill", "pause", "r1"}, answers: []answered{{202,
			backfillOf("PAUSED", noCounts, "")}},
			out:   "r1 is PAUSED; `tidemark backfill show r1` shows its result\n",
			asked: []string{"POST /api/backfill/runs/r1/pause"}},
		{name: "resume", args: []string{"backfill", "resume", "r1"}, answers: []answered{{202,
			backfillOf("RUNNING", noCounts, "")}},
			out:   "r1 is RUNNING; `tidemark backfill show r1` shows its result\n",
			asked: []string{"POST /api/backfill/runs/r1/resume"}},
		{name: "cancel in the wrong state", args: []string{"backfill", "cancel", "r1"}, code: 1,
			answers: []answered{{409, `{"title":"Conflict","detail":"the run is COMPLETED already"}`}},
			err:     "tidemark: the run is COMPLETED already\n", asked: []string{"POST /api/backfill/runs/r1/cancel"}},
		{name: "E9 sites", args: []string{"backfill", "sites"},
			answers: []answered{{200,
				`{"enabled":false,"sites":[{"slug":"port","domain":"port.example","modes":["SITEMAP","ARCHIVE"]}]}`}}, out: `
SITE  DOMAIN        MODES
port  port.example  sitemap, archive
`, err: "tidemark: backfill is disabled on this server: it needs BACKFILL_ENABLED=true\n"},
		{name: "no sites", args: []string{"backfill", "sites"}, answers: []answered{{200, `{"enabled":true,"sites":[]}`}},
			out: "no sites: the server has no site file, see BACKFILL_SITES_FILE\n"},
	})
}

// TestBackfillInterrupted checks that Ctrl-C ends only the following of a run, and prints how to follow it again.
func TestBackfillInterrupted(t *testing.T) {
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		_, _ = io.WriteString(w, `{"id":"r1","status":"RUNNING"}`)
	}))
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out, errOut bytes.Buffer
	p := &terminal.Terminal{Out: &out, Err: &errOut, Name: "tidemark", Now: func() time.Time { return noon },
		Sleep: func(ctx context.Context, _ time.Duration) error {
			cancel()
			return ctx.Err()
		}}
	code := run(ctx, p, noEnv, []string{"backfill", "run", "--source", "port", "--server", srv.URL})
	if code != command.Interrupted || len(asked) != 1 {
		t.Errorf("exit code %d, asked %v", code, asked)
	}
	if want := "the run goes on: follow it with `tidemark backfill show --watch r1`, end it with `tidemark backfill " +
		"cancel r1`"; !strings.Contains(errOut.String(), want) {
		t.Errorf("have %q, want %q", errOut.String(), want)
	}
}
