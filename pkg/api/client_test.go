package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serve starts a server that gives every request the same answer and records the last request.
func serve(t *testing.T, status int, contentType, body string) (*Client, *seen) {
	t.Helper()
	last := &seen{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		*last = seen{Line: r.Method + " " + r.URL.RequestURI(), Key: r.Header.Get("x-functions-key"), Body: string(b)}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return NewClient(srv.URL, "secret", nil), last
}

type seen struct{ Line, Key, Body string }

// TestCaptureIsVerified checks that a capture with another digest is an error.
func TestCaptureIsVerified(t *testing.T) {
	c, _ := serve(t, 200, "text/html", "ebb")
	_, err := c.Capture(t.Context(), "url_a", tideSHA256)
	if err == nil || !strings.Contains(err.Error(), "not those of capture") {
		t.Errorf("have %v", err)
	}
}

func TestRefusals(t *testing.T) {
	const js = "application/json"
	for _, tt := range []struct {
		name, media, body string
		status            int
		want              string // SERVER stands for the address
	}{
		{"problem document", ProblemType,
			`{"title":"Bad Request","status":400,"detail":"url has no host","errors":[{"field":"url","message":"url has no host"}]}`, 400,
			"url has no host"},
		{"field not named by the detail", ProblemType,
			`{"title":"Bad Request","detail":"the request is not valid","errors":[{"field":"top","message":"at most 100"}]}`,
			400,
			"the request is not valid; top: at most 100"},
		{"title alone", ProblemType, `{"title":"Not Found"}`, 404, "Not Found"},
		{"host refuses the key with an empty body", "", "", 401,
			"SERVER refused the key (401): give a valid one with --key or TIDEMARK_KEY, in Azure a function key"},
		{"plain text from in between", "text/plain", "bad\n gateway", 502,
			"SERVER answered 502 Bad Gateway to GET /api/SearchStatus: bad gateway"},
		{"a page of HTML is not quoted", "text/html; charset=utf-8", "<h1>nginx</h1>", 404,
			"SERVER answered 404 Not Found to GET /api/SearchStatus"},
		{"long text is cut", "text/plain", strings.Repeat("é", 300), 500,
			"SERVER answered 500 Internal Server Error to GET /api/SearchStatus: " + strings.Repeat("é", 200) + "…"},
		{"JSON that is no problem", js, `{"status":"down"}`, 503,
			`SERVER answered 503 Service Unavailable to GET /api/SearchStatus: {"status":"down"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := serve(t, tt.status, tt.media, tt.body)
			_, err := GetStatus.Call(context.Background(), c, StatusQuery{})
			p, ok := errors.AsType[*Problem](err)
			if !ok || p.Status != tt.status {
				t.Fatalf("have %#v, want a *Problem of status %d", err, tt.status)
			}
			if have := strings.ReplaceAll(err.Error(), c.server, "SERVER"); have != tt.want {
				t.Errorf("have %q\nwant %q", have, tt.want)
			}
		})
	}
}

// TestRedirectIsNotFollowed checks that the key is never sent to another host.
func TestRedirectIsNotFollowed(t *testing.T) {
	other, last := serve(t, 200, "application/json", `{}`)
	srv := httptest.NewServer(http.RedirectHandler(other.server+"/api/SearchStatus", http.StatusFound))
	t.Cleanup(srv.Close)
	_, err := GetStatus.Call(context.Background(), NewClient(srv.URL, "secret", nil), StatusQuery{})
	if err == nil || !strings.Contains(err.Error(), "sends on to") {
		t.Errorf("have %v, want an error that names the other server", err)
	}
	if last.Line != "" {
		t.Errorf("the other server was asked: %+v", *last)
	}
}

func TestUnreachable(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	_, err := GetHealth.Call(context.Background(), NewClient(srv.URL+"/api/", "", nil), None{})
	want := "no answer from " + srv.URL +
		" (connection refused): start it with `tidemark start`, or name another server with --server or TIDEMARK_SERVER"
	if _, ok := errors.AsType[*UnreachableError](err); !ok || err.Error() != want {
		t.Errorf("have %v\nwant %v", err, want)
	}
}

func TestUnreachableSlow(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(release) })
	_, err := GetHealth.Call(context.Background(), NewClient(srv.URL, "", &http.Client{Timeout: time.Millisecond}), None{})
	if err == nil || !strings.Contains(err.Error(), "(timed out)") {
		t.Errorf("have %v, want timed out", err)
	}
}

func TestBadServer(t *testing.T) {
	for _, server := range []string{"http://a b", "http://[::1", "ht!tp://x"} {
		_, err := GetHealth.Call(context.Background(), NewClient(server, "", nil), None{})
		if err == nil || !strings.Contains(err.Error(), "is no server address") {
			t.Errorf("%s: have %v", server, err)
		}
	}
}

func TestCancelledIsNotUnreachable(t *testing.T) {
	c, _ := serve(t, 200, "", "{}")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := GetHealth.Call(ctx, c, None{}); !errors.Is(err, context.Canceled) ||
		errors.As(err, new(*UnreachableError)) {
		t.Errorf("have %v, want context.Canceled", err)
	}
}

func TestAnswers(t *testing.T) {
	ctx := context.Background()
	t.Run("not JSON", func(t *testing.T) {
		c, _ := serve(t, 200, "text/html", "<html>")
		if _, err := GetHealth.Call(ctx, c, None{}); err == nil || !strings.Contains(err.Error(), "is not Tidemark's JSON") {
			t.Errorf("have %v", err)
		}
	})
	t.Run("a source without an answer", func(t *testing.T) {
		c, _ := serve(t, 202, "application/json", `{"items":[{"source":"a"}]}`)
		if _, err := c.AddURLs(ctx, []string{"a", "b"}, AddOptions{}); err == nil ||
			!strings.Contains(err.Error(), "answered 1 of 2") {
			t.Errorf("have %v", err)
		}
	})
	t.Run("S6 a health that is not ok", func(t *testing.T) {
		c, _ := serve(t, 503, "application/json; charset=utf-8",
			`{"status":"unavailable","storage":"the disk is full","index":"ok"}`)
		if h, err := GetHealth.Call(ctx, c, None{}); err != nil || h.Storage != "the disk is full" || h.Index != "ok" {
			t.Errorf("have %+v, %v", h, err)
		}
		c, _ = serve(t, 503, ProblemType, `{"title":"Service Unavailable","status":503,"detail":"no services"}`)
		if _, err := GetHealth.Call(ctx, c, None{}); err == nil || !strings.Contains(err.Error(), "no services") {
			t.Errorf("have %v", err)
		}
	})
	t.Run("tee sees the bytes", func(t *testing.T) {
		c, _ := serve(t, 200, "application/json", `{"status":"ok", "new":1}`)
		var have string
		if _, err := GetHealth.Call(ctx, c.Tee(func(b []byte) { have = string(b) }), None{}); err != nil ||
			have != `{"status":"ok", "new":1}` {
			t.Errorf("have %q, %v", have, err)
		}
	})
}

func TestReadBounded(t *testing.T) {
	if _, err := readBounded(strings.NewReader("12345"), 5); err != nil {
		t.Errorf("at the bound: %v", err)
	}
	if _, err := readBounded(strings.NewReader("123456"), 5); err == nil {
		t.Error("past the bound: no error")
	}
}

// TestPages checks that a listing ends, whatever the server answers.
func TestPages(t *testing.T) {
	pages := map[string]string{
		"":     `{"items":[{"id":"url_a"}],"continuation":"2"}`,
		"2":    `{"items":[{"id":"url_b"}],"continuation":"3"}`,
		"3":    `{"items":[]}`,
		"loop": `{"items":[],"continuation":"loop"}`,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, pages[r.FormValue("continuation")])
	}))
	t.Cleanup(srv.Close)
	c := NewClient(srv.URL, "", nil)
	var ids []string
	for page, err := range c.Pages(context.Background(), ItemQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			ids = append(ids, it.ID)
		}
	}
	if diff := cmp.Diff([]string{"url_a", "url_b"}, ids); diff != "" {
		t.Error(diff)
	}
	n := 0
	for _, err := range c.Pages(context.Background(), ItemQuery{Continuation: "loop"}) {
		if n++; n > 1 || err == nil {
			t.Fatalf("page %d of a loop: %v", n, err)
		}
	}
}

// TestItemJSON checks the column names of spec 003 §4, in the flat form of API.md.
func TestItemJSON(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	n, yes := int64(7), true
	full := Item{ID: "url_a", Type: TypeURL, Status: StatusIndexed, NormalizedSource: "s", DisplaySource: "d",
		SourceHost:   "h",
		ParentPageID: "p", ContentGroupID: "g", ReindexGeneration: 2, HTTPETag: "e", HTTPLastModified: at,
		HTTPContentLength: &n,
		HTTPStatusCode:    200, HTTPRedirectChain: []string{"r"}, HTTPRobotsAllowed: &yes, HTTPCanonicalURL: "c",
		FileETag:         "fe",
		FileLastModified: at, FileLength: &n, FileContentType: "ct", ContentHash: "ch", TextHash: "th", Language: "en",
		MimeType: "text/html", LastIndexedDocID: "doc", ImageCount: 1, FirstSeen: at, LastChecked: at, LastChanged: at,
		LastIndexed: at, NextCrawlAt: at, CrawlIntervalSeconds: 86400, CrawlAttempts: 3, ErrorMessage: "m", AliasOf: "url_x",
		RemoveRequested: true, GuardedSince: at, UnlinkedSince: at, GoneSince: at}
	for _, tt := range []struct {
		name string
		item Item
		want string
	}{
		{"every column", full, `id type status normalizedSource displaySource sourceHost parentPageId contentGroupId
			reindexRequested reindexGeneration httpEtag httpLastModified httpContentLength httpStatusCode httpRedirectChain
			httpRobotsAllowed httpCanonicalUrl fileEtag fileLastModified fileLength fileContentType contentHash textHash
			language mimeType lastIndexedDocId imageCount firstSeen lastChecked lastChanged lastIndexed nextCrawlAt
			crawlIntervalSeconds crawlAttempts errorMessage aliasOf removeRequested heldSince
			unlinkedSince goneSince`},
		{"a new item has no empty times", Item{}, `id type status normalizedSource reindexRequested reindexGeneration
			imageCount crawlAttempts`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := json.Marshal(tt.item)
			if err != nil {
				t.Fatal(err)
			}
			have := map[string]any{}
			if err := json.Unmarshal(b, &have); err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			for _, name := range strings.Fields(tt.want) {
				want[name] = true
			}
			for name := range have {
				if !want[name] {
					t.Errorf("unexpected %s", name)
				}
				delete(want, name)
			}
			if len(want) > 0 {
				t.Errorf("missing %v", want)
			}
		})
	}
}

// TestStatusJSON checks that the counts and the host are fields of the same object, as in the contract.
func TestStatusJSON(t *testing.T) {
	const wire = `{"items":{"Indexed":2,"Error":1},"due":3,"inFlight":4,"changeRate":0.5,"errorRate":0.25,
		"asOf":"2026-03-01T12:00:00Z","hosts":[{"host":"a.example","items":{"Indexed":2},"due":1,"pausedUntil":"2026-03-01T13:00:00Z"}]}`
	var have SearchStatus
	if err := json.Unmarshal([]byte(wire), &have); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := SearchStatus{
		Counts: Counts{Items: map[Status]int{StatusIndexed: 2, StatusError: 1}, Due: 3, InFlight: 4, ChangeRate: 0.5,
			ErrorRate: 0.25},
		AsOf: at,
		Hosts: []HostStatus{{Host: "a.example", PausedUntil: at.Add(time.Hour),
			Counts: Counts{Items: map[Status]int{StatusIndexed: 2}, Due: 1}}},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	if have.Total() != 3 || have.Backlog() != 7 {
		t.Errorf("total %d, backlog %d; want 3, 7", have.Total(), have.Backlog())
	}
}
