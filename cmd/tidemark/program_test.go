package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

func TestReindex(t *testing.T) {
	const item = `{"id":"url_aaaaaaaaaaaaaaaaaaaaaaaaaa","displaySource":"https://a.example/"}`
	const hosted = `{"id":"url_aaaaaaaaaaaaaaaaaaaaaaaaaa","displaySource":"https://a.example/","sourceHost":"a.example"}`
	const said = "url_aaaaaaaaaaaaaaaaaaaaaaaaaa is due now: https://a.example/\n"
	performAll(t, []script{
		{name: "A15 by id with force", args: []string{"reindex", "--force", "url_aaaaaaaaaaaaaaaaaaaaaaaaaa"},
			answers: []answered{{202, item}},
			out:     said, asked: []string{`POST /api/ReindexItem {"id":"url_aaaaaaaaaaaaaaaaaaaaaaaaaa","force":true}`}},
		{name: "A19 by source", args: []string{"reindex", "https://a.example/"}, answers: []answered{{202, item}},
			out: said, asked: []string{`POST /api/ReindexItem {"source":"https://a.example/"}`}},
		{name: "a paused host is told", args: []string{"reindex", "https://a.example/"},
			answers: []answered{{202, hosted}, {200, pausedHost}},
			out:     said + "its host is left alone, goes on in 23 hours: HTTP 429\n",
			asked:   []string{`POST /api/ReindexItem {"source":"https://a.example/"}`, "GET /api/SearchStatus?host=a.example"}},
		{name: "a pause that is over is not", args: []string{"reindex", "https://a.example/"},
			answers: []answered{{202, hosted}, {200, pauseOver}},
			out:     said},
		{name: "a status that cannot be read is no failure", args: []string{"reindex", "https://a.example/"},
			answers: []answered{{202, hosted}, {503, `{"title":"Service Unavailable"}`}}, out: said},
		{name: "json is the answer and nothing else", args: []string{"reindex", "--json", "https://a.example/"},
			answers: []answered{{202, hosted}, {200, pausedHost}},
			out:     hosted + "\n", asked: []string{`POST /api/ReindexItem {"source":"https://a.example/"}`}},
		{name: "unknown", args: []string{"reindex", "url_aaa"}, answers: []answered{{404,
			`{"title":"Not Found","detail":"no item url_aaa"}`}},
			code: 1, err: "tidemark: no item url_aaa\n"},
		{name: "nothing named", args: []string{"reindex"}, code: 2,
			err: "tidemark: accepts 1 arg(s), received 0\nsee `tidemark reindex --help`\n"},
	})
}

func TestRemove(t *testing.T) {
	const item = `{"id":"url_aaaaaaaaaaaaaaaaaaaaaaaaaa","displaySource":"https://a.example/","removeRequested":true}`
	const said = "url_aaaaaaaaaaaaaaaaaaaaaaaaaa is being removed: https://a.example/\n"
	const byURL = "DELETE /api/items/url_x366jgfelnwieccka5yjksh6n7"
	performAll(t, []script{
		{name: "A14 by id", args: []string{"remove", "url_aaaaaaaaaaaaaaaaaaaaaaaaaa"}, answers: []answered{{202, item}},
			out: said, asked: []string{"DELETE /api/items/url_aaaaaaaaaaaaaaaaaaaaaaaaaa"}},
		{name: "L7 several", args: []string{"remove", "url_aaaaaaaaaaaaaaaaaaaaaaaaaa", "https://a.example/"},
			answers: []answered{{202, item}, {202, item}},
			out:     said + said, asked: []string{"DELETE /api/items/url_aaaaaaaaaaaaaaaaaaaaaaaaaa", byURL}},
		{name: "A14 by source", args: []string{"remove", "https://A.example/?utm_source=x"}, answers: []answered{{202, item}},
			out: said, asked: []string{byURL}},
		{name: "json is the answer and nothing else", args: []string{"remove", "--json", "https://a.example/"},
			answers: []answered{{202, item}},
			out:     item + "\n", asked: []string{byURL}},
		{name: "unknown", args: []string{"remove", "url_aaa"}, answers: []answered{{404,
			`{"title":"Not Found","detail":"no item url_aaa"}`}},
			code: 1, err: "tidemark: no item url_aaa\n"},
		{name: "unknown source", args: []string{"remove", "https://a.example/"},
			answers: []answered{{404, `{"title":"Not Found","detail":"no item"}`}},
			code:    1, err: "tidemark: no item: https://a.example/ was not added, or under other tracking rules\n"},
		{name: "no source", args: []string{"remove", "harbour"}, code: 2,
			err: "tidemark: harbour is no id, no URL and no path: url: no scheme: it must begin with http:// or https://\nsee " +
				"`tidemark remove --help`\n"},
		{name: "nothing named", args: []string{"remove"}, code: 2,
			err: "tidemark: give an id or source\nsee `tidemark remove --help`\n"},
	})
}

