package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/local/funchost"
	"github.com/tidemark/tidemark/pkg/local/programtest"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// local is the app as it runs on one machine: the local host, the real handler and a store.
type local struct {
	t     *testing.T
	dir   string            // of the app
	env   map[string]string // settings of host and handler
	store storage.Store
	log   *hostLog
	base  string
	stop  func()
}

// hostLog records the handler's process and all log lines, to show when a test fails.
type hostLog struct {
	slog.Handler
	mu    sync.Mutex
	pid   int
	lines bytes.Buffer
}

func newHostLog() *hostLog {
	h := &hostLog{}
	h.Handler = slog.NewTextHandler(&h.lines, nil)
	return h
}

func (h *hostLog) Handle(ctx context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Message == "handler started" {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "pid" {
				h.pid = int(a.Value.Int64())
			}
			return true
		})
	}
	return h.Handler.Handle(ctx, r)
}

// stores are the settings for each store that a machine can use.
var stores = map[string]func(t *testing.T) map[string]string{
	"azurite": func(t *testing.T) map[string]string {
		return map[string]string{"AzureWebJobsStorage": azuritetest.Start(t).ConnectionString()}
	},
	"embedded": func(*testing.T) map[string]string { return map[string]string{"STORAGE": Embedded} },
}

// newLocal returns an app in its own folders, on the store that the settings name.
func newLocal(t *testing.T, settings map[string]string) *local {
	t.Helper()
	l := &local{t: t, dir: buildApp(t), log: newHostLog(), env: map[string]string{
		"PATH": os.Getenv("PATH"), "TIDEMARK_DATA": t.TempDir(), "CRAWL_ALLOW_HOSTS": "127.0.0.1", "CRAWL_GONE_AFTER": "1",
	}}
	maps.Copy(l.env, settings)
	store, err := OpenStore(l.setting, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.store = store
	t.Cleanup(func() {
		if l.stop != nil {
			l.stop()
		}
		_ = store.Close()
		if t.Failed() {
			l.log.mu.Lock()
			defer l.log.mu.Unlock()
			all := l.log.lines.Bytes()
			t.Logf("host's log:\n%s", all[max(0, len(all)-20_000):])
		}
	})
	return l
}

func (l *local) setting(name string) string { return l.env[name] }

// environ is the environment of the host: the settings and nothing else.
func (l *local) environ() (out []string) {
	for name, value := range l.env {
		out = append(out, name+"="+value)
	}
	return out
}

// buildApp builds Tidemark, which writes the folder that hosts run.
func buildApp(t *testing.T) string {
	t.Helper()
	exe := programtest.Build(t)
	checkSize(t, exe)
	dir := filepath.Join(t.TempDir(), "app")
	if out, err := exec.CommandContext(t.Context(), exe, "app", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// checkSize compares the size of a release build with docs/benchmarks.md. It may differ by a twentieth.
func checkSize(t *testing.T, exe string) {
	t.Helper()
	info, err := os.Stat(exe)
	if err != nil {
		t.Fatal(err)
	}
	var told float64
	_, row, _ := strings.Cut(treetest.Read(t, "docs/benchmarks.md"), "| the program | ")
	if _, err := fmt.Sscanf(row, "%f MB", &told); err != nil {
		t.Fatalf("docs/benchmarks.md has no size of the program: %v", err)
	}
	if have := float64(info.Size()) / 1e6; math.Abs(have-told) > told/20 {
		t.Errorf("the program has %.1f MB, docs/benchmarks.md says %.1f", have, told)
	}
}

// start runs the host until stop.
func (l *local) start() {
	l.t.Helper()
	h, err := funchost.New(funchost.Options{
		AppDir: l.dir, Addr: "127.0.0.1:0", Store: l.store, Log: slog.New(l.log), MaxPoll: 100 * time.Millisecond,
		DrainWait: 5 * time.Second,
		Env:       l.environ(),
	})
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	l.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			l.t.Errorf("host: %v", err)
		}
	})
	select {
	case <-h.Ready():
	case <-time.After(60 * time.Second):
		l.t.Fatal("the host is not ready")
	}
	l.base = "http://" + h.Addr()
}

func (l *local) pid() int {
	l.log.mu.Lock()
	defer l.log.mu.Unlock()
	return l.log.pid
}

