package main

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	tier1Answer = `{"entry_id":"e1","gist":"A crane moves.","topic_primary":"cranes","topic_primary_confidence":0.9,"topic_secondary":"tides","topic_secondary_confidence":0.25,
		"keywords":["crane","pier 3"],"tier1_model":"m","tier1_tokens_in":1200,"tier1_tokens_out":40,"tier1_cost":0.00012,"tier1_at":"2026-03-01T12:00:00Z"}`
	queued  = `{"id":"t1-1-a","schema":"pkm","status":"queued","attempt":1,"model":"m","entries":2,"created_at":"2026-03-01T11:00:00Z"}`
	running = `{"id":"t1-2-b","schema":"pkm","status":"running","remote_status":"in_progress","attempt":1,"model":"m","entries":2000,
		"created_at":"2026-03-01T10:00:00Z","cancelled_at":"2026-03-01T11:30:00Z","message":"not cancelled: no"}`
	done = `{"id":"t1-3-c","schema":"pkm","status":"done","attempt":2,"next_batch_id":"t1-3-c.3","model":"m","entries":7,"enriched":2,"skipped":1,"failed":1,"cancelled":1,"again":2,
		"tokens_in":300,"tokens_out":20,"created_at":"2026-02-28T12:00:00Z","ended_at":"2026-03-01T11:00:00Z",
		"lines":[{"entry_id":"e1","outcome":"enriched"},{"entry_id":"e2","outcome":"failed","message":"the model refuses"}]}`
)

// TestD8EnrichNow checks that entries are described at once, and that an entry which cannot be described does not
// stop the others (D8).
func TestD8EnrichNow(t *testing.T) {
	shown := `
entry          e1
gist           A crane moves.
topics         cranes (90 %), tides (25 %)
keywords       crane, pier 3
model          m, 1,200 tokens in, 40 out, $0.000120
`
	off := `{"title":"Forbidden","status":403,"detail":"enrichment is off here: set T1_DEFAULT_MODEL"}`
	performAll(t, []script{
		{name: "two, of which one is unknown", args: []string{"enrich", "e0", "e1"},
			answers: []answered{{404, `{"title":"Not Found","status":404,"detail":"no entry"}`}, {body: tier1Answer}},
			code:    1, out: shown, err: "tidemark: e0: no entry\ntidemark: 1 entry done, 1 entry failed\n",
			asked: []string{`POST /api/enrich/tier1 {"entry_id":"e0"}`, `POST /api/enrich/tier1 {"entry_id":"e1"}`}},
		{name: "ids from standard input", args: []string{"enrich", "-"}, stdin: "e1\n\n# e2\n",
			answers: []answered{{body: tier1Answer}}, out: shown,
			asked: []string{`POST /api/enrich/tier1 {"entry_id":"e1"}`}},
		{name: "none there", args: []string{"enrich", "-"}, code: 2,
			err: "tidemark: there are no ids on standard input\nsee `tidemark enrich --help`\n"},
		{name: "none", args: []string{"enrich"}, code: 2,
			err: "tidemark: give at least one id of an entry\nsee `tidemark enrich --help`\n"},
		{name: "off", args: []string{"enrich", "e0", "e1"}, answers: []answered{{403, off}}, code: 1,
			err:   "tidemark: enrichment is off here: set T1_DEFAULT_MODEL\n",
			asked: []string{`POST /api/enrich/tier1 {"entry_id":"e0"}`}},
	})
}