// TestS13ThinIsShown checks that every listing marks a page that is empty without its scripts (S13).
func TestS13ThinIsShown(t *testing.T) {
	const item = `{"id":"url_a","status":"Indexed","thin":true,"why":"its application root, <div id=root>, is empty until its scripts run","normalizedSource":"https://a.example/"}`
	performAll(t, []script{
		{name: "items", args: []string{"items"}, answers: []answered{{200, `{"items":[` + item + `]}`}}, out: `
STATUS      CHECKED         NEXT            ID     SOURCE
Indexed     never           never           url_a  https://a.example/  (thin: its application root, <div id=root>, is empty until its scr…)
`},
		{name: "show", args: []string{"show", "url_a"}, answers: []answered{{200, item}}, out: `
id             url_a
source         https://a.example/
status         Indexed
thin           its application root, <div id=root>, is empty until its scripts run
`},
	})
}

// TestH7ChangesAreShown checks that the list shows what each change changed, and why a collapse waits (H7, H9).
func TestH7ChangesAreShown(t *testing.T) {
	const item = `{"id":"url_a","status":"Indexed","collapsed":true,"why":"2 % of it is left","thin":true,
		"normalizedSource":"https://a.example/",
		"changes":[{"at":"2026-03-01T12:00:00Z","kind":"content","sha256":"0123456789abcdef","before":"ff",
		"newShare":0.25,"goneShare":0,"wordsAdded":1200,"wordsRemoved":0},
		{"at":"2026-02-01T12:00:00Z","kind":"new","sha256":"ff"}]}`
	performAll(t, []script{
		{name: "items", args: []string{"items"}, answers: []answered{{200, `{"items":[` + item + `]}`}}, out: `
STATUS      CHECKED         NEXT            ID     SOURCE
Indexed     never           never           url_a  https://a.example/  (collapsed: 2 % of it is left)
`},
		{name: "show", args: []string{"show", "url_a"}, answers: []answered{{200, item}}, out: `
id             url_a
source         https://a.example/
status         Indexed
collapsed      2 % of it is left
  2026-03-01 12:00:00Z  0123456789ab  content  1,200 words added, 0 removed; 25% new, 0% gone
  2026-02-01 12:00:00Z  ff  new
`},
	})
}

// TestS13SearchNote checks that the server's note about a query is printed beside the results (S13).
func TestS13SearchNote(t *testing.T) {
	performAll(t, []script{{name: "an unclosed quote", args: []string{"search", `"harbour key`},
		answers: []answered{{200, `{"count":0,"results":[],"note":"a quotation mark is not closed"}`}},
		out:     "nothing found for \"harbour key\n", err: "tidemark: a quotation mark is not closed\n"}})
}

// foundPages is the answer to a search: a page with a passage and an image, and a page without a title.
const foundPages = `{"count":12,"results":[
	{"id":"url_a","url":"https://a.example/cal","title":"Calibrating  the float","score":1.5,
	 "passages":[{"chunkUid":"c1","heading":"Calibrating the float › Guide › Zero","text":"Set the\nfloat to zéro now.","highlights":[{"from":8,"to":13},{"from":17,"to":22}]}],
	 "images":[{"id":"i","src":"https://a.example/f.png","alt":"the float"}]},
	{"id":"url_b","url":"https://a.example/b","title":"","passages":[]}]}`

