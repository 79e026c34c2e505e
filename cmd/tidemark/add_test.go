package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

func TestAdd(t *testing.T) {
	urls := list(t, "# harbour\nhttps://a.example/\n\nftp://b  # old\n")
	performAll(t, []script{
		{name: "one", args: []string{"add", "https://a.example/"}, answers: []answered{{202, oneAdded}},
			out:   "url_a  Pending     https://a.example/\n",
			asked: []string{`POST /api/AddUrlDocument {"urls":["https://a.example/"]}`}},
		{name: "A15 force", args: []string{"add", "--force", "https://a.example/"}, answers: []answered{{202, oneAdded}},
			out:   "url_a  Pending     https://a.example/\n",
			asked: []string{`POST /api/AddUrlDocument {"urls":["https://a.example/"],"force":true}`}},
		{name: "one of two is bad", args: []string{"add", "https://a.example/", "ftp://b"},
			answers: []answered{{202, twoMixed}}, code: 1,
			out: "url_a  Pending     https://a.example/\n",
			err: `
tidemark: ftp://b: scheme ftp is not crawled: give http or https
tidemark: 1 URL not added
`},
		{name: "A1 a route is left out", args: []string{"add", "https://a.example/#/x"},
			answers: []answered{{202, strings.Replace(oneAdded, `"status"`, `"warning":"#/x is not part","status"`, 1)}},
			out:     "url_a  Pending     https://a.example/\n", err: "tidemark: https://a.example/#/x: #/x is not part\n"},
		{name: "a file names the line", args: []string{"add", "--file", urls}, answers: []answered{{202, twoMixed}}, code: 1,
			out: "1 URL added\n",
			err: `
tidemark: ` + urls + `:4: ftp://b: scheme ftp is not crawled: give http or https
tidemark: 1 URL not added
`,
			asked: []string{`POST /api/AddUrlDocument {"urls":["https://a.example/","ftp://b"]}`}},
		{name: "stdin", args: []string{"add", "-f", "-"}, stdin: "https://a.example/", answers: []answered{{202, oneAdded}},
			out: "1 URL added\n"},
		{name: "an empty list is no failure", args: []string{"add", "-f", "-"}, stdin: "# none\n", out: "0 URLs added\n",
			asked: nil},
		{name: "a line too long", args: []string{"add", "-f", "-"}, stdin: strings.Repeat("x", 20000) +
			"\nhttps://a.example/\n",
			answers: []answered{{202, oneAdded}}, code: 1, out: "1 URL added\n",
			err: "tidemark: stdin:1: " + strings.Repeat("x", 99) + "…: longer than 16384 bytes\ntidemark: 1 URL not added\n"},
		{name: "json is the answer and nothing else", args: []string{"add", "--json", "https://a.example/", "ftp://b"},
			answers: []answered{{202, twoMixed}}, code: 1,
			out: `{"items":[{"source":"https://a.example/","item":{"id":"url_a","status":"Pending","displaySource":"https://a.example/"}},{"source":"ftp://b","error":"scheme ftp is not crawled: give http or https"}]}` + "\n",
			err: `
tidemark: ftp://b: scheme ftp is not crawled: give http or https
tidemark: 1 URL not added
`},
		{name: "nothing to add", args: []string{"add"}, code: 2,
			err: "tidemark: nothing to add: give URLs or --file\nsee `tidemark add --help`\n"},
		{name: "a missing file", args: []string{"add", "-f", "/nowhere/urls"}, code: 1,
			err: "tidemark: open /nowhere/urls: no such file or directory\n"},
		{name: "the whole batch is refused", args: []string{"add", "https://a.example/"},
			answers: []answered{{503, `{"title":"Service Unavailable","detail":"storage does not answer"}`}}, code: 1,
			err: "tidemark: storage does not answer\n"},
		{name: "escape sequences of strangers are not passed on", args: []string{"add", "https://a.example/"},
			answers: []answered{{202, `{"items":[{"source":"x","error":"bad \u001b[2J\u202ename"}]}`}}, code: 1,
			err: "tidemark: https://a.example/: bad �[2J�name\ntidemark: 1 URL not added\n"},
	})
}

// TestAddInBatches checks that a long list is sent in bounded pieces, and that a failure halfway reports what was
// added before it.
func TestAddFile(t *testing.T) {
	here, err := filepath.Abs("a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	const added = `{"items":[{"source":"/a","item":{"id":"file_a","status":"Pending","displaySource":"/a"}}]}`
	performAll(t, []script{
		{name: "A3 a relative path", args: []string{"add-file", "a.pdf"}, answers: []answered{{202, added}},
			out:   "file_a  Pending     /a\n",
			asked: []string{`POST /api/AddFileDocument {"paths":["` + here + `"]}`}},
		{name: "A24 a blob with a credential", args: []string{"add-file", "--credential", "DOCS",
			"https://acct.blob.core.windows.net/docs/a.pdf"},
			answers: []answered{{202, added}}, out: "file_a  Pending     /a\n",
			asked: []string{
				`POST /api/AddFileDocument {"paths":["https://acct.blob.core.windows.net/docs/a.pdf"],"credential":"DOCS"}`}},
		{name: "from a list", args: []string{"add-file", "-f", "-"}, stdin: "/a\n", answers: []answered{{202, added}},
			out: "1 file added\n"},
		{name: "why of a path", args: []string{"why", "/srv//a.pdf", "--json"}, answers: []answered{{200, `{"id":"file_a"}`}},
			out:   `{"id":"file_a"}` + "\n",
			asked: []string{"GET /api/items/" + fileID(t, "/srv/a.pdf")}},
		{name: "A blob that was added as a file", args: []string{"remove", "https://acct.blob.core.windows.net/docs/a"},
			answers: []answered{{404, `{"title":"Not Found","detail":"no item"}`}, {202, `{"id":"file_a","displaySource":"x"}`}},
			out:     "file_a is being removed: x\n"},
		{name: "nothing", args: []string{"add-file"}, code: 2,
			err: "tidemark: nothing to add: give files or --file\nsee `tidemark add-file --help`\n"},
	})
}

func TestAddInBatches(t *testing.T) {
	var lines, items []string
	for range api.MaxBatch + 1 {
		lines = append(lines, "https://a.example/")
		items = append(items, `{"source":"https://a.example/","item":{"id":"url_a"}}`)
	}
	full := `{"items":[` + strings.Join(items[:api.MaxBatch], ",") + `]}`
	urls := list(t, strings.Join(lines, "\n"))
	performAll(t, []script{
		{name: "1,001 lines are two requests", args: []string{"add", "-f", urls}, out: "1,001 URLs added\n",
			answers: []answered{{202, full}, {202, oneAdded}}},
		{name: "an address that was known", args: []string{"add", "-f", urls}, out: "1,000 URLs added, 1 known already\n",
			answers: []answered{{202, full}, {202, `{"items":[{"source":"x","item":{"id":"url_a"},"known":true}]}`}}},
		{name: "the second request fails", args: []string{"add", "-f", urls}, code: 1,
			answers: []answered{{202, full}, {500, `{"title":"Internal Server Error","detail":"storage does not answer"}`}},
			err: "tidemark: storage does not answer\n" +
				"1,000 URLs added before that; run it again, adding twice does no harm\n"},
	})
}

// Hosts that are not asked at present, as SearchStatus reports them.
const (
	pausedHost = `{"hosts":[{"host":"a.example","pausedUntil":"2026-03-02T11:59:00Z","pauseReason":"HTTP 429"}]}`
	pauseOver  = `{"hosts":[{"host":"a.example","pausedUntil":"2026-03-01T11:59:00Z"}]}`
)
