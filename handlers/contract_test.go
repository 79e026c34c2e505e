package handlers

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/search"
)

func idOf(t *testing.T, url string) string {
	t.Helper()
	s, err := source.DefaultRules().ParseURL(url)
	must(t, err)
	return string(s.ID())
}

// TestContract records a whole conversation, request by request, and compares it with testdata/contract.golden, so
// that names and values of the HTTP contract change only on purpose. Run with -update to write the file again.
func TestContract(t *testing.T) {
	r := newRig(t)
	one, two := "https://port.example/ok/one", "https://port.example/ok/two"
	id, digest := idOf(t, one), fmt.Sprintf("%x", sha256.Sum256(page("", "two")))
	log, run, done := strings.Builder{}, api.Rebuild{}, api.Item{Undo: &api.Undo{}}
	for _, step := range []struct{ name, method, path, body string }{
		{"A19 add one", "POST", "/api/AddUrlDocument", `{"url":"https://Port.Example:443/ok/one?utm_source=x#top"}`},
		{"A7 add it again", "POST", "/api/AddUrlDocument", `{"url":"` + one + `"}`},
		{"A19 add many, some bad", "POST", "/api/AddUrlDocument", `{"urls":["` + two +
			`","ftp://port.example/","https://port.example/broken",""],"force":false}`},
		{"A23 status before", "GET", "/api/SearchStatus", ""},
		{"the worker works", "", "", ""},
		{"item with its past", "GET", "/api/items/" + id, ""},
		{"items, first page", "GET", "/api/items?top=2", ""},
		{"items, last page", "GET", "/api/items?top=2&continuation=CONTINUE", ""},
		{"items by status", "GET", "/api/items?host=port.example&status=Error", ""},
		{"search", "GET", "/api/Search?q=harbour+one&top=1", ""},
		{"search by POST", "POST", "/api/Search",
			`{"q":"\"high tide\"","host":"port.example","type":"page","language":"en","nestImages":true,"skip":1}`},
		{"J5 search is narrowed", "GET", "/api/Search?q=harbour&path=/ok/&sort=changed&facets=host,tag", ""},
		{"search finds nothing", "GET", "/api/Search?q=submarine", ""},
		{"A3 add files", "POST", "/api/AddFileDocument",
			`{"paths":["/srv//docs/Manual.pdf","https://ACCT.blob.core.windows.net/docs/a b.pdf?sv=1&sig=secret","relative/path"],"credential":"docs"}`},
		{"A3 add a file", "POST", "/api/AddFileDocument", `{"path":"/srv//docs/Manual.pdf"}`},
		{"A15 reindex by id", "POST", "/api/ReindexItem", `{"id":"` + id + `","force":true}`},
		{"reindex by source", "POST", "/api/ReindexItem", `{"source":"https://port.example/ok/two"}`},
		{"A16 add a duplicate", "POST", "/api/AddUrlDocument", `{"url":"` + one + `-again"}`},
		{"the worker works", "", "", ""},
		{"A16 an alias", "GET", "/api/items/" + idOf(t, one+"-again"), ""},
		{"A16 search shows one", "GET", "/api/Search?q=harbour+one", ""},
		{"A23 status of a host", "GET", "/api/SearchStatus?host=port.example", ""},
		{"A19 rebuild a host", "POST", "/api/RebuildIndex", `{"scope":{"host":"PORT.example"}}`},
		{"A23 status during a rebuild", "GET", "/api/SearchStatus?host=port.example", ""},
		{"health during a rebuild", "GET", "/api/health", ""},
		{"the worker works", "", "", ""},
		{"A19 how far the rebuild is", "GET", "/api/RebuildIndex?id=REBUILD", ""},
		{"A14 remove an item", "DELETE", "/api/items/" + id, ""},
		{"the worker works", "", "", ""},
		{"A14 it waits for its removal", "GET", "/api/items/" + id, ""},
		{"A14 removed from the index", "GET", "/api/Search?q=harbour+one&top=1", ""},
		{"the removal is taken back", "POST", "/api/undo/UNDO", ""},
		{"A14 removed again", "DELETE", "/api/items/" + id, ""},
		{"the worker works", "", "", ""},
		{"A14 no such item", "GET", "/api/items/" + unknownID, ""},
		{"A21 captures", "GET", "/api/items/" + idOf(t, two) + "/captures?top=1", ""},
		{"A21 lineage", "GET", "/api/items/" + idOf(t, two) + "/lineage?top=1", ""},
		{"A21 the text of a capture", "GET", "/api/items/" + idOf(t, two) + "/captures/CAPTURE", ""},
		{"A18 the images of an item", "GET", "/api/items/" + idOf(t, two) + "/images", ""},
		{"C5 chunks", "GET", "/api/items/" + idOf(t, two) + "/chunks", ""},
		{"J9 the first chunks", "GET", "/api/chunks/changes?top=1", ""},
		{"A23 a host", "GET", "/api/hosts/port.example", ""},
		{"A1 refused", "POST", "/api/AddUrlDocument", `{"url":"ftp://port.example/"}`},
		{"A23 activity", "GET", "/api/activity?hours=48", ""},
		{"health", "GET", "/api/health", ""},
		{"the process", "GET", "/", ""},
		{"Z1 what a migration would do", "POST", "/api/migrate", `{"dryRun":true}`},
		{"Z1 migrate", "POST", "/api/migrate", `{}`},
		{"Z1 how far the migration is", "GET", "/api/migrate", ""},
	} {
		fmt.Fprintf(&log, "=== %s\n", step.name)
		r.now = r.now.Add(time.Second)
		if step.method == "" {
			r.work()
			continue
		}
		if strings.Contains(step.path, "CONTINUE") {
			step.path = strings.Replace(step.path, "CONTINUE", continuation(t, r), 1)
		}
		step.path = strings.NewReplacer("REBUILD", run.ID, "CAPTURE", digest, "UNDO", done.Undo.ID).Replace(step.path)
		w := do(t, r, step.method, step.path, step.body)
		switch {
		case step.path == "/api/RebuildIndex":
			must(t, json.Unmarshal(w.Body.Bytes(), &run))
		case step.method == http.MethodDelete:
			must(t, json.Unmarshal(w.Body.Bytes(), &done))
		}
		fmt.Fprintf(&log, "%s %s\n%s\n%s", step.method, step.path, step.body, answerOf(t, w))
	}
	golden(t, "contract.golden", log.String())
}