// TestJ5SearchFacets checks that pages are counted by the facets that were named.
func TestJ5SearchFacets(t *testing.T) {
	performAll(t, []script{
		{name: "J5 facets by name", args: []string{"search", "x", "--facets=host,tag"},
			asked: []string{`POST /api/Search {"q":"x","top":10,"facets":"host,tag"}`},
			answers: []answered{{200, `{"count":1,"results":[{"id":"a","type":"page","url":"https://h/","title":"T","passages":[]}],
				"facets":{"hosts":[{"value":"h","count":1}],"tags":[{"value":"tides","count":1}]}}`}},
			out: " 1. T\n    https://h/\n\n1\u20131 of 1 page\nhost      h 1\ntag       tides 1\n"},
	})
}

func TestSearch(t *testing.T) {
	const plain = `
 1. Calibrating the float
    https://a.example/cal
    score 1.5
    Guide › Zero
      Set the «float» to «zéro» now.
    image: the float  https://a.example/f.png

 2. (no title)
    https://a.example/b

1–2 of 12 pages
`
	bold := strings.NewReplacer("«", "\x1b[1m", "»", "\x1b[0m",
		"Calibrating the float", "\x1b[1mCalibrating the float\x1b[0m", "(no title)",
		"\x1b[1m(no title)\x1b[0m").Replace(plain)
	performAll(t, []script{
		{name: "plain", args: []string{"search", "zero", "float"}, answers: []answered{{200, foundPages}}, out: plain,
			asked: []string{`POST /api/Search {"q":"zero float","top":10}`}},
		{name: "terminal", args: []string{"search", "float"}, terminal: true, answers: []answered{{200, foundPages}},
			out: bold},
		{name: "NO_COLOR", args: []string{"search", "float"}, terminal: true, env: map[string]string{"NO_COLOR": "1"},
			answers: []answered{{200, foundPages}}, out: plain},
		{name: "every flag travels", args: []string{"search", "x", "--top", "3", "--skip", "6", "--host", "H", "--language",
			"de", "--images", "--since", "week", "--published-after", "2026-01-31", "--facets",
			"--tag", "tides", "--path", "/docs", "--sort", "changed"},
			answers: []answered{{200, `{"count":0,"results":[]}`}},
			out:     "nothing found for x at h below /docs tagged tides in de\n",
			asked: []string{
				`POST /api/Search {"q":"x","top":3,"skip":6,"nestImages":true,"host":"h","language":"de","tag":"tides","path":"/docs","since":"week","publishedAfter":"2026-01-31","sort":"changed","facets":"true"}`}},
		{name: "entries", args: []string{"search", "tide", "--type", "entry"},
			asked: []string{`POST /api/Search {"q":"tide","top":10,"type":"entry"}`},
			answers: []answered{{200, `{"count":2,"results":[
				{"id":"entry_telegram_link_v1-aaa","type":"entry","url":"https://a.example/t","title":"Tide tables","passages":[],"page":{"id":"url_a","url":"https://a.example/t","title":"Tides","status":"Indexed"}},
				{"id":"entry_-bbb","type":"entry","url":"","title":"A note","passages":[{"text":"Low tide.","highlights":[]}]}]}`}},
			out: `
 1. Tide tables
    entry  https://a.example/t
    page: Tides  https://a.example/t  (Indexed)

 2. A note
    entry  entry_-bbb
      Low tide.

1–2 of 2 entries
`},
		{name: "entries among pages", args: []string{"search", "tide"},
			answers: []answered{{200, `{"count":2,"results":[
				{"id":"url_a","type":"page","url":"https://a.example/","title":"Tides","passages":[]},
				{"id":"entry_telegram_link_v1-aaa","type":"entry","url":"https://a.example/t","title":"T","passages":[],"page":{"id":"url_a","url":"https://a.example/t","status":"Pending"}}]}`}}, out: `
 1. Tides
    https://a.example/

 2. T
    entry  https://a.example/t
    page: (no title yet)  https://a.example/t  (Pending)

1–2 of 2 results
`},
	})
}

