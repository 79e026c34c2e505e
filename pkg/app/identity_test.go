package app

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// upgraded is an app over a store whose content was made by older rules.
type upgraded struct {
	t     *testing.T
	store storage.Store
	index string
	log   bytes.Buffer
	*handlers.Services
	http.Handler
}

// version1 has rows of the present form, which a build with the rules url_v1 wrote, and was exported. Its site no
// longer exists, so its pages are due in the year 2999, except one whose check failed.
const version1 = "testdata/store-url_v1"

func upgrade(t *testing.T) *upgraded {
	t.Helper()
	u := &upgraded{t: t, store: mem.New(time.Now), index: filepath.Join(t.TempDir(), "index.db")}
	cfg, err := Load(env(nil))
	must(t, err)
	plan := StatePlan(cfg)
	for _, table := range append(slices.Clone(plan.Tables), plan.Hints) {
		must(t, u.store.Table(table).Create(t.Context()))
	}
	for _, c := range plan.Containers {
		must(t, u.store.Container(c).Create(t.Context()))
	}
	_, err = transfer.Import(t.Context(), copyOf(t, version1), u.store, plan, transfer.Options{})
	must(t, err)
	return u
}

// open starts a process over the store, with some settings.
func (u *upgraded) open(settings map[string]string) {
	u.t.Helper()
	cfg, err := Load(env(settings))
	must(u.t, err)
	index, err := sqlitesearch.Open(u.index, sqlitesearch.Options{})
	must(u.t, err)
	u.t.Cleanup(func() { _ = index.Close() })
	u.Services, err = Assemble(u.t.Context(), cfg, env(settings), u.store, index,
		slog.New(slog.NewTextHandler(&u.log, nil)))
	must(u.t, err)
	open := func(context.Context) (*handlers.Services, error) { return u.Services, nil }
	u.Handler = handlers.New(handlers.Options{Open: open})
}

// settle runs the timer and the workers until nothing is left to do.
func (u *upgraded) settle() {
	u.t.Helper()
	for range 4 {
		u.call("POST", "/CrawlTimer", `{"Data":{},"Metadata":{}}`)
		u.deliver("rebuild-steps", "/RebuildWorker")
		u.deliver(registry.JobQueue, "/CrawlWorker")
	}
}

func (u *upgraded) deliver(queue, trigger string) {
	u.t.Helper()
	q := u.store.Queue(queue)
	got, err := q.Receive(u.t.Context(), 32, time.Minute)
	must(u.t, err)
	for _, m := range got {
		text, _ := json.Marshal(string(m.Body))
		body, _ := json.Marshal(map[string]any{"Data": map[string]string{"job": string(text)}, "Metadata": map[string]any{}})
		if w := u.call("POST", trigger, string(body)); w.Code != http.StatusOK {
			u.t.Fatalf("%s: %d %s", trigger, w.Code, w.Body)
		}
		must(u.t, q.Delete(u.t.Context(), m))
	}
}

func (u *upgraded) call(method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	u.ServeHTTP(w, httptest.NewRequestWithContext(u.t.Context(), method, path, strings.NewReader(body)))
	return w
}