// answerOf returns an answer as a golden file has it: its status, its type and its body.
func answerOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	answer, media := w.Body.String(), w.Header().Get("Content-Type")
	if !strings.HasPrefix(media, "text/") {
		answer = pretty(t, w.Body.Bytes())
	}
	return fmt.Sprintf("%d %s\n%s\n\n", w.Code, media, answer)
}

func continuation(t *testing.T, r *rig) string {
	var page api.ItemPage
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items?top=2", "").Body.Bytes(), &page))
	return page.Continuation
}

func golden(t *testing.T, name, have string) {
	t.Helper()
	goldentest.Compare(t, filepath.Join("testdata", name), have)
}

// unknownID is the id of an item that does not exist.
var unknownID = "url_" + strings.Repeat("a", 26)

// refusals are requests that are refused, with the reasons.
var refusals = []struct {
	name, request, body string
	status              int
	field, detail       string // a part of the detail
}{
	{"unknown field", "POST /api/AddUrlDocument", `{"uri":"https://a.example/"}`, 400, "uri", `no field "uri"`},
	{"name in other letters", "POST /api/AddUrlDocument", `{"URL":"https://a.example/"}`, 400, "URL",
		`no field "URL"; known are ` +
			strings.Join(slices.Sorted(maps.Keys(form.Names(reflect.TypeFor[api.AddURLRequest]()))), ", ")},
	{"name in other letters within", "POST /api/RebuildIndex", `{"scope":{"Host":"a.example"}}`, 400, "scope.Host",
		`no field "scope.Host"; known are host`},
	{"field twice", "POST /api/AddUrlDocument", `{"url":"https://a.example/","force":true,"url":"https://b.example/"}`,
		400, "url", "url is given twice"},
	{"field twice, escaped", "POST /api/Search", `{"q":"a","\u0071":"b"}`, 400, "q", "q is given twice"},
	{"field twice within", "POST /api/RebuildIndex", `{"scope":{"host":"a.example","host":"b.example"}}`, 400,
		"scope.host", "scope.host is given twice"},
	{"long name", "POST /api/Search", `{"` + strings.Repeat("n", 5000) + `":1}`, 400, "",
		`there is no field "` + strings.Repeat("n", 100) + `"; known`},
	{"a comma more", "POST /api/Search", `{"q":"a",}`, 400, "", "not the JSON"},
	{"wrong type", "POST /api/AddUrlDocument", `{"url":5}`, 400, "url", "url must be text, not number"},
	{"wrong type of a list", "POST /api/AddUrlDocument", `{"urls":"https://a.example/"}`, 400, "urls", "a list"},
	{"wrong type of a flag", "POST /api/AddUrlDocument", `{"url":"https://a.example/","force":"yes"}`, 400, "force",
		"true or false"},
	{"wrong type of a number", "POST /api/Search", `{"q":"x","top":"many"}`, 400, "top", "a whole number"},
	{"a list", "POST /api/AddUrlDocument", `[]`, 400, "", "the body must be a JSON object"},
	{"null", "POST /api/AddUrlDocument", `null`, 400, "url", "url is missing"},
	{"url and urls", "POST /api/AddUrlDocument", `{"url":"https://a.example/","urls":["https://b.example/"]}`, 400, "urls",
		"not both"},
	{"no urls", "POST /api/AddUrlDocument", `{"urls":[]}`, 400, "url", "1 to 1000"},
	{"1,001 urls", "POST /api/AddUrlDocument", `{"urls":[` + strings.Repeat(`"",`, 1000) + `""]}`, 400, "urls",
		"1001 urls are too many"},
	{"A1 bad scheme", "POST /api/AddUrlDocument", `{"url":"ftp://a.example/"}`, 400, "url", "http"},
	{"A1 no host", "POST /api/AddUrlDocument", `{"url":"https://"}`, 400, "url", "url: "},
	{"A1 unparsable", "POST /api/AddUrlDocument", `{"url":"https://[::1"}`, 400, "url", "url: "},
	{"A3 relative path", "POST /api/AddFileDocument", `{"path":"docs/a.pdf"}`, 400, "path", "absolute"},
	{"A3 dots", "POST /api/AddFileDocument", `{"path":"/srv/../etc/passwd"}`, 400, "path", ". or .."},
	{"path and paths", "POST /api/AddFileDocument", `{"path":"/a","paths":["/b"]}`, 400, "paths", "not both"},
	{"A26 a bad glob", "POST /api/AddFileDocument", `{"path":"/srv/docs","files":{"exclude":["[a]"]}}`, 400,
		"files.exclude", "glob"},
	{"A24 bad credential", "POST /api/AddFileDocument", `{"path":"/a","credential":"a b"}`, 400, "credential", "A-Z"},
	{"A24 bad credential of a page", "POST /api/AddUrlDocument", `{"url":"https://a.example/","credential":"?"}`, 400,
		"credential", "A-Z"},
	{"A24 no such credential", "POST /api/AddFileDocument",
		`{"path":"https://acct.blob.core.windows.net/docs/a","credential":"nosuch"}`, 400, "credential",
		"want a setting CREDENTIAL_NOSUCH"},
	{"A24 no such credential of many", "POST /api/AddUrlDocument", `{"urls":["https://a.example/"],"credential":"nosuch"}`,
		400, "credential", "want a setting CREDENTIAL_NOSUCH"},
	{"A24 credential of another place", "POST /api/AddFileDocument",
		`{"path":"https://acct.blob.core.windows.net/other/a","credential":"docs"}`, 400, "credential",
		"a sas for https://acct.blob.core.windows.net/docs"},
	{"A24 credential of another page", "POST /api/AddUrlDocument", `{"url":"https://a.example/","credential":"wiki"}`, 400,
		"credential", "a bearer for https://wiki.example"},
	{"A24 credential of pages for a file", "POST /api/AddFileDocument",
		`{"path":"https://acct.blob.core.windows.net/docs/a","credential":"wiki"}`, 400, "credential", "want a sas, key"},
	{"A24 credential of files for a page", "POST /api/AddUrlDocument", `{"url":"https://a.example/","credential":"docs"}`,
		400, "credential", "want a bearer, basic"},
	{"A24 credential of a local file", "POST /api/AddFileDocument", `{"path":"/srv/a","credential":"docs"}`, 400,
		"credential", "takes no credential"},
	{"A3 outside FILE_ROOT", "POST /api/AddFileDocument", `{"path":"/etc/passwd"}`, 400, "path", "not below FILE_ROOT"},
	{"empty body", "POST /api/AddUrlDocument", ``, 400, "", "no body"},
	{"not JSON", "POST /api/AddUrlDocument", `url=https://a.example/`, 400, "", "not the JSON"},
	{"cut off", "POST /api/AddUrlDocument", `{"url":"https://a.ex`, 400, "", "not the JSON"},
	{"letters behind", "POST /api/AddUrlDocument", `{"url":"https://a.example/"}x`, 400, "", "behind the JSON"},
	{"more behind", "POST /api/AddUrlDocument", `{"url":"https://a.example/"} {}`, 400, "", "behind the JSON"},
	{"huge body", "POST /api/AddUrlDocument", `{"url":"https://port.example/` + strings.Repeat("x", wire.MaxBody) + `"}`, 413,
		"", "larger than"},
	{"neither id nor source", "POST /api/ReindexItem", `{"force":true}`, 400, "id", "id is missing"},
	{"id and source", "POST /api/ReindexItem", `{"id":"x","source":"https://a.example/"}`, 400, "source", "not both"},
	{"bad id", "POST /api/ReindexItem", `{"id":"page_1"}`, 400, "id", "url_"},
	{"bad source", "POST /api/ReindexItem", `{"source":"a b"}`, 400, "source", ""},
	{"unknown id", "POST /api/ReindexItem", `{"id":"` + unknownID + `"}`, 404, "", unknownID},
	{"unknown source", "POST /api/ReindexItem", `{"source":"https://a.example/never"}`, 404, "", "url_"},
	{"rebuild of an unknown host", "POST /api/RebuildIndex", `{"scope":{"host":"nobody.example"}}`, 404, "",
		"nobody.example"},
	{"rebuild of no host", "POST /api/RebuildIndex", `{"scope":{}}`, 400, "scope.host", "is missing"},
	{"rebuild of a bad host", "POST /api/RebuildIndex", `{"scope":{"host":"a b"}}`, 400, "scope.host", ""},
	{"rebuild without a body", "POST /api/RebuildIndex", ``, 400, "", "no body"},
	{"state of no rebuild", "GET /api/RebuildIndex", "", 400, "id", "is missing"},
	{"state of an unknown rebuild", "GET /api/RebuildIndex?id=rebuild-x", "", 404, "", "rebuild-x"},
	{"state of what is no rebuild", "GET /api/RebuildIndex?id=active%7Cx", "", 400, "id", "not the id"},
	{"unknown item", "GET /api/items/" + unknownID, "", 404, "", unknownID},
	{"bad item id", "GET /api/items/5", "", 400, "id", "url_"},
	{"removal of an unknown item", "DELETE /api/items/" + unknownID, "", 404, "", unknownID},
	{"removal by a bad id", "DELETE /api/items/5", "", 400, "id", "url_"},
	{"parameter of a removal", "DELETE /api/items/" + unknownID + "?force=1", "", 400, "force", "no parameter"},
	{"parameter of an item", "GET /api/items/" + unknownID + "?x=1", "", 400, "x", "no parameter"},
	{"unknown parameter", "GET /api/items?limit=5", "", 400, "limit", "known are host, status, " +
		"tag, paused, positional, find, ids, removing, sort, top, continuation"},
	{"bad number", "GET /api/items?top=ten", "", 400, "top", "from 1 to 1000"},
	{"number too large", "GET /api/items?top=1001", "", 400, "top", "from 1 to 1000"},
	{"bad status", "GET /api/items?status=Lost", "", 400, "status", "Pending"},
	{"bad continuation", "GET /api/items?continuation=x", "", 400, "continuation", "does not name"},
	{"continuation of nothing", "GET /api/items?continuation=" + unknownID, "", 400, "continuation", "does not name"},
	{"given twice", "GET /api/items?host=a&host=b", "", 400, "host", "2 times"},
	{"query that cannot be read", "GET /api/items?top=%zz", "", 400, "", "query of the URL"},
	{"no query", "GET /api/Search", "", 400, "q", "q is missing"},
	{"empty query", "POST /api/Search", `{"q":""}`, 400, "q", "q is missing"},
	{"query of a quote", "GET /api/Search?q=%22", "", 400, "q", "nothing to search for"},
	{"query without words", "POST /api/Search", `{"q":" *  \"\" - …"}`, 400, "q", "nothing to search for"},
	{"query too long", "GET /api/Search?q=" + strings.Repeat("x", 1001), "", 400, "q", "1000"},
	{"top of nothing", "GET /api/Search?q=x&top=0", "", 400, "top", "from 1 to 100"},
	{"top below nothing", "POST /api/Search", `{"q":"x","top":-1}`, 400, "top", "from 1 to 100"},
	{"top too large", "GET /api/Search?q=x&top=101", "", 400, "top", "from 1 to 100"},
	{"skip below nothing", "POST /api/Search", `{"q":"x","skip":-1}`, 400, "skip", "from 0 to"},
	{"since when", "GET /api/Search?q=x&since=yesterday", "", 400, "since", "a span such as 1h, 7d or week"},
	{"published when", "GET /api/Search?q=x&publishedAfter=2026", "", 400, "publishedAfter", "a day such as 2026-03-01"},
	{"changed when", "GET /api/Search?q=x&changedAfter=2026", "", 400, "changedAfter", "a day such as 2026-03-01"},
	{"changed twice", "GET /api/Search?q=x&changedAfter=day&since=week", "", 400, "changedAfter", "one of the two"},
	{"no path", "GET /api/Search?q=x&path=docs", "", 400, "path", "begin with a slash"},
	{"no tag", "GET /api/Search?q=x&tag=%2F", "", 400, "tag", "not a tag name"},
	{"no order", "GET /api/Search?q=x&sort=newest", "", 400, "sort", "relevance or changed"},
	{"no facet", "GET /api/Search?q=x&facets=host,colour", "", 400, "facets", "there is no facet"},
	{"facets that are a number", "POST /api/Search", `{"q":"x","facets":7}`, 400, "facets", ""},
	{"too much typed", "GET /api/suggest?q=" + strings.Repeat("x", 201), "", 400, "q", "200"},
	{"bad flag", "GET /api/Search?q=x&nestImages=perhaps", "", 400, "nestImages", "true or false"},
	{"A15 force in other letters", "POST /api/AddUrlDocument?Force=true", `{"url":"https://a.example/"}`, 400, "Force",
		`no parameter "Force"; known are force`},
	{"A15 force that is no flag", "POST /api/ReindexItem?force=always", `{"id":"` + unknownID + `"}`, 400, "force",
		"true or false"},
	{"A15 force twice", "POST /api/AddFileDocument?force=1&force=0", `{"path":"/srv/a"}`, 400, "force", "2 times"},
	{"A15 force of an audit", "POST /api/RebuildIndex?force=true", `{"audit":true}`, 400, "audit", "leave force"},
	{"A15 parameter of a registration", "POST /api/AddUrlDocument?url=https://a.example/", `{"url":"https://a.example/"}`,
		400, "url", `no parameter "url"`},
	{"A15 parameter of a rebuild", "POST /api/RebuildIndex?host=a.example", `{}`, 400, "host", "known are force"},
	{"A15 parameter of a search", "POST /api/Search?top=5", `{"q":"x"}`, 400, "top", "this route takes none"},
	{"A15 parameter of a backfill", "POST /api/backfill/runs?dryRun=true", `{"sources":["a"]}`, 400, "dryRun",
		"takes none"},
	{"A15 parameter of an entry", "POST /api/db/insert?force=true", `{}`, 400, "force", "takes none"},
	{"A15 parameter of a policy", "PUT /api/policies/p?x=1", `{}`, 400, "x", "takes none"},
	{"unknown host", "GET /api/SearchStatus?host=nobody.example", "", 404, "", "nobody.example"},
}