// TestSearchRefused checks searches that are refused, find nothing, or are answered in JSON.
func TestSearchRefused(t *testing.T) {
	performAll(t, []script{
		{name: "type", args: []string{"search", "x", "--type", "image"}, code: 2,
			err: "tidemark: --type must be page or entry, not \"image\"\nsee `tidemark search --help`\n"},
		{name: "past the end", args: []string{"search", "x", "--skip", "50"},
			answers: []answered{{200, `{"count":12,"results":[]}`}},
			out:     "no more than 12 pages\n"},
		{name: "json", args: []string{"search", "x", "--json"}, answers: []answered{{200,
			"{\n \"count\": 0,\n \"new\": 1 }\n"}},
			out: `{"count":0,"new":1}` + "\n"},
		{name: "top", args: []string{"search", "x", "--top", "101"}, code: 2,
			err: "tidemark: --top must be from 1 to 100, not 101\nsee `tidemark search --help`\n"},
		{name: "no words", args: []string{"search", " "}, code: 2,
			err: "tidemark: nothing to search for: give some words\nsee `tidemark search --help`\n"},
		{name: "a quote", args: []string{"search", `"`}, code: 2,
			err: "tidemark: nothing to search for: give some words\nsee `tidemark search --help`\n"},
		{name: "signs", args: []string{"search", "?", "*", "–"}, code: 2,
			err: "tidemark: nothing to search for: give some words\nsee `tidemark search --help`\n"},
		{name: "the server explains", args: []string{"search", "x"}, code: 1,
			answers: []answered{{503, `{"title":"Service Unavailable","detail":"no index here: set SEARCH_ENDPOINT"}`}},
			err:     "tidemark: no index here: set SEARCH_ENDPOINT\n"},
	})
}

func TestItems(t *testing.T) {
	const first = `{"items":[
		{"id":"url_a","status":"Indexed","displaySource":"https://a.example/","lastChecked":"2026-03-01T11:57:00Z","nextCrawlAt":"2026-03-02T12:00:00Z"},
		{"id":"url_b","status":"Error","normalizedSource":"https://a.example/b","errorMessage":"500 Internal Server Error"}],"continuation":"2"}`
	const table = `
STATUS      CHECKED         NEXT            ID     SOURCE
Indexed     3 minutes ago   in 1 day        url_a  https://a.example/
Error       never           never           url_b  https://a.example/b  (500 Internal Server Error)
`
	performAll(t, []script{
		{name: "one page", args: []string{"items", "--host", "a.example", "--status", "error", "--top", "2"},
			answers: []answered{{200, first}},
			out:     table, err: "tidemark: 2 sources shown, there are more: see --all\n",
			asked: []string{"GET /api/items?host=a.example&status=Error&top=2"}},
		{name: "a host in any case", args: []string{"items", "--host", "LOCALHOST:8590"},
			answers: []answered{{200, `{"items":[]}`}},
			out:     "no sources\n", asked: []string{"GET /api/items?host=localhost%3A8590&top=50"}},
		{name: "all pages", args: []string{"items", "--all"}, answers: []answered{{200, first},
			{200, `{"items":[{"id":"url_c","status":"Gone"}]}`}},
			out:   table + "Gone        never           never           url_c  \n",
			asked: []string{"GET /api/items?top=50", "GET /api/items?continuation=2&top=50"}},
		{name: "none", args: []string{"items"}, answers: []answered{{200, `{"items":[]}`}}, out: "no sources\n"},
		{name: "status", args: []string{"items", "--status", "fine"}, code: 2,
			err: "tidemark: --status is \"fine\": give one of Indexed, Crawled, Pending, Error, OutOfScope, Gone\nsee " +
				"`tidemark items --help`\n"},
	})
}

const detail = `{"id":"url_a","type":"url","status":"Indexed","normalizedSource":"https://a.example/","displaySource":"https://a.example/",
	"httpStatusCode":200,"httpContentLength":45231,"httpRobotsAllowed":true,"mimeType":"text/html","language":"en","imageCount":3,
	"crawlIntervalSeconds":259200,"lastChecked":"2026-03-01T11:00:00Z","nextCrawlAt":"2026-03-04T12:00:00Z",
	"history":[{"at":"2026-02-28T12:00:00Z","what":"indexed","why":"first seen"},
		{"at":"2026-03-01T11:00:00Z","what":"unchanged","why":"304 to If-None-Match"}],
	"captures":[{"sha256":"0123456789abcdef","capturedAt":"2026-02-28T12:00:00Z","bytes":45231,"mimeType":"text/html"}]}`