func (u *upgraded) get(path string, into any) {
	u.t.Helper()
	w := u.call("GET", path, "")
	if w.Code != http.StatusOK {
		u.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	must(u.t, json.Unmarshal(w.Body.Bytes(), into))
}

func (u *upgraded) id(url string) string {
	u.t.Helper()
	s, err := u.Rules.ParseURL(url)
	must(u.t, err)
	return string(s.ID())
}

// found returns the addresses in the results for a word.
func (u *upgraded) found(word string) (urls []string) {
	u.t.Helper()
	var res api.SearchResponse
	u.get("/api/Search?q="+word, &res)
	for _, p := range res.Results {
		urls = append(urls, p.URL)
	}
	slices.Sort(urls)
	return urls
}

// Ids under url_v1 of http://localhost.:18765/harbour and …/both.
const (
	oldHarbour = "url_eq4reuvo6bmkt7dfhivmixe2o3"
	oldBoth    = "url_6i3mrf5xqglgxev5hvjhi5lzvk"
)

// Z1: a store of the rules before url_v2 is migrated when it is first opened, without a request to any site. Items
// continue under a new identity or are merged, captures and edges stay unchanged, and old ids still work.
func TestZ1StoreOfTheVersionBefore(t *testing.T) {
	u := upgrade(t)
	u.open(nil)
	var h api.Health
	if u.get("/api/health", &h); h.Migration != api.MigrationRunning {
		t.Errorf("health %+v", h)
	}
	u.settle()
	u.open(nil) // once more, by another process
	u.settle()
	h = api.Health{}
	if u.get("/api/health", &h); h.Migration != "" {
		t.Errorf("health afterwards %+v", h)
	}

	harbour := u.id("http://localhost:18765/harbour")
	w := u.call("GET", "/api/items/"+oldHarbour, "")
	if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "/api/items/"+harbour {
		t.Errorf("the old id answers %d, %q", w.Code, w.Header().Get("Location"))
	}
	var it api.ItemDetail
	u.get("/api/items/"+harbour, &it)
	if it.Status != "Indexed" || len(fetched(it)) != 2 || len(it.Lineage) == 0 ||
		!strings.HasPrefix(it.Lineage[len(it.Lineage)-1].Older, oldHarbour) ||
		!slices.Equal(it.FormerIDs, []string{oldHarbour}) {
		t.Errorf("it goes on as %+v", it)
	}
	for _, c := range fetched(it) {
		if c.NormalizationVersion != "http_snapshot_url_v1_text_v2" || c.CanonicalURI != "http://localhost.:18765/harbour" {
			t.Errorf("a capture was changed: %+v", c)
		}
	}
	if !slices.ContainsFunc(it.History, func(d api.Decision) bool { return d.What == "moved" }) {
		t.Errorf("history %+v", it.History)
	}
	it = api.ItemDetail{} // what an answer omits would stay
	u.get("/api/items/"+u.id("http://localhost:18765/both"), &it)
	if len(fetched(it)) != 2 || !slices.Equal(it.FormerIDs, []string{oldBoth}) {
		t.Errorf("what was joined: %+v", it)
	}
	if urls := u.found("water"); len(urls) == 0 || strings.Contains(strings.Join(urls, " "), "localhost.") {
		t.Errorf("found %v", urls)
	}
	if problems, err := u.Registry.Check(t.Context()); err != nil || len(problems) != 0 {
		t.Errorf("invariants: %v %v", problems, err)
	}
	var status api.SearchStatus
	if u.get("/api/SearchStatus", &status); status.Items["Indexed"]+status.Items["Error"]+status.Items["OutOfScope"] != 8 {
		t.Errorf("of 9 items, two are one now: %v", status.Items)
	}
}

// Z1: a changed list of trackers on a store with items is reported in the log and in the health check. No items are
// merged until that is requested, and a dry run reports what would be merged.
func TestZ1AnotherListOfTrackers(t *testing.T) {
	u := upgrade(t)
	u.open(nil)
	u.settle()
	u.open(map[string]string{"TRACKING_PARAM_PREFIXES": "utm_, gclid, fbclid, msclkid, ref"})
	var h api.Health
	if u.get("/api/health", &h); h.Migration != api.MigrationNeeded || !strings.Contains(u.log.String(),
		"another TRACKING_PARAM_PREFIXES") || !strings.Contains(strings.Join(h.Warnings, " "), "TRACKING_PARAM_PREFIXES") {
		t.Errorf("health %+v, log %s", h, u.log.String())
	}
	u.settle()
	if n := u.captures("http://localhost:18765/tracked"); n != 1 {
		t.Errorf("joined before anybody asked: %d captures", n)
	}
	if w := u.call("POST", "/api/migrate", `{"dryRun":true}`); w.Code != http.StatusAccepted ||
		!strings.Contains(w.Body.String(), `http://localhost:18765/tracked?ref=a joins http://localhost:18765/tracked`) {
		t.Errorf("dry run: %d %s", w.Code, w.Body)
	}
	if n := u.captures("http://localhost:18765/tracked"); n != 1 {
		t.Errorf("joined by a dry run: %d captures", n)
	}
	if w := u.call("POST", "/api/migrate", `{}`); w.Code != http.StatusAccepted {
		t.Errorf("migration: %d %s", w.Code, w.Body)
	}
	u.settle()
	if n := u.captures("http://localhost:18765/tracked?ref=b"); n != 3 {
		t.Errorf("after the migration: %d captures", n)
	}
	h = api.Health{}
	if u.get("/api/health", &h); h.Migration != "" || strings.Contains(strings.Join(h.Warnings, " "), "TRACKING") ||
		strings.Contains(strings.Join(u.found("water"), " "), "ref=") {
		t.Errorf("health %+v, found %v", h, u.found("water"))
	}
	before, err := source.DefaultRules().ParseURL("http://localhost:18765/tracked?ref=a")
	must(t, err)
	if w := u.call("GET", "/api/items/"+string(before.ID()), ""); w.Code != http.StatusMovedPermanently {
		t.Errorf("the old id answers %d", w.Code)
	}
}

// captures counts the captures of an item, including those of items that have moved to it.
func (u *upgraded) captures(url string) int {
	u.t.Helper()
	var it api.ItemDetail
	u.get("/api/items/"+u.id(url), &it)
	return len(fetched(it))
}

// fetched returns the captures of an item without those that a rebuild made under other rules.
func fetched(it api.ItemDetail) []api.Capture {
	return slices.DeleteFunc(slices.Clone(it.Captures), func(c api.Capture) bool { return !c.ReprocessedAt.IsZero() })
}

// copyOf returns a writable copy of a folder.
func copyOf(t *testing.T, folder string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	must(t, os.CopyFS(to, os.DirFS(folder)))
	return to
}
