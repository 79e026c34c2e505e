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

// serve starts a server that gives every request the same answer and remembers the last one.
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

// tideSHA256 is the digest of "tide".
const tideSHA256 = "8a28929ac7f9a17e97a421ac2cd63ac73568ebe87bc0cee641a193d91c761577"

type seen struct{ Line, Key, Body string }

// TestRoutes holds every method against the contract: the line, the key and the body it sends.
func TestRoutes(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		name, answer string
		call         func(*Client) error
		line, body   string
	}{
		{"AddURL", `{"id":"url_a"}`, func(c *Client) error {
			_, err := c.AddURL(ctx, "https://a.example/", AddOptions{Force: true})
			return err
		},
			"POST /api/AddUrlDocument", `{"url":"https://a.example/","force":true}`},
		{"AddURLs", `{"items":[{"source":"a"},{"source":"b"}]}`, func(c *Client) error { _, err := c.AddURLs(ctx, []string{"a", "b"}, AddOptions{}); return err },
			"POST /api/AddUrlDocument", `{"urls":["a","b"]}`},
		{"AddFile", `{}`, func(c *Client) error { _, err := c.AddFile(ctx, "/x", AddOptions{}); return err },
			"POST /api/AddFileDocument", `{"path":"/x"}`},
		{"AddFiles", `{"items":[{"source":"/x"}]}`, func(c *Client) error { _, err := c.AddFiles(ctx, []string{"/x"}, AddOptions{}); return err },
			"POST /api/AddFileDocument", `{"paths":["/x"]}`},
		{"Activity", `{}`, func(c *Client) error { _, err := c.Activity(ctx, 48); return err }, "GET /api/activity?hours=48", ""},
		{"Reindex", `{}`, func(c *Client) error { _, err := c.Reindex(ctx, ReindexRequest{ID: "url_a", Force: true}); return err },
			"POST /api/ReindexItem", `{"id":"url_a","force":true}`},
		{"Entry", `{}`, func(c *Client) error { _, err := c.Entry(ctx, "entry_a-b/c"); return err }, "GET /api/entries/entry_a-b%2Fc", ""},
		{"Entries", `{}`, func(c *Client) error {
			_, err := c.Entries(ctx, EntryQuery{Policy: "p", Top: 5, Continuation: "x"})
			return err
		}, "GET /api/entries?continuation=x&policy=p&top=5", ""},
		{"Rebuild", `{"id":"run_1"}`, func(c *Client) error {
			_, err := c.StartRebuild(ctx, RebuildRequest{Scope: &RebuildScope{Host: "a.example"}, Refetch: true})
			return err
		}, "POST /api/RebuildIndex", `{"scope":{"host":"a.example"},"refetch":true}`},
		{"StartBackfill", `{}`, func(c *Client) error {
			_, err := c.StartBackfill(ctx, BackfillRequest{Sources: []string{"port"}, DryRun: true})
			return err
		}, "POST /api/backfill/runs", `{"sources":["port"],"dryRun":true}`},
		{"BackfillRun", `{}`, func(c *Client) error { _, err := c.BackfillRun(ctx, "backfill-x"); return err },
			"GET /api/backfill/runs/backfill-x", ""},
		{"BackfillRuns", `{}`, func(c *Client) error { _, err := c.BackfillRuns(ctx, 5, "backfill-x"); return err },
			"GET /api/backfill/runs?continuation=backfill-x&top=5", ""},
		{"ResumeBackfill", `{}`, func(c *Client) error { _, err := c.ResumeBackfill(ctx, "backfill-x"); return err },
			"POST /api/backfill/runs/backfill-x/resume", ""},
		{"PauseBackfill", `{}`, func(c *Client) error { _, err := c.PauseBackfill(ctx, "backfill-x"); return err },
			"POST /api/backfill/runs/backfill-x/pause", ""},
		{"CancelBackfill", `{}`, func(c *Client) error { _, err := c.CancelBackfill(ctx, "backfill-x"); return err },
			"POST /api/backfill/runs/backfill-x/cancel", ""},
		{"BackfillSites", `{}`, func(c *Client) error { _, err := c.BackfillSites(ctx); return err },
			"GET /api/backfill/sites", ""},
		{"ImportMbox", `{}`, func(c *Client) error { _, err := c.ImportMbox(ctx, ImportRequest{MboxPath: "a.mbox"}); return err },
			"POST /api/import/email/mbox", `{"mbox_path":"a.mbox"}`},
		{"Import", `{}`, func(c *Client) error { _, err := c.Import(ctx, "mbox-1"); return err }, "GET /api/import/email/mbox-1", ""},
		{"Imports", `{}`, func(c *Client) error { _, err := c.Imports(ctx, 5); return err }, "GET /api/import/email?top=5", ""},
		{"Images", `{}`, func(c *Client) error { _, err := c.Images(ctx, "url_a"); return err }, "GET /api/items/url_a/images", ""},
		{"Enrich", `{}`, func(c *Client) error { _, err := c.Enrich(ctx, EnrichRequest{EntryID: "e"}); return err },
			"POST /api/enrich/tier1", `{"entry_id":"e"}`},
		{"EnrichBatch", `{}`, func(c *Client) error { _, err := c.EnrichBatch(ctx, []string{"e"}); return err },
			"POST /api/enrich/tier1/batch", `{"entry_ids":["e"]}`},
		{"EnrichBatches", `{}`, func(c *Client) error {
			_, err := c.EnrichBatches(ctx, EnrichList{Schema: "pkm", Top: 5, Before: "t1-x"})
			return err
		}, "GET /api/enrich/tier1/batches?before=t1-x&schema=pkm&top=5", ""},
		{"EnrichBatchState", `{}`, func(c *Client) error { _, err := c.EnrichBatchState(ctx, "t1-x.2"); return err },
			"GET /api/enrich/tier1/batches/t1-x.2", ""},
		{"CancelEnrichBatch", `{}`, func(c *Client) error { _, err := c.CancelEnrichBatch(ctx, "t1-x.2"); return err },
			"POST /api/enrich/tier1/batches/t1-x.2/cancel", ""},
		{"Search", `{}`, func(c *Client) error { _, err := c.Search(ctx, SearchRequest{Q: "tide", Top: 3}); return err },
			"POST /api/Search", `{"q":"tide","top":3}`},
		{"Status", `{}`, func(c *Client) error { _, err := c.Status(ctx, "a.example"); return err },
			"GET /api/SearchStatus?host=a.example", ""},
		{"Items", `{}`, func(c *Client) error {
			_, err := c.Items(ctx, ItemQuery{Status: StatusError, Top: 5, Continuation: "a b"})
			return err
		}, "GET /api/items?continuation=a+b&status=Error&top=5", ""},
		{"Item", `{}`, func(c *Client) error { _, err := c.Item(ctx, "url_a/b"); return err }, "GET /api/items/url_a%2Fb", ""},
		{"Capture", "tide", func(c *Client) error { _, err := c.Capture(ctx, "url_a", tideSHA256); return err },
			"GET /api/items/url_a/captures/" + tideSHA256 + "?raw=true", ""},
		{"Captures", `{}`, func(c *Client) error { _, err := c.Captures(ctx, "url_a", "b"); return err }, "GET /api/items/url_a/captures?continuation=b", ""},
		{"Edges", `{}`, func(c *Client) error { _, err := c.Edges(ctx, "url_a", ""); return err }, "GET /api/items/url_a/lineage", ""},
		{"DeleteItem", `{"id":"url_a"}`, func(c *Client) error { _, err := c.DeleteItem(ctx, "url_a"); return err }, "DELETE /api/items/url_a", ""},
		{"NormalizeTelegram", `{"content_type":"link"}`, func(c *Client) error {
			_, err := c.NormalizeTelegram(ctx, TelegramRequest{Text: "x", Source: TelegramSource{ChatID: "1", MessageID: "2"}})
			return err
		}, "POST /api/normalize/telegram", `{"text":"x","source":{"chat_id":"1","message_id":"2"}}`},
		{"NormalizeEmail", `{}`, func(c *Client) error {
			_, err := c.NormalizeEmail(ctx, EmailRequest{RawText: "x", Subject: "y"})
			return err
		},
			"POST /api/normalize/email", `{"raw_text":"x","subject":"y"}`},
		{"NormalizeWebpage", `{}`, func(c *Client) error {
			_, err := c.NormalizeWebpage(ctx, WebpageRequest{Text: new(string)})
			return err
		}, "POST /api/normalize/webpage", `{"text":""}`},
		{"InsertEntry", `{"action":"inserted"}`, func(c *Client) error { _, err := c.InsertEntry(ctx, Entry{Source: "a"}); return err },
			"POST /api/db/insert", `{"source":"a"}`},
		{"InsertEntries", `{"results":[{"_batch_ok":true}]}`, func(c *Client) error {
			_, err := c.InsertEntries(ctx, EntryBatch{Items: []Entry{{Source: "a"}}, ContinueOnError: true})
			return err
		}, "POST /api/db/insert", `{"items":[{"source":"a"}],"continue_on_error":true}`},
		{"UpdateEntry", `{}`, func(c *Client) error { _, err := c.UpdateEntry(ctx, Entry{EntryID: "e"}); return err }, "POST /api/db/update", `{"entry_id":"e"}`},
		{"UpdateEntries", `{"results":[{}]}`, func(c *Client) error {
			_, err := c.UpdateEntries(ctx, EntryBatch{Items: []Entry{{ID: "e"}}})
			return err
		}, "POST /api/db/update", `{"items":[{"id":"e"}]}`},
		{"Policies", `{}`, func(c *Client) error { _, err := c.Policies(ctx); return err }, "GET /api/policies", ""},
		{"SavePolicy", `{}`, func(c *Client) error {
			_, err := c.SavePolicy(ctx, Policy{PolicyKey: "a", Source: "b", ConflictAction: "skip"})
			return err
		}, "PUT /api/policies/a", `{"policy_key":"a","source":"b","content_type":"","conflict_action":"skip","update_fields":null,"enabled":false}`},
		{"TestMode", `{"is_test_mode":true}`, func(c *Client) error { _, err := c.TestMode(ctx); return err }, "GET /api/test-mode", ""},
		{"SetTestMode", `{"is_test_mode":false}`, func(c *Client) error { _, err := c.SetTestMode(ctx, false); return err }, "PUT /api/test-mode", `{"is_test_mode":false}`},
		{"ToggleTestMode", `{}`, func(c *Client) error { _, err := c.ToggleTestMode(ctx); return err }, "POST /api/test-mode/toggle", ""},
		{"Config", `{}`, func(c *Client) error { _, err := c.Config(ctx); return err }, "GET /api/config", ""},
		{"Health", `{"status":"ok"}`, func(c *Client) error { _, err := c.Health(ctx); return err }, "GET /api/health", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, last := serve(t, 200, "application/json", tt.answer)
			if err := tt.call(c); err != nil {
				t.Fatal(err)
			}
			want := seen{Line: tt.line, Key: "secret", Body: tt.body}
			if diff := cmp.Diff(want, *last); diff != "" {
				t.Errorf("request (-want +have):\n%s", diff)
			}
		})
	}
}

