package handlers

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// plain returns the body of an answer and whether it was compressed.
func plain(t *testing.T, w *httptest.ResponseRecorder) (body string, packed bool) {
	t.Helper()
	var from io.Reader = w.Body
	if packed = w.Header().Get("Content-Encoding") == "gzip"; packed {
		var err error
		from, err = gzip.NewReader(w.Body)
		must(t, err)
	}
	b, err := io.ReadAll(from)
	must(t, err)
	return string(b), packed
}

// TestAZ7Compressed checks that callers who accept it get JSON, exports, feeds and static files compressed, and that
// others get the same bytes as they are.
func TestAZ7Compressed(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	fill(t, g.rig, 70)
	for i := range 30 {
		do(t, g.rig, "POST", "/api/AddUrlDocument", fmt.Sprintf(`{"url":"https://port.example/ok/%d"}`, i))
	}
	for _, path := range []string{"/api/items", "/api/export/items", "/api/export/changes?format=jsonl",
		"/api/openapi.json", "/api/changes.atom", "/api/changes.json",
		"/api/ui/static/style.css", "/api/ui/openapi.json", "/api/ui/export/items",
		"/api/nothing"} {
		asked := func(accept string) *httptest.ResponseRecorder {
			return ask(t, g, "GET", path, "", "X-Functions-Key", g.keys[api.ScopeRead], "Accept-Encoding", accept)
		}
		w := asked("br, gzip;q=0.5")
		small, whole := w.Body.Len(), asked("")
		body, packed := plain(t, w)
		if !packed || body != whole.Body.String() || small > len(body)/2 || w.Header().Get("Content-Length") != "" ||
			w.Header().Get("Vary") != "Accept-Encoding" || whole.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d of %d bytes, %v, %v", path, small, whole.Body.Len(), w.Header(), whole.Header())
		}
		for _, accept := range []string{"", "br", "gzip;q=0"} {
			if w := asked(accept); w.Header().Get("Content-Encoding") != "" {
				t.Errorf("%s for %q: %v", path, accept, w.Header())
			}
		}
	}
	if w := ask(t, g, "GET", "/api/health", "", "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("a small answer is compressed")
	}
}

// TestAZ7PagesAreNotCompressed checks that nobody gets a page of the dashboard compressed, because pages have tokens.
func TestAZ7PagesAreNotCompressed(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	fill(t, g.rig, 70)
	cookie := g.signIn(t, api.ScopeAdmin)
	for _, path := range []string{"", "/", "/items", "/search?q=tide", "/hosts", "/rules", "/entries", "/runs", "/status",
		"/import", "/settings", "/nothing", "/sign-in", "/items/url_x", "/docs", "/help"} {
		w := ask(t, g, "GET", "/api/ui"+path, "", "Cookie", sessionCookie+"="+cookie.Value, "Accept-Encoding", "gzip")
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || w.Header().Get("Content-Encoding") != "" ||
			w.Body.Len() < 1000 {
			t.Errorf("%s: %d, %v, %d bytes", path, w.Code, w.Header(), w.Body.Len())
		}
	}
	for _, media := range []string{"", "TEXT/HTML", "text/html;charset=utf-8", "application/xhtml+xml", "image/png",
		"application/gzip", "application/octet-stream"} {
		if compressible(media) {
			t.Errorf("%q is compressed", media)
		}
	}
}

// TestAZ7ETags checks that who has a document already does not get it again, compressed or not, and that its two forms
// have different ETags.
func TestAZ7ETags(t *testing.T) {
	r := newRig(t)
	fill(t, r, 70)
	for _, path := range []string{"/api/openapi.json", "/api/docs", "/api/ui/static/style.css", "/api/ui/static/live.js",
		"/api/changes.json", "/api/changes.atom"} {
		asked := func(accept, known string) (*httptest.ResponseRecorder, string) {
			req := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
			req.Header.Set("Accept-Encoding", accept)
			req.Header.Set("If-None-Match", known)
			w := httptest.NewRecorder()
			r.ServeHTTP(w, req)
			return w, w.Header().Get("ETag")
		}
		w, whole := asked("", `"other"`)
		packed, small := asked("gzip", "")
		if w.Code != http.StatusOK || whole == "" ||
			small == whole != (packed.Header().Get("Content-Encoding") == "") {
			t.Errorf("%s: %d, ETags %s, compressed %s", path, w.Code, whole, small)
		}
		for _, accept := range []string{"", "gzip"} {
			for _, known := range []string{whole, small, `"other", W/` + small, "*"} {
				if w, _ := asked(accept, known); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
					t.Errorf("%s, accepting %q, with %s: %d, %d bytes", path, accept, known, w.Code, w.Body.Len())
				}
			}
		}
	}
}

// TestAZ7CompressedExportsStream checks that each page of a compressed export reaches the caller before the next page
// is read.
func TestAZ7CompressedExportsStream(t *testing.T) {
	arrived := make(chan string)
	next := func(after string) ([]string, string, error) {
		if after == "" {
			return []string{"first"}, "2", nil
		}
		select {
		case line := <-arrived:
			return []string{line, "second"}, "", nil
		case <-time.After(10 * time.Second):
			return []string{"nothing arrived"}, "", nil
		}
	}
	srv := httptest.NewServer(compressed(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		e, err := newExport(slog.New(slog.DiscardHandler), "x", "jsonl", nil, next)
		must(t, err)
		e.WriteAnswer(&noted{ResponseWriter: w}, http.StatusOK)
	})))
	defer srv.Close()
	req, err := http.NewRequestWithContext(context.Background(), "GET", srv.URL, nil)
	must(t, err)
	req.Header.Set("Accept-Encoding", "gzip") // the transport does not decompress what was asked for by hand
	res, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	defer res.Body.Close()
	unpacked, err := gzip.NewReader(res.Body)
	must(t, err)
	lines := bufio.NewScanner(unpacked)
	lines.Scan()
	arrived <- strings.Trim(lines.Text(), `"`)
	for _, want := range []string{`"first"`, `"second"`} {
		if lines.Scan(); lines.Text() != want {
			t.Errorf("have %s, want %s", lines.Text(), want)
		}
	}
}
