package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

// folder makes a site with the given files.
func folder(t *testing.T, files map[string]string) *site {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, dir)
}

func open(t *testing.T, dir string) *site {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return &site{root: root, now: clock}
}

func get(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestServe(t *testing.T) {
	s := folder(t, map[string]string{"index.html": "home", "a/index.html": "folder", "a/b.html": "page",
		"map.xml": "{{base}}/a", "live.html": "{{year}} {{nonce}}", "../secret": "s"})
	for _, tt := range []struct {
		name, method, target string
		status               int
		body                 string
	}{
		{"root", "GET", "/", 200, "home"},
		{"folder with a slash", "GET", "/a/", 200, "folder"},
		{"folder without", "GET", "/a", 200, "folder"},
		{"query is ignored", "GET", "/a?x=1", 200, "folder"},
		{"page", "GET", "/a/b.html", 200, "page"},
		{"page with a slash", "GET", "/a/b.html/", 200, "page"},
		{"head", "HEAD", "/a/b.html", 200, ""},
		{"own address", "GET", "http://site.example:81/map.xml", 200, "http://site.example:81/a"},
		{"missing", "GET", "/c", 404, "not found\n"},
		{"above the root", "GET", "/../secret", 404, "not found\n"},
		{"other methods", "POST", "/", 405, "method not allowed\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := get(s, tt.method, tt.target)
			if w.Code != tt.status || w.Body.String() != tt.body {
				t.Errorf("have %d %q, want %d %q", w.Code, w.Body, tt.status, tt.body)
			}
		})
	}
}

// TestLinkOutOfTheRoot checks that a symbolic link cannot lead out of the folder.
func TestLinkOutOfTheRoot(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "x.html")); err != nil {
		t.Skip(err)
	}
	if w := get(open(t, dir), "GET", "/x.html"); w.Code != 404 {
		t.Errorf("have %d, want 404", w.Code)
	}
}

func TestConditional(t *testing.T) {
	s := folder(t, map[string]string{"a.html": "page", "live.html": "{{year}} {{nonce}} {{now}}"})
	first := get(s, "GET", "/a.html")
	etag, modified := first.Header().Get("ETag"), first.Header().Get("Last-Modified")
	if !regexp.MustCompile(`^"[0-9a-f]{32}"$`).MatchString(etag) || modified == "" {
		t.Fatalf("ETag %q, Last-Modified %q", etag, modified)
	}
	if w := get(s, "GET", "/a.html", "If-None-Match", etag); w.Code != 304 || w.Body.Len() > 0 {
		t.Errorf("If-None-Match: %d %q", w.Code, w.Body)
	}
	if w := get(s, "GET", "/a.html", "If-Modified-Since", modified); w.Code != 304 {
		t.Errorf("If-Modified-Since: %d", w.Code)
	}
	if err := s.root.WriteFile("a.html", []byte("edited"), 0o644); err != nil {
		t.Fatal(err)
	}
	if w := get(s, "GET", "/a.html", "If-None-Match", etag); w.Code != 200 || w.Body.String() != "edited" {
		t.Errorf("after an edit: %d %q", w.Code, w.Body)
	}
	one, two := get(s, "GET", "/live.html"), get(s, "GET", "/live.html")
	if one.Body.String() == two.Body.String() || !strings.HasPrefix(one.Body.String(), "2026 ") {
		t.Errorf("a page with noise: %q, then %q", one.Body, two.Body)
	}
	if one.Header().Get("ETag")+one.Header().Get("Last-Modified") != "" {
		t.Errorf("a page with noise has validators: %v", one.Header())
	}
}