// TestErrors checks that every error is a problem document that names the error and its field.
func TestErrors(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			method, path, _ := strings.Cut(tt.request, " ")
			w := do(t, newRig(t), method, path, tt.body)
			p := problemOf(t, w)
			field := ""
			if len(p.Errors) > 0 {
				field = p.Errors[0].Field
			}
			if w.Code != tt.status || tt.field != "" && field != tt.field || !strings.Contains(p.Detail, tt.detail) {
				t.Errorf("have %d, field %q: %s; want %d, field %q: …%s…", w.Code, field, p.Detail, tt.status, tt.field, tt.detail)
			}
			if strings.Contains(p.Detail, "hunter2") {
				t.Errorf("the detail holds a secret: %s", p.Detail)
			}
			if w.Body.Len() > 2_000 {
				t.Errorf("%d bytes of answer", w.Body.Len())
			}
			if strings.Contains(p.Detail, "api.") || strings.Contains(p.Detail, "json:") {
				t.Errorf("the detail speaks of our code: %s", p.Detail)
			}
		})
	}
}

// TestUnrouted checks that a request without a route is answered with a problem that lists the routes (RFC 9457, and
// RFC 9110 §15.5.6 for Allow).
func TestUnrouted(t *testing.T) {
	for _, tt := range []struct {
		name, request string
		status        int
		allow, detail string
	}{
		{"unknown route", "GET /api/nothing", 404, "",
			"no route GET /api/nothing; there are DELETE /api/channels/{name}, DELETE /api/generations/{id}, "},
		{"no route at all", "GET /favicon.ico", 404, "", "no route GET /favicon.ico"},
		{"below a route", "GET /api/items/a/b", 404, "", "no route GET /api/items/a/b"},
		{"nothing below the prefix", "GET /api", 404, "", "no route GET /api"},
		{"long path", "GET /" + strings.Repeat("x", 5000), 404, "", "no route GET /" + strings.Repeat("x", 199) +
			"; there are"},
		{"wrong method, told as it was written", "DELETE /api/SearchStatus/", 405, "GET, HEAD",
			"DELETE is no method of /api/SearchStatus/: it takes GET, HEAD"},
		{"wrong method", "DELETE /api/items", 405, "GET, HEAD", "DELETE is no method of /api/items: it takes GET, HEAD"},
		{"wrong method of many", "PUT /API/RebuildIndex/", 405, "GET, HEAD, POST", "it takes GET, HEAD, POST"},
		{"unknown method", "TIDE /api/items/5", 405, "DELETE, GET, HEAD, PATCH", "TIDE is no method"},
		{"options", "OPTIONS /api/AddUrlDocument", 405, "POST", "it takes POST"},
		{"trigger by GET", "GET /CrawlWorker", 405, "POST", "it takes POST"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			method, path, _ := strings.Cut(tt.request, " ")
			w := do(t, newRig(t), method, path, "")
			if p := problemOf(t, w); w.Code != tt.status || w.Header().Get("Allow") != tt.allow ||
				!strings.Contains(p.Detail, tt.detail) {
				t.Errorf("have %d, Allow %q: %s\nwant %d, Allow %q: …%s…", w.Code, w.Header().Get("Allow"), p.Detail, tt.status,
					tt.allow, tt.detail)
			}
		})
	}
}

