package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/search"
)

// embeddedApp is the whole app on a folder, without a host, so nothing is crawled.
func embeddedApp(t *testing.T, data string) (a *App, call func(method, path, body string) *httptest.ResponseRecorder) {
	t.Helper()
	a, err := New(env(map[string]string{"STORAGE": Embedded, "TIDEMARK_DATA": data}), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	h := handlers.New(handlers.Options{Open: a.Services})
	return a, func(method, path, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
		return w
	}
}

// overwritePages damages 20 pages in the middle of a database file that is not open.
func overwritePages(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	middle := len(data) / page / 2 * page
	if middle < 20*page {
		t.Fatalf("%s has only %d bytes", path, len(data))
	}
	copy(data[middle:], bytes.Repeat([]byte{0xa5}, 20*page))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func healthOf(t *testing.T, w *httptest.ResponseRecorder) api.Health {
	t.Helper()
	var h api.Health
	if err := json.Unmarshal(w.Body.Bytes(), &h); err != nil || (w.Code == http.StatusOK) != (h.Status == "ok") {
		t.Fatalf("%d %s (%v)", w.Code, w.Body, err)
	}
	return h
}

// TestS6DamagedState checks that after damage of the state was found, registrations are refused with the same message
// as the failed read, and that the health check reports it.
func TestS6DamagedState(t *testing.T) {
	t.Parallel() // it mostly waits
	data := t.TempDir()
	a, call := embeddedApp(t, data)
	for host := range 3 {
		var urls []string
		for i := range 1000 {
			urls = append(urls, fmt.Sprintf(`"https://host%d.example/%s"`, host, strings.Repeat("x", 500+i)))
		}
		if w := call("POST", "/api/AddUrlDocument", `{"urls":[`+strings.Join(urls, ",")+`]}`); w.Code != http.StatusAccepted {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	overwritePages(t, filepath.Join(StoreFolder(data), "state.db"))
	_, call = embeddedApp(t, data)
	if h := healthOf(t, call("GET", "/api/health", "")); h.Storage != "ok" {
		t.Fatalf("before damage was met: %+v", h)
	}
	const what = "state.db is damaged; stop the program"
	w := call("GET", "/api/items?top=1000&host=host0.example", "")
	for host := 1; host < 3 && w.Code == http.StatusOK; host++ { // until one hits a damaged page
		w = call("GET", fmt.Sprintf("/api/items?top=1000&host=host%d.example", host), "")
	}
	var p api.Problem
	if w.Code != http.StatusServiceUnavailable || json.Unmarshal(w.Body.Bytes(), &p) != nil ||
		!strings.Contains(p.Detail, what) {
		t.Fatalf("a reader of what is damaged: %d %.500s", w.Code, w.Body)
	}
	if w := call("POST", "/api/AddUrlDocument",
		`{"url":"https://new.example/"}`); w.Code != http.StatusServiceUnavailable ||
		json.Unmarshal(w.Body.Bytes(), &p) != nil || !strings.Contains(p.Detail, what) {
		t.Errorf("a registration: %d %.500s", w.Code, w.Body)
	}
	if h := healthOf(t, call("GET", "/api/health", "")); !strings.Contains(h.Storage, what) || h.Index != "ok" {
		t.Errorf("health: %+v", h)
	}
}

// TestS6DamagedIndex checks that damage of the index is reported until the next start, which sets the file aside.
func TestS6DamagedIndex(t *testing.T) {
	data := t.TempDir()
	a, call := embeddedApp(t, data)
	fillWithWords(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(data, "index.db")
	overwritePages(t, path)
	a, call = embeddedApp(t, data)
	w := call("GET", "/api/Search?q=word0", "")
	for n := 0; n < 2000 && w.Code == http.StatusOK; n += 40 { // until one hits a damaged page
		w = call("GET", fmt.Sprintf("/api/Search?q=word%d", n), "")
	}
	if w.Code != http.StatusServiceUnavailable ||
		!strings.Contains(w.Body.String(), "index.db is damaged; restart the program") {
		t.Fatalf("a search: %d %.500s", w.Code, w.Body)
	}
	if h := healthOf(t, call("GET", "/api/health", "")); h.Storage != "ok" ||
		!strings.Contains(h.Index, "index.db is damaged; restart the program") {
		t.Errorf("health: %+v", h)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	_, call = embeddedApp(t, data)
	if h := healthOf(t, call("GET", "/api/health", "")); h.Index != "ok" {
		t.Errorf("after the restart: %+v", h)
	}
	if _, err := os.Stat(path + ".corrupt-1"); err != nil {
		t.Error(err)
	}
}

// fillWithWords indexes pages in which every word occurs.
func fillWithWords(t *testing.T, a *App) {
	t.Helper()
	s, err := a.Services(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range 60 {
		var text strings.Builder
		for w := range 2000 {
			fmt.Fprintf(&text, "word%d ", (w*7+n)%2000)
		}
		page := search.Page{ID: fmt.Sprintf("%064d", n), URL: "https://port.example/", Host: "port.example",
			Chunks: []search.Chunk{{Key: "a", UID: fmt.Sprint(n), Text: text.String()}}}
		if err := s.Index.Put(context.WithoutCancel(t.Context()), page); err != nil {
			t.Fatal(err)
		}
	}
}