func TestLog(t *testing.T) {
	var log bytes.Buffer
	h := logged(folder(t, map[string]string{"a.html": "page"}), &log, clock)
	etag := get(h, "GET", "/a.html?x=1", "User-Agent", "Tidemark/1").Header().Get("ETag")
	get(h, "GET", "/a.html", "If-None-Match", etag)
	get(h, "GET", "/none")
	var have []request
	for lines := bufio.NewScanner(&log); lines.Scan(); {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		have = append(have, r)
	}
	want := []request{{noon, "GET", "/a.html?x=1", 200, 4, "Tidemark/1"}, {noon, "GET", "/a.html", 304, 0, ""},
		{noon, "GET", "/none", 404, 10, ""}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// TestRun checks that the server serves and ends, and that the log has its requests.
func TestRun(t *testing.T) {
	dir, log := t.TempDir(), filepath.Join(t.TempDir(), "log.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan string, 1)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, dir, "localhost:0", log, func(addr string) { ready <- addr }) }()
	res, err := http.Get("http://" + <-ready + "/none")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(log); !strings.Contains(string(b), `"path":"/none","status":404`) {
		t.Errorf("log: %s", b)
	}
}

func TestRunRefuses(t *testing.T) {
	if err := run(t.Context(), t.TempDir()+"/none", "localhost:0", "", nil); err == nil {
		t.Error("a folder that is not there: no error")
	}
	if err := run(t.Context(), t.TempDir(), "localhost:notaport", "", nil); err == nil {
		t.Error("an address that is none: no error")
	}
}

// TestDemonstrationSite checks the properties of the site that demonstrations and tests rely on.
func TestDemonstrationSite(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "site")
	s := open(t, dir)
	pages, titles := 0, map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".html" {
			return err
		}
		pages++
		rel, _ := filepath.Rel(dir, name)
		t.Run(rel, func(t *testing.T) {
			doc, err := goquery.NewDocumentFromReader(get(s, "GET", "/"+filepath.ToSlash(rel)).Body)
			if err != nil {
				t.Fatal(err)
			}
			title := doc.Find("title").Text()
			if other := titles[title]; title == "" || other != "" {
				t.Errorf("title %q is also that of %q", title, other)
			}
			titles[title] = rel
			checkPage(t, s, doc)
		})
		return nil
	})
	if err != nil || pages < 24 || pages > 30 {
		t.Errorf("%d pages, want 24 to 30; %v", pages, err)
	}
	robots := get(s, "GET", "http://localhost:8099/robots.txt").Body.String()
	if !strings.Contains(robots, "Disallow: /private/") ||
		!strings.Contains(robots, "Sitemap: http://localhost:8099/sitemap.xml") {
		t.Errorf("robots.txt:\n%s", robots)
	}
}

// checkPage checks the bounds of one page and follows its links.
func checkPage(t *testing.T, s *site, doc *goquery.Document) {
	if n := len(strings.Fields(doc.Find("main").Text())); n < 250 {
		t.Errorf("%d words, want 250", n)
	}
	for _, want := range []string{"header nav", "main h1", "footer", "link[rel=canonical]", "html[lang]"} {
		if doc.Find(want).Length() != 1 {
			t.Errorf("%d × %s, want 1", doc.Find(want).Length(), want)
		}
	}
	doc.Find("a[href], link[href], img[src]").Each(func(_ int, e *goquery.Selection) {
		target := e.AttrOr("href", e.AttrOr("src", ""))
		if strings.HasPrefix(target, "#") {
			return
		}
		if !strings.HasPrefix(target, "/") {
			t.Errorf("%s leads out of the site", target)
			return
		}
		target, fragment, _ := strings.Cut(target, "#")
		w := get(s, "GET", target)
		if w.Code != 200 || fragment != "" && !strings.Contains(w.Body.String(), `id="`+fragment+`"`) {
			t.Errorf("%s: %d, or nothing there is called %q", target, w.Code, fragment)
		}
	})
	doc.Find("img").Each(func(_ int, e *goquery.Selection) {
		if e.AttrOr("alt", "") == "" {
			t.Errorf("%s has no text", e.AttrOr("src", ""))
		}
	})
}
