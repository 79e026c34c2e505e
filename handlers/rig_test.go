package handlers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app/instrumented"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/listimport"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

func TestMain(m *testing.M) {
	document.Main()
	azuritetest.Main(m)
}

// rig is the whole app in memory, with a web of one host.
type rig struct {
	t     *testing.T
	now   time.Time
	store *mem.Store
	web   *webSite
	index *remembering
	v     *Services
	http.Handler
	settings map[string]string
	metrics  *telemetry.Metrics
	receiver *receiver // of notifications
	mails    string    // EMAIL_IMPORT_ROOT
	token    string    // the end of the id of the next rule; "token" if it is empty
}

// webSite answers every path below /ok/ with a page of that name. The page "shell" is empty until its scripts run. A
// name that ends in .json is one of JSON, in .xml one of XML, and in .docx, .xlsx, .pdf or .png a file of that kind.
type webSite struct {
	panics bool
	asked  int
	more   map[string]string // texts added to pages, by name
}

var fileTypes = map[string]string{".json": "application/json", ".xml": "application/xml", ".pdf": "application/pdf",
	".png": "image/png", ".docx": ofOffice + "wordprocessingml.document", ".xlsx": ofOffice + "spreadsheetml.sheet"}

const ofOffice = "application/vnd.openxmlformats-officedocument."

func (w *webSite) Robots(context.Context, fetch.RobotsRequest) (robots.Reply, error) {
	return robots.Reply{Status: http.StatusNotFound}, nil
}

func (w *webSite) Get(_ context.Context, r fetch.Request) (fetch.Response, error) {
	if w.panics {
		panic("the web is broken")
	}
	w.asked++
	_, name, ok := strings.Cut(r.URL, "/ok/")
	if !ok {
		return fetch.Response{}, fault.New(fault.Unavailable, "fetch port.example: connection refused")
	}
	name, again := strings.CutSuffix(name, "-again") // the page says so itself
	canonical := ""
	if again {
		canonical = "<link rel=canonical href=" + name + ">"
	}
	if of := fileTypes[path.Ext(name)]; of != "" {
		return fetch.Response{Status: http.StatusOK, FinalURL: r.URL,
			Header: http.Header{"Content-Type": {of}},
			Body:   []byte(cmp.Or(w.more[name], `{"harbour":"open"}`))}, nil
	}
	body := page(canonical, name)
	if more := w.more[name]; more != "" {
		body = bytes.Replace(body, []byte("</p>"), []byte("</p><p>"+more+"</p>"), 1)
	}
	return fetch.Response{
		Status: http.StatusOK, FinalURL: r.URL,
		Header: http.Header{"Content-Type": {"text/html"}, "Last-Modified": {"Sun, 01 Mar 2026 10:00:00 GMT"},
			"Etag": {`"1"`}},
		Body: body,
	}, nil
}

func page(head, name string) []byte {
	if name == "shell" {
		return []byte("<html><title>An application</title><body><script src=/app.js></script></body></html>")
	}
	if name == "dated" {
		head += `<meta name=author content="O'Brien & Co"><meta name=date content=2026-02-10>`
	}
	return fmt.Appendf(nil,
		"<html lang=en>%s<title>%s</title><main><h1>%[2]s</h1><p>The harbour of %[2]s opens at high tide.</p><img "+
			"src=/crane.jpg alt='A crane'></main>",
		head, name)
}

// remembering is an index that remembers its last input.
type remembering struct {
	search.Index
	put map[string]search.Page
}

func (x *remembering) Put(ctx context.Context, pages ...search.Page) error {
	for _, p := range pages {
		x.put[p.ID] = p
	}
	return x.Index.Put(ctx, pages...)
}

// storesOf returns the stores of a registry and of the snapshots beside it.
func storesOf(reg *registry.Registry, snaps *snapshot.Store) crawl.Stores {
	return crawl.Stores{
		Jobs: reg.Jobs, Fields: reg.Fields(),
		Items: reg.Items, Hosts: reg.Hosts, Moves: reg.Moves, Tags: reg.Tags, Snapshots: snaps,
	}
}

// pages returns the service that writes pages to the rig's index.
func (r *rig) pages(
	reg *registry.Registry, snaps *snapshot.Store, store storage.Store, clock func() time.Time,
) *crawl.Placement {
	return crawl.NewPlacement(crawl.PlacementStores{
		Fields: reg.Fields(), Items: reg.Items,
		Aliases: reg.Aliases, Moves: reg.Moves, Snapshots: snaps, Manifests: index.NewManifests(store),
		Index: instrumented.Index(r.index, r.metrics),
	}, crawl.PlacementOptions{Clock: clock})
}

// rigSettings are settings from each place, one of them secret.
var rigSettings = []api.ServerSetting{
	{Name: "CRAWL_CONTACT", Value: "a@port.example", From: "file", Allowed: "an address", Restart: true},
	{Name: "LITELLM_MASTER_KEY", Value: "set", From: "environment", Allowed: "a key", Restart: true, Secret: true},
	{Name: "LOG_LEVEL", Value: "info", From: "default", Allowed: "a level"},
}