// ask sends a request and decodes its answer, which must have the given status.
func (l *local) ask(method, path string, in any, status int, out any) {
	l.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		l.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(l.t.Context(), method, l.base+path, bytes.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != status {
		answer, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		l.t.Fatalf("%s %s: %s, want %d: %s", method, path, resp.Status, status, answer)
	}
	if out == nil {
		return
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		l.t.Fatalf("%s %s: %v", method, path, err)
	}
}

func (l *local) add(urls []string) {
	l.t.Helper()
	var got api.AddURLBatch
	l.ask("POST", "/api/AddUrlDocument", api.AddURLRequest{URLs: urls}, http.StatusAccepted, &got)
	for _, r := range got.Items {
		if r.Error != "" {
			l.t.Fatalf("%s: %s", r.Source, r.Error)
		}
	}
}

func (l *local) search(q string) api.SearchResponse {
	l.t.Helper()
	var got api.SearchResponse
	l.ask("POST", "/api/Search", api.SearchRequest{Q: q}, http.StatusOK, &got)
	return got
}

func (l *local) status() api.SearchStatus {
	l.t.Helper()
	var got api.SearchStatus
	l.ask("GET", "/api/SearchStatus", nil, http.StatusOK, &got)
	return got
}

func (l *local) counts() map[api.Status]int {
	l.t.Helper()
	return l.status().Items
}

// idle reports whether nothing waits for a check.
func (l *local) idle() bool {
	l.t.Helper()
	return l.status().Backlog() == 0
}

func (l *local) healthy() bool {
	resp, err := http.Get(l.base + "/api/health")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// invoke makes the host run a timer function now.
func (l *local) invoke(function string) {
	l.t.Helper()
	l.ask("POST", "/admin/functions/"+function, map[string]string{}, http.StatusAccepted, nil)
}

// await polls until a condition holds.
func (l *local) await(what string, so func() bool) {
	l.t.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if so() {
			return
		}
	}
	l.t.Fatalf("it does not come to pass that %s: %v", what, l.counts())
}

func (l *local) checkInvariants() {
	l.t.Helper()
	found, err := registry.New(l.store, registry.Options{}).Check(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	for _, v := range found {
		l.t.Error(v)
	}
}

// lockAndTrust is longer than the lock of a dead worker and than jobTTL.
const lockAndTrust = 15 * time.Minute

// pass simulates that time passes while no process runs: it moves back every time in the rows of items and captures,
// and in their keys.
func (l *local) pass(d time.Duration) {
	l.t.Helper()
	for _, name := range []string{registry.DefaultTable, "DueHints", snapshot.CapturesTable} {
		table := l.store.Table(name)
		var rows []storage.Entity
		for e, err := range table.Query(l.t.Context(), storage.Query{}) {
			if err != nil {
				l.t.Fatal(err)
			}
			rows = append(rows, e)
		}
		for _, e := range rows {
			l.rewrite(table, e, d)
		}
	}
}

func (l *local) rewrite(table storage.Table, e storage.Entity, d time.Duration) {
	l.t.Helper()
	old := e.Key
	e.Partition, e.Row = earlier(e.Partition, d), earlier(e.Row, d)
	for name, v := range e.Props {
		if text, ok := v.(string); ok {
			e.Props[name] = earlier(text, d)
		}
	}
	if _, err := table.Transact(l.t.Context(),
		storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: e.Key, Props: e.Props}}); err != nil {
		l.t.Fatal(err)
	}
	if old == e.Key {
		return
	}
	if _, err := table.Transact(l.t.Context(),
		storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: old, ETag: storage.AnyETag}}); err != nil {
		l.t.Fatal(err)
	}
}

var stored = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z`)

// earlier moves every time in a text back, and keeps its layout.
func earlier(text string, d time.Duration) string {
	return stored.ReplaceAllStringFunc(text, func(s string) string {
		for _, layout := range []string{"2006-01-02T15:04:05.000Z", "2006-01-02T15:04Z", time.RFC3339Nano} {
			if at, err := time.Parse(layout, s); err == nil && at.Format(layout) == s {
				return at.Add(-d).Format(layout)
			}
		}
		return s
	})
}
