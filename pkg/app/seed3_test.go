package app

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// A6: the properties of a crawled file are in its item over HTTP (spec 003 §4): its length and its time. A page has
// neither.
func TestA6FilePropertiesOverHTTP(t *testing.T) {
	root, site := t.TempDir(), newPages(t)
	path, text := filepath.Join(root, "tides.txt"), "High water is at noon."
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	modified := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	fresh := filepath.Join(root, "fresh.txt") // written just now, so that its time proves nothing yet
	if err := errors.Join(os.Chtimes(path, modified, modified), os.WriteFile(fresh, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	site.put("/p", "Low water is at six.")
	s := newServed(t, map[string]string{"FILE_ROOT": root})
	var file, young, page api.Item
	s.ask("POST", "/api/AddFileDocument", api.AddFileRequest{Path: path}, http.StatusAccepted, &file)
	if file.FileLength != nil {
		t.Errorf("before it was read: %d bytes", *file.FileLength)
	}
	s.ask("POST", "/api/AddUrlDocument", api.AddURLRequest{URL: site.URL + "/p"}, http.StatusAccepted, &page)
	s.ask("POST", "/api/AddFileDocument", api.AddFileRequest{Path: fresh}, http.StatusAccepted, &young)
	s.work()
	s.ask("GET", "/api/items/"+young.ID, nil, http.StatusOK, &young)
	if young.FileLength == nil || *young.FileLength != int64(len(text)) || young.FileLastModified.IsZero() {
		t.Errorf("item of the fresh file: %+v, length %v", young, young.FileLength)
	}
	s.ask("GET", "/api/items/"+file.ID, nil, http.StatusOK, &file)
	if file.Status != api.StatusIndexed || file.FileLength == nil || *file.FileLength != int64(len(text)) ||
		!file.FileLastModified.Equal(modified) {
		t.Errorf("item of the file: %+v, length %v", file, file.FileLength)
	}
	s.ask("GET", "/api/items/"+page.ID, nil, http.StatusOK, &page)
	if page.Status != api.StatusIndexed || page.FileLength != nil || !page.FileLastModified.IsZero() ||
		page.DiscoveryMethod != "API" {
		t.Errorf("item of the page: %+v", page)
	}
}

// versions is a site of one page at /p, which the test changes.
type versions struct {
	*httptest.Server
	mu     sync.Mutex
	text   string
	tag    string // ETag; none when empty
	status int    // in place of 200
}

func newVersions(t *testing.T) *versions {
	v := &versions{}
	v.Server = httptest.NewServer(v)
	t.Cleanup(v.Close)
	return v
}

func (v *versions) set(text, tag string, status int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text, v.tag, v.status = text, tag, status
}

func (v *versions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	switch {
	case r.URL.Path != "/p":
		w.WriteHeader(http.StatusNotFound)
	case v.status != 0:
		w.WriteHeader(v.status)
	case v.tag != "" && r.Header.Get("If-None-Match") == v.tag:
		w.WriteHeader(http.StatusNotModified)
	default:
		if v.tag != "" {
			w.Header().Set("ETag", v.tag)
		}
		_, _ = io.WriteString(w, markup(r.URL.Path, v.text))
	}
}

// check checks an item now, and returns it with its captures, newest first. It compares both ways of listing them.
func (s *served) check(id string) (api.ItemDetail, []api.Capture) {
	s.Helper()
	time.Sleep(2 * time.Millisecond) // later times must differ
	s.ask("POST", "/api/ReindexItem", api.ReindexRequest{ID: id}, http.StatusAccepted, nil)
	s.work()
	var it api.ItemDetail
	s.ask("GET", "/api/items/"+id, nil, http.StatusOK, &it)
	var page api.CapturePage
	s.ask("GET", "/api/items/"+id+"/captures", nil, http.StatusOK, &page)
	for _, c := range page.Captures {
		if !slices.ContainsFunc(it.Captures,
			func(d api.Capture) bool { return c.SHA256 == d.SHA256 && c.LastVerifiedAt.Equal(d.LastVerifiedAt) }) {
			s.Errorf("listed %+v, with the item are %+v", c, it.Captures)
		}
	}
	return it, it.Captures
}

// E4 (INV-4): over the API, lastVerified of a capture is the last check that found its content, whether the site
// answered 304, the same bytes, or other bytes with the same content. A failed check verifies nothing, and a capture
// that is no longer current keeps its time.
func TestE4LastVerifiedOverHTTP(t *testing.T) {
	site := newVersions(t)
	site.set("The first tide.", `"1"`, 0)
	s := newServed(t, map[string]string{})
	var item api.Item
	s.ask("POST", "/api/AddUrlDocument", api.AddURLRequest{URL: site.URL + "/p"}, http.StatusAccepted, &item)
	s.work()
	var seen time.Time
	for _, again := range []struct {
		name, text, tag string
		captures        int
	}{
		{"304", "The first tide.", `"1"`, 1},
		{"the same bytes", "The first tide.", "", 1},
		{"other bytes", "The first tide.<!-- noise -->", "", 2},
		{"the other bytes again", "The first tide.<!-- noise -->", "", 2},
	} {
		site.set(again.text, again.tag, 0)
		it, captures := s.check(item.ID)
		if len(captures) != again.captures || !captures[0].LastVerifiedAt.Equal(it.LastChecked) ||
			!it.LastChecked.After(seen) || captures[0].CapturedAt.After(it.LastChecked) {
			t.Errorf("%s: checked at %s (before: %s), captures %+v", again.name, it.LastChecked, seen, captures)
		}
		seen = it.LastChecked
	}
	site.set("", "", http.StatusInternalServerError)
	if it, captures := s.check(item.ID); it.Status != api.StatusError || !captures[0].LastVerifiedAt.Equal(seen) {
		t.Errorf("after an error: %s, verified at %s, want %s", it.Status, captures[0].LastVerifiedAt, seen)
	}
	site.set("The second tide.", "", 0)
	it, captures := s.check(item.ID)
	if len(captures) != 3 || !captures[0].LastVerifiedAt.Equal(it.LastChecked) || !captures[1].LastVerifiedAt.Equal(seen) {
		t.Errorf("after a change at %s, the first seen at %s: %+v", it.LastChecked, seen, captures)
	}
}