// rigSources are these settings. They take any value but "loud", and are useless for anything but tests of handlers.
type rigSources struct{ all []api.ServerSetting }

func ownSettings() *rigSources { return &rigSources{slices.Clone(rigSettings)} }

func (s *rigSources) Shown() []api.ServerSetting { return s.all }

func (s *rigSources) Change(values api.SettingsPatch) error {
	for name, value := range values {
		i := slices.IndexFunc(s.all, func(one api.ServerSetting) bool { return one.Name == name })
		switch {
		case i < 0:
			return fault.Field(name, "there is no setting %q; did you mean LOG_LEVEL?", name)
		case s.all[i].From == "environment":
			return fault.New(fault.Conflict, "%s is set in the environment", name)
		case value == nil:
			s.all[i].Value, s.all[i].From = "info", "default"
		case *value == "loud":
			return fault.Field(name, "settings: %s=%q: allowed is %s", name, *value, s.all[i].Allowed)
		default:
			s.all[i].Value, s.all[i].From = *value, "file"
		}
	}
	return nil
}

// token stands for what is random in ids.
func token() string { return "token" }

// newRig returns a rig. wrap lets a test put a store between the services and the real store.
func newRig(t *testing.T, wrap ...func(storage.Store) storage.Store) *rig {
	t.Helper()
	r := &rig{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), web: &webSite{}, metrics: telemetry.New()}
	clock := func() time.Time { return r.now }
	r.store = mem.New(clock)
	engine, err := sqlitesearch.Open(filepath.Join(t.TempDir(), "index.db"), sqlitesearch.Options{})
	must(t, err)
	t.Cleanup(func() { _ = engine.Close() })
	r.index = &remembering{engine, map[string]search.Page{}}
	must(t, engine.Create(t.Context()))
	must(t, errors.Join(registry.New(r.store, registry.Options{}).Create(t.Context()),
		snapshot.New(r.store).Create(t.Context()), index.NewManifests(r.store).Create(t.Context())))
	must(t, entries.New(r.store, entries.Options{}).Create(t.Context()))
	must(t, errors.Join(r.store.Queue(rebuild.Queue).Create(t.Context()), r.store.Queue(bulk.Queue).Create(t.Context())))
	must(t, mailimport.New(r.store, nil, nil, nil, mailimport.Options{}).Create(t.Context()))
	var rows storage.Store = r.store
	for _, w := range wrap {
		rows = w(rows)
	}
	changes, snaps := feed.Open(rows, clock), snapshot.New(rows)
	done := countedUndos(rows, clock)
	reg := registry.New(rows, registry.Options{Feed: changes, Undo: done,
		Clock: clock, Jitter: func() float64 { return 0 }, Sleep: func(context.Context, time.Duration) error { return nil },
		Politeness: func(string) policy.Politeness { return policy.Politeness{MaxConcurrent: 1} },
	})
	hosts := politeness.New(reg.Hosts, instrumented.Web(r.web, r.metrics),
		politeness.Options{Agent: "Tidemark", Strategy: source.ByHost, Clock: clock, Metrics: r.metrics})
	worker := crawl.New(storesOf(reg, snaps), hosts, r.pages(reg, snaps, rows, clock), crawl.Options{
		Metrics: r.metrics, Schedule: schedule.Defaults(), Agent: "Tidemark", Rules: source.DefaultRules(),
		Clock: clock, Jitter: func() float64 { return 0 }, RunID: "crawl",
	})
	setting := func(name string) string { return r.settings[name] }
	r.settings = map[string]string{
		"CREDENTIAL_DOCS": "sas https://acct.blob.core.windows.net/docs sv=1&sig=hunter2",
		"CREDENTIAL_WIKI": "bearer https://wiki.example hunter2",
	}
	transport, err := fetch.New(fetch.Config{})
	must(t, err)
	files, err := file.New(file.Config{Root: "/srv", Setting: setting, Transport: transport.Transport()})
	must(t, err)
	tokens := 0
	mine := entries.New(rows, entries.Options{Clock: clock, Links: reg.Items, Rules: source.DefaultRules(), Index: engine,
		Feed: changes, Token: func() string {
			tokens++
			return strings.Repeat("a", 24) + string(rune('a'+tokens/26)) + string(rune('a'+tokens%26))
		}})
	r.v = &Services{Store: rows, Undo: done, Entries: mine, Config: map[string]string{"CRAWL_CONTACT": "a@port.example",
		"LITELLM_MASTER_KEY": "(set)"}, Settings: ownSettings(), Registry: reg, Feed: changes, Snapshots: snaps,
		Schemes: &fetch.SchemeGuesser{Transport: onlyHTTPS{}}, Manifests: index.NewManifests(rows), Worker: worker,
		Index: engine, Rebuilds: rebuild.New(rows, reg, snaps, rebuild.Options{
			Clock: clock, Token: token, Audit: index.NewAuditor(engine, index.NewManifests(rows),
				reg.Items, mine), Entries: mine,
		}),
		Bulk:      bulk.New(rows, reg.Items, bulk.Options{Clock: clock, Undo: done, Waits: reg.Hosts.Waits, Token: token}),
		Documents: document.New(document.Options{}), Rules: source.DefaultRules(), Version: "test",
		Files: files, Setting: setting}
	migrations := func(s storage.Store) *migrate.Service {
		empty := func(context.Context) (bool, error) { return true, nil }
		return migrate.New(s.Table(snapshot.RunsTable), []migrate.Step{migrate.Items(reg.Moves, source.DefaultRules())},
			migrate.Options{Clock: clock, Empty: empty})
	}
	must(t, migrations(r.store).Ensure(t.Context()))
	r.v.Migrate = migrations(rows)
	r.v.Backfill = backfill.New(rows, reg, hosts, files, backfill.Options{Clock: clock})
	must(t, r.v.Backfill.Create(t.Context()))
	r.v.Polls = sitepoll.New(rows, reg, hosts, sitepoll.Options{Clock: clock})
	must(t, r.v.Polls.Create(t.Context()))
	r.observe(rows, clock)
	r.v.Enrich = enrich.New(rows, enrich.Kept{}, enrich.Models{}, enrich.Options{})
	r.mails = t.TempDir()
	root, err := mailimport.ParseRoot(r.mails, "")
	must(t, err)
	inbox, err := file.New(file.Config{Root: r.mails, RootName: "EMAIL_IMPORT_ROOT", Setting: setting,
		Transport: transport.Transport()})
	must(t, err)
	r.v.Imports = mailimport.New(rows, inbox, mine, r.v.Enrich, mailimport.Options{Root: root, Clock: clock,
		Token: token})
	r.Handler = New(Options{Open: r.open, Metrics: r.metrics})
	return r
}