// TestPathsAndKeys checks that paths are accepted as hosts pass them on, and that the function key may be in the
// query.
func TestPathsAndKeys(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/API/HEALTH", "/api/Health", "/api/health?code=key", "/api/health/",
		"/Api/SEARCHSTATUS?code=key"} {
		if w := do(t, r, "GET", path, ""); w.Code != http.StatusOK {
			t.Errorf("GET %s: %d %s", path, w.Code, w.Body)
		}
	}
	do(t, r, "POST", "/API/addurldocument", `{"url":"https://port.example/ok/one"}`)
	upper := "/API/ITEMS/" + strings.ToUpper(idOf(t, "https://port.example/ok/one"))
	if w := do(t, r, "GET", upper, ""); w.Code != http.StatusOK {
		t.Errorf("GET %s: %d %s", upper, w.Code, w.Body)
	}
}

// TestOpenFailsThenWorks checks that services which cannot be opened are answered with 503 and opened again by the
// next request, and that GET / succeeds anyway.
func TestOpenFailsThenWorks(t *testing.T) {
	r := newRig(t)
	calls := 0
	h := New(Options{Open: func(context.Context) (*Services, error) {
		if calls++; calls < 3 {
			return nil, errors.New("dial tcp 10.0.0.7:10002: the password is hunter2")
		}
		return r.v, nil
	}})
	if w := do(t, h, "GET", "/", ""); w.Code != http.StatusOK || calls != 0 {
		t.Errorf("GET /: %d after %d openings", w.Code, calls)
	}
	w := do(t, h, "GET", "/api/items", "")
	if p := problemOf(t, w); w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "hunter2") ||
		p.Detail == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(t, h, "POST", "/CrawlTimer", `{}`); w.Code != http.StatusInternalServerError {
		t.Errorf("trigger: %d, want 500 so that the host tries again", w.Code)
	}
	if w := do(t, h, "GET", "/api/items", ""); w.Code != http.StatusOK {
		t.Errorf("third time: %d %s", w.Code, w.Body)
	}
}