func TestShowAndWhy(t *testing.T) {
	performAll(t, []script{
		{name: "show", args: []string{"show", "url_a"}, answers: []answered{{200, detail}},
			asked: []string{"GET /api/items/url_a"}, out: `
id             url_a
kind           page
source         https://a.example/
status         Indexed
next check     2026-03-04 12:00:00Z (in 3 days)
interval       every 3 days
last checked   2026-03-01 11:00:00Z (1 hour ago)
answer         200
size           44.2 KiB
robots.txt     allows it
type           text/html
language       en
images         3

1 capture
  2026-02-28 12:00:00Z  0123456789ab  44.2 KiB  text/html

last decision: unchanged: 304 to If-None-Match; ` + "`tidemark why url_a`" + ` lists all
`},
		{name: "B4 show what took over from what", args: []string{"show", "url_b"},
			answers: []answered{{200, `{"id":"url_b","status":"Indexed","normalizedSource":"https://a.example/b",
			"captures":[{"sha256":"ab00000000001","capturedAt":"2026-02-28T12:00:00Z","bytes":5,"mimeType":"text/html"}],
			"lineage":[` +
				strings.Repeat(
					`{"newer":"url_b/ab00000000001","older":"url_c/cd00000000001","at":"2026-02-28T12:00:00Z","metadata":{"reason":"same_content_sha256"}},`, 11) +
				`{"newer":"url_b/ab00000000001","older":"url_b/ef00000000001","at":"2026-02-27T12:00:00Z","metadata":{"reason":"same_canonical_uri"}}]}`}}, out: `
id             url_b
source         https://a.example/b
status         Indexed

1 capture
  2026-02-28 12:00:00Z  ab0000000000  5 bytes  text/html
` + strings.Repeat("  2026-02-28 12:00:00Z  ab0000000000 supersedes cd0000000000 of url_c: same_content_sha256\n", 10) +
				"  and 2 before; --json has them\n"},
		{name: "show an alias", args: []string{"show", "url_b"},
			answers: []answered{{200, `{"id":"url_b","status":"OutOfScope","normalizedSource":"https://a.example/b",
			"aliasOf":"url_a","httpCanonicalUrl":"https://a.example/","errorMessage":"duplicate of https://a.example/: rel=canonical"}`}}, out: `
id             url_b
source         https://a.example/b
status         OutOfScope
error          duplicate of https://a.example/: rel=canonical
alias of       url_a
canonical      https://a.example/
`},
	})
}

// TestWhyOfAnItem checks what why says of an item, and how it is named.
func TestWhyOfAnItem(t *testing.T) {
	performAll(t, []script{
		{name: "why, newest last", args: []string{"why", "url_a"}, answers: []answered{{200, detail}}, out: `
Indexed  https://a.example/
2026-02-28 12:00:00Z       1 day ago  indexed: first seen
2026-03-01 11:00:00Z      1 hour ago  unchanged: 304 to If-None-Match
2026-03-04 12:00:00Z       in 3 days  next check
`},
		{name: "why, of a paused host", args: []string{"why", "url_b"}, asked: []string{"GET /api/items/url_b",
			"GET /api/SearchStatus?host=a.example"},
			answers: []answered{{200,
				`{"id":"url_b","status":"Error","normalizedSource":"s","sourceHost":"a.example","nextCrawlAt":"2026-03-01T11:00:00Z"}`}, {200, pausedHost}}, out: `
Error  s
nothing was decided yet
2026-03-01 11:00:00Z      1 hour ago  next check
its host is left alone, goes on in 23 hours: HTTP 429
`},
		{name: "why of a new item", args: []string{"why", "url_b"},
			answers: []answered{{200, `{"id":"url_b","status":"Pending","normalizedSource":"s"}`}}, out: `
Pending  s
nothing was decided yet
no further check is planned
`},
		{name: "A4 a URL names its item", args: []string{"why", "HTTPS://A.example:443/b/?utm_source=x#y"}, code: 1,
			answers: []answered{{404, `{"title":"Not Found","detail":"no such item"}`}},
			asked:   slices.Repeat([]string{"GET /api/items/" + idOf(t, "https://a.example/b")}, 2), // another part may miss
			err:     "tidemark: no such item: https://a.example/b was not added, or under other tracking rules\n"},
		{name: "neither id nor URL", args: []string{"show", "harbour"}, code: 2,
			err: "tidemark: harbour is no id, no URL and no path: url: no scheme: it must begin with http:// or https://\nsee " +
				"`tidemark show --help`\n"},
		{name: "unknown", args: []string{"why", "url_x"}, code: 1, answers: []answered{{404,
			`{"title":"Not Found","detail":"no item url_x"}`}},
			err: "tidemark: no item url_x\n"},
		{name: "no id", args: []string{"show"}, code: 2,
			err: "tidemark: give one id or source, not 0\nsee `tidemark show --help`\n"},
	})
}