// countedUndos returns what takes actions back, with tokens that are numbered.
func countedUndos(rows storage.Store, clock func() time.Time) *undo.Log {
	done, undos := undo.New(rows, clock), 0
	done.Token = func() string {
		undos++
		return fmt.Sprint("undo", undos)
	}
	return done
}

// observe adds list imports, activity, keys and notifications.
func (r *rig) observe(store storage.Store, clock func() time.Time) {
	r.t.Helper()
	r.v.Lists = listimport.New(store, r.v.Registry.Items, listimport.Options{Clock: clock,
		Token: token, Parse: func(address string) (source.Source, error) {
			return r.v.Rules.ParseURL(address)
		}})
	r.v.Activity = activity.New(store, r.metrics, activity.Options{Clock: clock, Process: "process"})
	must(r.t, r.v.Activity.Create(r.t.Context()))
	r.v.Keys = keys.New(store, keys.Options{Clock: clock})
	must(r.t, r.v.Keys.Create(r.t.Context()))
	r.notifies(store, clock)
}

// open returns the present services, which a test may have replaced.
func (r *rig) open(context.Context) (*Services, error) {
	v := *r.v
	return &v, nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// do sends one request.
func do(t *testing.T, h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	return w
}

// work delivers every message to its trigger, as the host would, jobs before steps of rebuilds.
func (r *rig) work() {
	r.t.Helper()
	for r.deliver(registry.JobQueue, "/CrawlWorker") || r.deliver(rebuild.Queue, "/RebuildWorker") ||
		r.deliver(bulk.Queue, "/BulkWorker") ||
		r.deliver(mailimport.Queue, "/MboxWorker") {
	}
}

// deliver delivers one message to a trigger. It reports whether there was one.
func (r *rig) deliver(queue, trigger string) bool {
	r.t.Helper()
	q := r.store.Queue(queue)
	got, err := q.Receive(r.t.Context(), 1, time.Minute)
	must(r.t, err)
	for _, m := range got {
		w := do(r.t, r, "POST", trigger, binaryEnvelope(m.Body))
		if isObject(r.t, w); w.Code != http.StatusOK {
			r.t.Fatalf("%s: %d %s", trigger, w.Code, w.Body)
		}
		must(r.t, q.Delete(r.t.Context(), m))
	}
	return len(got) > 0
}

// volatile matches values that the contract does not promise: times of the wall clock, and the values of scores and
// chunk UIDs, which have tests of their own.
var volatile = regexp.MustCompile(`"(asOf|score|chunkUid)": ("[^"]+"|[-+.0-9eE]+)|"(key)": "tm_[a-z2-7]{26}"|` +
	`"(cursor|generation)": "[0-9a-f]{16}[^"]*"`)

// pretty indents a JSON body.
func pretty(t *testing.T, body []byte) string {
	t.Helper()
	var buf bytes.Buffer
	if err := json.Indent(&buf, bytes.TrimSpace(body), "", "  "); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, body)
	}
	return volatile.ReplaceAllString(buf.String(), `"$1$3$4": "…"`)
}

func problemOf(t *testing.T, w *httptest.ResponseRecorder) api.Problem {
	t.Helper()
	var p api.Problem
	if ct := w.Header().Get("Content-Type"); ct != api.ProblemType {
		t.Errorf("content type %q, want %q: %s", ct, api.ProblemType, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Status != w.Code || p.Title == "" {
		t.Errorf("status %d, problem %s (%v)", w.Code, w.Body, err)
	}
	return p
}