// TestPanicInARoute checks that a request that panics is answered, and that the next request is served.
func TestPanicInARoute(t *testing.T) {
	h := New(Options{Open: func(context.Context) (*Services, error) { panic("secret of the house") }})
	w := do(t, h, "GET", "/api/items", "")
	if problemOf(t, w); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestKindsBecomeAnswers checks that an unforeseen error is answered with 500 and no details, and that a throttled
// one gives the time to wait.
func TestKindsBecomeAnswers(t *testing.T) {
	s := &server{Options: Options{Log: discard(), Metrics: telemetry.New()}}
	for kind, want := range map[fault.Kind]int{fault.Invalid: 400, fault.NotFound: 404, fault.Expired: 410,
		fault.Conflict: 409, fault.Blocked: 403, fault.TooLarge: 413, fault.NoRoom: 507, fault.Throttled: 429,
		fault.Unavailable: 503, fault.Internal: 500} {
		w := httptest.NewRecorder()
		s.answerError(w, httptest.NewRequest("GET", "/api/x", nil), faultOf(kind))
		p := problemOf(t, w)
		if w.Code != want || (p.Detail == "") != (want == 500) {
			t.Errorf("%s: %d %s", kind, w.Code, w.Body)
		}
		if after := w.Header().Get("Retry-After"); (after != "") != (want == http.StatusTooManyRequests) {
			t.Errorf("%s: Retry-After %q", kind, after)
		}
	}
}

// TestHealthDown checks that the health check reports problems with 503, but no details, which belong in the log.
func TestHealthDown(t *testing.T) {
	r := newRig(t)
	must(t, r.v.Index.Close())
	w := do(t, r, "GET", "/api/health", "")
	var h api.Health
	must(t, json.Unmarshal(w.Body.Bytes(), &h))
	if w.Code != http.StatusServiceUnavailable || h.Storage != "ok" || h.Index != "cannot be reached" || h.Status == "ok" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestA19SearchWithoutIndex checks that without an index, a search explains what to configure, and the health check
// succeeds (A19).
func TestA19SearchWithoutIndex(t *testing.T) {
	r := newRig(t)
	r.v.Index = search.None{}
	for _, w := range []*httptest.ResponseRecorder{do(t, r, "GET", "/api/Search?q=tide", ""),
		do(t, r, "POST", "/api/Search", `{"q":"tide"}`)} {
		if p := problemOf(t, w); w.Code != http.StatusServiceUnavailable ||
			!strings.Contains(p.Detail, "set SEARCH_ENDPOINT") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if w := do(t, r, "GET", "/api/Search?q=", ""); w.Code != http.StatusBadRequest {
		t.Errorf("a query that is none: %d %s", w.Code, w.Body)
	}
	w := do(t, r, "GET", "/api/health", "")
	var h api.Health
	must(t, json.Unmarshal(w.Body.Bytes(), &h))
	if w.Code != http.StatusOK || h.Status != "ok" || !strings.Contains(h.Index, "SEARCH_ENDPOINT") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