func TestGlobal(t *testing.T) {
	performAll(t, []script{
		{name: "unknown command", args: []string{"serch"}, code: 2,
			err: "tidemark: unknown command \"serch\" for \"tidemark\"\n\nDid you mean this?\nsearch\nsee `tidemark --help`\n"},
		{name: "unknown flag", args: []string{"status", "--hots", "x"}, code: 2,
			err: "tidemark: unknown flag: --hots\nsee `tidemark status --help`\n"},
		{name: "no server", args: []string{"status"}, code: 1,
			env: map[string]string{"TIDEMARK_SERVER": "http://127.0.0.1:1"},
			err: "tidemark: no answer from http://127.0.0.1:1 (connection refused): start it with `tidemark start`, or name " +
				"another server with --server or TIDEMARK_SERVER\n"},
	})
}

// TestL2Version checks that the flag and the command print the same: the version, commit and Go version, in a release
// those that the linker was given.
func TestL2Version(t *testing.T) {
	if have := thisBuild(); have.Version != app.Version+"-dev" || have.Commit == "" || have.Go != runtime.Version() {
		t.Errorf("without a linker's word: %+v", have)
	}
	version, commit = "1.2.3", "0a1b2c3d"
	t.Cleanup(func() { version, commit = "", "" })
	said := versionLine() + "\n"
	if !strings.HasPrefix(said, "tidemark 1.2.3 (commit 0a1b2c3d, go1.") {
		t.Errorf("have %q", said)
	}
	asJSON, err := json.Marshal(build{Version: "1.2.3", Commit: "0a1b2c3d", Go: runtime.Version()})
	if err != nil {
		t.Fatal(err)
	}
	performAll(t, []script{
		{name: "command", args: []string{"version"}, out: said},
		{name: "flag", args: []string{"--version"}, out: said},
		{name: "json", args: []string{"version", "--json"}, out: string(asJSON) + "\n"},
		{name: "-v is not the version", args: []string{"-v"}, code: 2,
			err: "tidemark: unknown shorthand flag: 'v' in -v\nsee `tidemark --help`\n"},
	})
}

// TestHelp checks that every command has an example and a long text.
func TestHelp(t *testing.T) {
	for _, cmd := range root(&terminal.Terminal{}, app.ReadSources(noEnv, nil, "")).Commands() {
		if cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		if cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.Name())
		}
		if cmd.Example == "" || cmd.Short == "" {
			t.Errorf("%s lacks a help text or an example", cmd.Name())
		}
	}
}

// TestKey checks that a key in the environment is sent, and that the help does not show it.
func TestKey(t *testing.T) {
	var key string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key = r.Header.Get("x-functions-key")
		io.WriteString(w, `{}`)
	}))
	defer srv.Close()
	env := map[string]string{"TIDEMARK_SERVER": srv.URL, "TIDEMARK_KEY": "hush"}
	for _, tt := range []struct {
		args []string
		want string
	}{{[]string{"status"}, "hush"}, {[]string{"status", "--key", "other"}, "other"}, {[]string{"status", "--help"}, ""}} {
		key = ""
		var out bytes.Buffer
		p := &terminal.Terminal{Out: &out, Err: &out, Name: "tidemark", Now: time.Now}
		run(t.Context(), p, func(n string) string { return env[n] }, tt.args)
		if key != tt.want || strings.Contains(out.String(), "hush") {
			t.Errorf("%v: key %q, want %q; output:\n%s", tt.args, key, tt.want, out.String())
		}
	}
}

// fileID returns the id that a server gives a file.
func fileID(t *testing.T, path string) string {
	t.Helper()
	place, err := file.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(place.Source().ID())
}
