package main

import "testing"

// TestItemsAsAFile checks that all items of a filter are written to a file as they arrive (W12).
func TestItemsAsAFile(t *testing.T) {
	const file = "url,id\r\nhttps://a.example/,url_a\r\n"
	performAll(t, []script{
		{name: "items", args: []string{"items", "--tag", "news", "--status", "error", "--format", "csv"},
			answers: []answered{{200, file}}, out: file,
			asked: []string{"GET /api/export/items?format=csv&status=Error&tag=news"}},
		{name: "changes", args: []string{"changes", "--since", "3d", "--unread", "--format", "jsonl"},
			answers: []answered{{200, "{}\n"}}, out: "{}\n",
			asked: []string{"GET /api/export/changes?format=jsonl&since=2026-02-26T12%3A00%3A00Z&unread=true"}},
		{name: "refused", args: []string{"items", "--format", "xls"}, code: 1,
			answers: []answered{{400, `{"title":"Bad Request","detail":"format must be csv or jsonl, not \"xls\""}`}},
			err:     "tidemark: format must be csv or jsonl, not \"xls\"\n"},
		{name: "sorted", args: []string{"items", "--format", "csv", "--sort", "source"}, code: 2,
			err: "tidemark: --format writes sources as they come: leave --sort and --positional out\n" +
				"see `tidemark items --help`\n"},
		{name: "two formats", args: []string{"items", "--format", "csv", "--json"}, code: 2,
			err: "tidemark: --json and --format exclude each other; JSON Lines are --format jsonl\n" +
				"see `tidemark items --help`\n"},
		{name: "followed", args: []string{"changes", "--format", "csv", "--follow"}, code: 2,
			err: "tidemark: --format writes what there is: leave --follow, --mark-read and --mark-unread out\n" +
				"see `tidemark changes --help`\n"},
	})
}

// TestImportList checks that the import of a list is followed to its end, and that refused lines are listed (W12).
func TestImportList(t *testing.T) {
	const going = `{"id":"list-1","format":"csv","total":3,"done":0,"added":0,"known":0,"refused":0,"refusals":[]}`
	const over = `{"id":"list-1","format":"csv","total":3,"done":3,"added":1,"known":0,"refused":2,` +
		`"refusals":[{"source":"mailto:a\u001b@b","error":"no page"}],` +
		`"startedAt":"2026-03-01T12:00:00Z","endedAt":"2026-03-01T12:00:00Z"}`
	file := list(t, "https://a.example/\n")
	performAll(t, []script{
		{name: "a file", args: []string{"import", file}, answers: []answered{{202, going}, {200, going}, {200, over}},
			out: "1 source added, 0 known, 2 refused\n  mailto:a\ufffd@b: no page\n  and 1 more\n",
			asked: []string{`POST /api/import {"content":"https://a.example/\n"}`, "GET /api/import/list/list-1",
				"GET /api/import/list/list-1"}},
		{name: "standard input", args: []string{"import", "--format", "csv", "-"}, stdin: "x",
			answers: []answered{{202, over}},
			out:     "1 source added, 0 known, 2 refused\n  mailto:a\ufffd@b: no page\n  and 1 more\n",
			asked:   []string{`POST /api/import {"content":"x","format":"csv"}`}},
		{name: "JSON", args: []string{"import", "--json", file}, answers: []answered{{202, over}}, out: over + "\n"},
		{name: "no file", args: []string{"import"}, code: 2,
			err: "tidemark: give one file, not 0\nsee `tidemark import --help`\n"},
		{name: "not there", args: []string{"import", "nowhere"}, code: 1,
			err: "tidemark: open nowhere: no such file or directory\n"},
	})
}
