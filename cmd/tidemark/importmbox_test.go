package main

import "testing"

func TestImportMbox(t *testing.T) {
	const (
		reading = `{"import_id":"mbox-1","status":"reading","bytes":10,"size":100,"mails":3,"failures":[]}`
		done    = `{"import_id":"mbox-1","status":"done","bytes":100,"size":100,"mails":1300,"inserted":1000,"skipped":100,"updated":98,"failed":102,"enqueued":1098,"failures":[{"offset":1234,"message_id":"a@b.example","reason":"subject is missing"}]}`
		failed  = `{"import_id":"mbox-1","status":"failed","message":"the file has changed","size":100,"mails":3,"inserted":3,"failures":[],"note":"not enqueued: set T1_BATCH_MODEL"}`
		summary = `
broken: byte 1,234 a@b.example: subject is missing
… and 101 more
1,300 mails: 1,000 inserted, 98 updated, 100 skipped, 102 broken; 1,098 enqueued for a model
`
	)
	performAll(t, []script{
		{name: "D6 at once", args: []string{"import", "mbox", "in.mbox"}, answers: []answered{{200, done}}, out: summary,
			asked: []string{`POST /api/import/email/mbox {"mbox_path":"in.mbox"}`}},
		{name: "D6 followed", args: []string{"import", "mbox", "--batch-size", "2000", "--chunk-size", "50", "in.mbox"},
			answers: []answered{{202, reading}, {503, `{"title":"Service Unavailable"}`}, {200, reading}, {200, done}},
			out:     summary},
		{name: "D6 json", args: []string{"import", "mbox", "--json", "in.mbox"},
			answers: []answered{{202, reading}, {200, done}}, out: reading + "\n" + done + "\n"},
		{name: "D6 failed", args: []string{"import", "mbox", "in.mbox"}, code: 1, answers: []answered{{200, failed}},
			out: "3 mails: 3 inserted, 0 updated, 0 skipped, 0 broken; 0 enqueued for a model\n",
			err: "tidemark: not enqueued: set T1_BATCH_MODEL\ntidemark: the file has changed\n"},
		{name: "D6 refused", args: []string{"import", "mbox", "../x"}, code: 1,
			answers: []answered{{400, `{"title":"Bad Request","detail":"the path has a . or .. segment"}`}},
			err:     "tidemark: the path has a . or .. segment\n"},
		{name: "D6 no path", args: []string{"import", "mbox"}, code: 2,
			err: "tidemark: give one path, not 0\nsee `tidemark import mbox --help`\n"},
	})
}