// TestD9EnrichBatches checks that batches are queued, listed, shown and cancelled (D8, D9).
func TestD9EnrichBatches(t *testing.T) {
	many := strings.Repeat("e\n", api.MaxEnrichBatch) + "last\n"
	performAll(t, []script{
		{name: "queued", args: []string{"enrich", "--batch", "e1", "e2"}, answers: []answered{{202, queued}},
			out:   "t1-1-a has 2 entries; `tidemark enrich show t1-1-a` tells how far it is\n",
			asked: []string{`POST /api/enrich/tier1/batch {"entry_ids":["e1","e2"]}`}},
		{name: "more than a batch has", args: []string{"enrich", "--batch", "-"}, stdin: many,
			answers: []answered{{202, queued}, {202, queued}},
			out:     strings.Repeat("t1-1-a has 2 entries; `tidemark enrich show t1-1-a` tells how far it is\n", 2),
			asked: []string{`POST /api/enrich/tier1/batch {"entry_ids":["e"` + strings.Repeat(`,"e"`, api.MaxEnrichBatch-1) +
				`]}`,
				`POST /api/enrich/tier1/batch {"entry_ids":["last"]}`}},
		{name: "all that are not described", args: []string{"enrich", "--batch", "--missing"}, answers: []answered{
			{body: `{"entries":[{"entry_id":"e1"},{"entry_id":"e2","tier1_status":"pending"}],"continuation":"e2"}`},
			{body: `{"entries":[{"entry_id":"e3","tier1_status":"enriched"},{"entry_id":"e4","tier1_status":"failed"}]}`},
			{202, queued}},
			out: "t1-1-a has 2 entries; `tidemark enrich show t1-1-a` tells how far it is\n",
			asked: []string{"GET /api/entries?top=200", "GET /api/entries?continuation=e2&top=200",
				`POST /api/enrich/tier1/batch {"entry_ids":["e1","e4"]}`}},
		{name: "all are described", args: []string{"enrich", "--missing"}, answers: []answered{{body: `{"entries":[]}`}},
			out:   "no entry lacks a description\n",
			asked: []string{"GET /api/entries?top=200"}},
		{name: "all and some", args: []string{"enrich", "--missing", "e1"}, code: 2,
			err: "tidemark: --missing names all entries itself: give no ids\nsee `tidemark enrich --help`\n"},
		{name: "listed", args: []string{"enrich", "batches"}, answers: []answered{{body: `{"batches":[` + queued + `,` +
			running + `,` + done + `]}`}},
			out: `
BATCH   BEGUN        ENTRIES  STATUS
t1-1-a  1 hour ago   2        queued
t1-2-b  2 hours ago  2,000    running (in_progress), is being cancelled: not cancelled: no
t1-3-c  1 day ago    7        done: 2 enriched, 1 skipped, 1 failed, 1 cancelled, 2 again in t1-3-c.3
`, asked: []string{"GET /api/enrich/tier1/batches?top=20"}},
		{name: "listed by what is asked for", args: []string{"enrich", "batches", "--schema", "pkm_test", "--top", "5",
			"--before", "t1-3-c"}, answers: []answered{{body: `{"batches":[]}`}},
			out: "no batches\n", asked: []string{"GET /api/enrich/tier1/batches?before=t1-3-c&schema=pkm_test&top=5"}},
		{name: "listed as JSON", args: []string{"enrich", "batches", "--json"},
			answers: []answered{{body: `{"batches":[` + queued + `]}`}}, out: `{"batches":[` + queued + "]}\n"},
		{name: "no top", args: []string{"enrich", "batches", "--top", "0"}, code: 2,
			err: "tidemark: --top is 0: give 1 to 100\nsee `tidemark enrich batches --help`\n"},
		{name: "shown", args: []string{"enrich", "show", "t1-3-c"}, answers: []answered{{body: done}},
			out: `
batch          t1-3-c
schema         pkm
status         done: 2 enriched, 1 skipped, 1 failed, 1 cancelled, 2 again in t1-3-c.3
model          m
attempt        2
begun          2026-02-28 12:00:00Z (1 day ago)
ended          2026-03-01 11:00:00Z (1 hour ago)
charged        300 tokens in, 20 out

7 entries
  enriched   e1
  failed     e2  the model refuses
`, asked: []string{"GET /api/enrich/tier1/batches/t1-3-c"}},
		{name: "cancelled", args: []string{"enrich", "cancel", "t1-2-b"}, answers: []answered{{202, running}},
			out:   "t1-2-b is being cancelled; `tidemark enrich show t1-2-b` tells when it is done\n",
			asked: []string{"POST /api/enrich/tier1/batches/t1-2-b/cancel"}},
		{name: "cancelled too late", args: []string{"enrich", "cancel", "t1-3-c"},
			answers: []answered{{409, `{"title":"Conflict","status":409,"detail":"the batch is done already"}`}},
			code:    1, err: "tidemark: the batch is done already\n"},
	})
}
