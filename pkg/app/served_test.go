package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// served is the app with its settings behind a real server, in this process. The test delivers messages, as a host
// would.
type served struct {
	*testing.T
	*httptest.Server
	store storage.Store
	log   bytes.Buffer
}

func newServed(t *testing.T, settings map[string]string) *served {
	t.Helper()
	settings["CRAWL_ALLOW_HOSTS"], settings["CRAWL_SOFT_404"] = "127.0.0.1", "false"
	cfg, err := Load(env(settings))
	if err != nil {
		t.Fatal(err)
	}
	index, err := sqlitesearch.Open(filepath.Join(t.TempDir(), "index.db"), sqlitesearch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	s := &served{T: t, store: mem.New(time.Now)}
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	services, err := Assemble(t.Context(), cfg, env(settings), s.store, index, log)
	if err != nil {
		t.Fatal(err)
	}
	open := func(context.Context) (*handlers.Services, error) { return services, nil }
	s.Server = httptest.NewServer(handlers.New(handlers.Options{Open: open, Log: log}))
	t.Cleanup(s.Close)
	return s
}

// ask sends a request and reads the answer, which must have the given status.
func (s *served) ask(method, path string, in any, status int, out any) {
	s.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		s.Fatal(err)
	}
	if in == nil {
		body = nil
	}
	req, err := http.NewRequestWithContext(s.Context(), method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == status && out != nil {
		err = json.Unmarshal(answer, out)
	}
	if err != nil || resp.StatusCode != status {
		s.Fatalf("%s %s: %d, want %d: %s (%v)", method, path, resp.StatusCode, status, answer, err)
	}
}

// work delivers messages until none are due.
func (s *served) work() {
	s.Helper()
	for s.deliver(registry.JobQueue, "/CrawlWorker") || s.deliver(backfill.Queue, "/BackfillWorker") {
	}
}

func (s *served) deliver(queue, trigger string) bool {
	s.Helper()
	q := s.store.Queue(queue)
	got, err := q.Receive(s.Context(), 1, time.Minute)
	if err != nil {
		s.Fatal(err)
	}
	for _, m := range got {
		s.ask("POST", trigger, map[string]any{"Data": map[string]string{"job": base64.StdEncoding.EncodeToString(m.Body)}},
			http.StatusOK, nil)
		if err := q.Delete(s.Context(), m); err != nil {
			s.Fatal(err)
		}
	}
	return len(got) > 0
}