// A capture that is not what its name says is an error.
func TestCaptureIsVerified(t *testing.T) {
	c, _ := serve(t, 200, "text/html", "ebb")
	if _, err := c.Capture(t.Context(), "url_a", tideSHA256); err == nil || !strings.Contains(err.Error(), "other bytes") {
		t.Errorf("have %v", err)
	}
}

func TestRefusals(t *testing.T) {
	const js = "application/json"
	for _, tt := range []struct {
		name, media, body string
		status            int
		want              string // with SERVER for the address
	}{
		{"problem document", ProblemType, `{"title":"Bad Request","status":400,"detail":"url has no host","errors":[{"field":"url","message":"url has no host"}]}`, 400,
			"url has no host"},
		{"field not named by the detail", ProblemType, `{"title":"Bad Request","detail":"the request is not valid","errors":[{"field":"top","message":"at most 100"}]}`, 400,
			"the request is not valid; top: at most 100"},
		{"title alone", ProblemType, `{"title":"Not Found"}`, 404, "Not Found"},
		{"host refuses the key with an empty body", "", "", 401,
			"SERVER refused the key (401): give a function key with --key or TIDEMARK_KEY"},
		{"plain text from in between", "text/plain", "bad\n gateway", 502, "SERVER answered 502 Bad Gateway to GET /api/SearchStatus: bad gateway"},
		{"a page of HTML is not quoted", "text/html; charset=utf-8", "<h1>nginx</h1>", 404, "SERVER answered 404 Not Found to GET /api/SearchStatus"},
		{"long text is cut", "text/plain", strings.Repeat("é", 300), 500,
			"SERVER answered 500 Internal Server Error to GET /api/SearchStatus: " + strings.Repeat("é", 200) + "…"},
		{"JSON that is no problem", js, `{"status":"down"}`, 503, `SERVER answered 503 Service Unavailable to GET /api/SearchStatus: {"status":"down"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := serve(t, tt.status, tt.media, tt.body)
			_, err := c.Status(context.Background(), "")
			p, ok := errors.AsType[*Problem](err)
			if !ok || p.Status != tt.status {
				t.Fatalf("have %#v, want a *Problem of status %d", err, tt.status)
			}
			if have := strings.ReplaceAll(err.Error(), c.Server(), "SERVER"); have != tt.want {
				t.Errorf("have %q\nwant %q", have, tt.want)
			}
		})
	}
}

// TestRedirectIsNotFollowed proves that the key never travels to another host.
func TestRedirectIsNotFollowed(t *testing.T) {
	other, last := serve(t, 200, "application/json", `{}`)
	srv := httptest.NewServer(http.RedirectHandler(other.Server()+"/api/SearchStatus", http.StatusFound))
	t.Cleanup(srv.Close)
	_, err := NewClient(srv.URL, "secret", nil).Status(context.Background(), "")
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
	_, err := NewClient(srv.URL+"/api/", "", nil).Health(context.Background())
	want := "no answer from " + srv.URL + " (connection refused): start it with `tidemark start`, or name another server with --server or TIDEMARK_SERVER"
	if _, ok := errors.AsType[*UnreachableError](err); !ok || err.Error() != want {
		t.Errorf("have %v\nwant %v", err, want)
	}
}

func TestUnreachableSlow(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(release) })
	_, err := NewClient(srv.URL, "", &http.Client{Timeout: time.Millisecond}).Health(context.Background())
	if err == nil || !strings.Contains(err.Error(), "(timed out)") {
		t.Errorf("have %v, want timed out", err)
	}
}

func TestBadServer(t *testing.T) {
	for _, server := range []string{"http://a b", "http://[::1", "ht!tp://x"} {
		_, err := NewClient(server, "", nil).Health(context.Background())
		if err == nil || !strings.Contains(err.Error(), "is no server address") {
			t.Errorf("%s: have %v", server, err)
		}
	}
}

func TestCancelledIsNotUnreachable(t *testing.T) {
	c, _ := serve(t, 200, "", "{}")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Health(ctx); !errors.Is(err, context.Canceled) || errors.As(err, new(*UnreachableError)) {
		t.Errorf("have %v, want context.Canceled", err)
	}
}

func TestAnswers(t *testing.T) {
	ctx := context.Background()
	t.Run("not JSON", func(t *testing.T) {
		c, _ := serve(t, 200, "text/html", "<html>")
		if _, err := c.Health(ctx); err == nil || !strings.Contains(err.Error(), "is not Tidemark's JSON") {
			t.Errorf("have %v", err)
		}
	})
	t.Run("a source without an answer", func(t *testing.T) {
		c, _ := serve(t, 202, "application/json", `{"items":[{"source":"a"}]}`)
		if _, err := c.AddURLs(ctx, []string{"a", "b"}, AddOptions{}); err == nil || !strings.Contains(err.Error(), "answered 1 of 2") {
			t.Errorf("have %v", err)
		}
	})
	t.Run("tee sees the bytes", func(t *testing.T) {
		c, _ := serve(t, 200, "application/json", `{"status":"ok", "new":1}`)
		var have string
		if _, err := c.Tee(func(b []byte) { have = string(b) }).Health(ctx); err != nil || have != `{"status":"ok", "new":1}` {
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

// TestPages proves that a listing ends, whatever the server says.
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

// TestItemJSON holds the column names of seed 003 §4 as API.md flattens them.
func TestItemJSON(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	n, yes := int64(7), true
	full := Item{ID: "url_a", Type: TypeURL, Status: StatusIndexed, NormalizedSource: "s", DisplaySource: "d", SourceHost: "h",
		ParentPageID: "p", ContentGroupID: "g", ReindexGeneration: 2, HTTPETag: "e", HTTPLastModified: at, HTTPContentLength: &n,
		HTTPStatusCode: 200, HTTPRedirectChain: []string{"r"}, HTTPRobotsAllowed: &yes, HTTPCanonicalURL: "c", FileETag: "fe",
		FileLastModified: at, FileLength: &n, FileContentType: "ct", ContentHash: "ch", TextHash: "th", Language: "en",
		MimeType: "text/html", LastIndexedDocID: "doc", ImageCount: 1, FirstSeen: at, LastChecked: at, LastChanged: at,
		LastIndexed: at, NextCrawlAt: at, CrawlIntervalSeconds: 86400, CrawlAttempts: 3, ErrorMessage: "m", AliasOf: "url_x",
		RemoveRequested: true, HeldSince: at, GoneSince: at}
	for _, tt := range []struct {
		name string
		item Item
		want string
	}{
		{"every column", full, `id type status normalizedSource displaySource sourceHost parentPageId contentGroupId
			reindexRequested reindexGeneration httpEtag httpLastModified httpContentLength httpStatusCode httpRedirectChain
			httpRobotsAllowed httpCanonicalUrl fileEtag fileLastModified fileLength fileContentType contentHash textHash
			language mimeType lastIndexedDocId imageCount firstSeen lastChecked lastChanged lastIndexed nextCrawlAt
			crawlIntervalSeconds crawlAttempts errorMessage aliasOf removeRequested heldSince goneSince`},
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

// TestStatusJSON shows that the counts stand beside the host, as the contract has them.
func TestStatusJSON(t *testing.T) {
	const wire = `{"items":{"Indexed":2,"Error":1},"due":3,"inFlight":4,"changeRate":0.5,"errorRate":0.25,
		"asOf":"2026-03-01T12:00:00Z","hosts":[{"host":"a.example","items":{"Indexed":2},"due":1,"pausedUntil":"2026-03-01T13:00:00Z"}]}`
	var have SearchStatus
	if err := json.Unmarshal([]byte(wire), &have); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := SearchStatus{
		Counts: Counts{Items: map[Status]int{StatusIndexed: 2, StatusError: 1}, Due: 3, InFlight: 4, ChangeRate: 0.5, ErrorRate: 0.25},
		AsOf:   at,
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
