package client

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
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
	"github.com/tidemark/tidemark/pkg/api/openapi"
	"github.com/tidemark/tidemark/pkg/api/openapi/openapitest"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/storage"
)

// indexNowKey is the key that the site serves.
const indexNowKey = "0123456789abcdef"

// running is the real app on the embedded store, with a site to crawl and a fake language model.
type running struct {
	*testing.T
	*ClientWithResponses
	handler http.Handler
	store   storage.Store
	site    string // has one page, /tides, and serves an IndexNow key
	files   string // folder of the files that the app may read
	checker *openapitest.Checker
	called  map[string]bool // operations whose answers matched the description
}

func start(t *testing.T) *running {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/"+indexNowKey+".txt" {
			_, _ = io.WriteString(w, indexNowKey)
			return
		}
		if r.URL.Path != "/tides" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, "<html lang=en><title>Tides</title><script type='application/ld+json'>"+
			`{"@type":"Product","name":"Tides","offers":{"price":"5","priceCurrency":"EUR"}}</script>`+"<main><p>High water at the harbour is at "+
			"noon.</p></main>")
	}))
	t.Cleanup(site.Close)
	model := llmtest.NewServer(t, "tier1", 8)
	files := t.TempDir()
	sites := filepath.Join(t.TempDir(), "sites.yaml")
	must(t, os.WriteFile(sites,
		[]byte("sites:\n  - slug: port\n    domain: "+strings.TrimPrefix(site.URL,
			"http://")+"\n    sitemaps: ["+site.URL+"/sitemap.xml]\n"), 0o600))
	settings := map[string]string{
		"STORAGE": app.Embedded, "TIDEMARK_DATA": t.TempDir(), "CRAWL_ALLOW_HOSTS": "127.0.0.1", "FILE_ROOT": files,
		"WEBHOOK_ALLOW_HOSTS": "127.0.0.1",
		"EMAIL_IMPORT_ROOT":   files,
		"BACKFILL_ENABLED":    "true", "BACKFILL_SITES_FILE": sites,
		"OPENAI_BASE_URL": model.URL, "LITELLM_MASTER_KEY": llmtest.Key, "T1_DEFAULT_MODEL": "tier1",
		"T1_BATCH_MODEL": "tier1",
	}
	a, err := app.New(func(name string) string { return settings[name] }, slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	services, err := a.Services(t.Context())
	must(t, err)
	r := &running{
		T: t, site: site.URL, files: files, store: services.Store, called: map[string]bool{},
		handler: handlers.New(handlers.Options{Open: a.Services}),
	}
	r.checker, err = openapitest.New(openapi.JSON)
	must(t, err)
	server := httptest.NewServer(r.handler)
	t.Cleanup(server.Close)
	r.ClientWithResponses, err = NewClientWithResponses(server.URL+"/api", WithHTTPClient(r))
	must(t, err)
	return r
}

// Do sends a request of the client, and checks the request and the answer against the description.
func (r *running) Do(req *http.Request) (*http.Response, error) {
	var sent []byte
	if req.Body != nil {
		var err error
		if sent, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(bytes.NewReader(sent))
	}
	path := strings.TrimPrefix(req.URL.Path, "/api")
	id, err := r.checker.Request(req.Method, path, sent)
	if err != nil {
		r.Errorf("request: %v", err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	if err := r.checker.Answer(req.Method, path, res.StatusCode, res.Header.Get("Content-Type"), body); err != nil {
		r.Errorf("answer: %v\n%s", err, body)
	}
	if res.StatusCode < 300 {
		r.called[id] = true
	}
	return res, nil
}

// work delivers every message, as the host would, and runs the timer for batches once.
func (r *running) work() {
	r.Helper()
	for r.deliver(registry.JobQueue, "/CrawlWorker") || r.deliver(rebuild.Queue, "/RebuildWorker") ||
		r.deliver(bulk.Queue, "/BulkWorker") {
	}
	r.trigger("/EnrichTimer", `{"Data":{"timer":{}},"Metadata":{}}`)
}

func (r *running) deliver(queue, function string) bool {
	got, err := r.store.Queue(queue).Receive(r.Context(), 1, time.Minute)
	must(r.T, err)
	for _, m := range got {
		data, err := json.Marshal(base64.StdEncoding.EncodeToString(m.Body))
		must(r.T, err)
		r.trigger(function, `{"Data":{"job":`+string(data)+`},"Metadata":{}}`)
		must(r.T, r.store.Queue(queue).Delete(r.Context(), m))
	}
	return len(got) > 0
}

func (r *running) trigger(function, envelope string) {
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, httptest.NewRequestWithContext(r.Context(), http.MethodPost, function,
		strings.NewReader(envelope)))
	if w.Code != http.StatusOK {
		r.Fatalf("%s: %d %s", function, w.Code, w.Body)
	}
}

// uncalled lists the operations that no request of the test called successfully.
func (r *running) uncalled() []string {
	return slices.DeleteFunc(r.checker.OperationIDs(), func(id string) bool { return r.called[id] })
}

// ok returns the decoded answer of status 200. It panics if there is another status, so that its arguments can be the
// results of a client's method.
func ok[A interface {
	GetJSON200() *T
	StatusCode() int
}, T any](answer A, err error) T {
	if err != nil {
		panic(err)
	}
	return whole(answer.GetJSON200(), answer.StatusCode())
}

// accepted is ok for 202.
func accepted[A interface {
	GetJSON202() *T
	StatusCode() int
}, T any](answer A, err error) T {
	if err != nil {
		panic(err)
	}
	return whole(answer.GetJSON202(), answer.StatusCode())
}

func whole[T any](got *T, status int) T {
	if got == nil {
		panic(fmt.Sprintf("an answer of %d was not decoded into a %T", status, got))
	}
	return *got
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
