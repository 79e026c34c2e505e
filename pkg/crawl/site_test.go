package crawl

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// page is the answer of the site for one path.
type page struct {
	status  int // 200 when zero
	header  http.Header
	body    string
	ignores bool // answers 200 whatever the conditions
	noHead  int  // status for HEAD, if different
	hangUp  bool // closes the connection instead of answering
}

// site is a web server whose pages the test changes. It records its requests.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	pages  map[string]page
	log    []string
	robots int // requests for robots.txt, which are not in the log
	before func(path string)
	// beforeRobots is called before robots.txt is served.
	beforeRobots func(path string)
	heads        []http.Header // of all requests
	lost         page          // answer for all other paths; 404 when zero
}

func newSite(t *testing.T) *site {
	s := &site{pages: map[string]page{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) put(path string, p page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = p
}

// asked returns the requests since the last call, without robots.txt.
func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.log
	s.log = nil
	return out
}

// count returns the number of requests since the last call.
func (s *site) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.log)
}

func (s *site) robotsAsked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.robots
	s.robots = 0
	return n
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, before := s.note(r)
	if before != nil {
		before(r.URL.Path)
	}
	if p.hangUp {
		panic(http.ErrAbortHandler)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	for name, values := range p.header {
		h[name] = values
	}
	if p.noHead != 0 && r.Method == http.MethodHead {
		p.status = p.noHead
	}
	if !p.ignores && p.status == 0 && matches(r, p.header) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
	_, _ = w.Write([]byte(p.body))
}

func matches(r *http.Request, h http.Header) bool {
	if tag := r.Header.Get("If-None-Match"); tag != "" {
		return tag == h.Get("ETag")
	}
	since := r.Header.Get("If-Modified-Since")
	return since != "" && since == h.Get("Last-Modified")
}

func (s *site) note(r *http.Request) (page, func(string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heads = append(s.heads, r.Header)
	p, ok := s.pages[r.URL.Path]
	if !ok && (s.lost.status != 0 || s.lost.body != "") {
		p, ok = s.lost, r.URL.Path != "/robots.txt"
	}
	if !ok {
		p = status(http.StatusNotFound)
	}
	if r.URL.Path == "/robots.txt" {
		s.robots++
		return p, s.beforeRobots
	}
	line := r.Method + " " + r.URL.Path
	if tag := r.Header.Get("If-None-Match"); tag != "" {
		line += " if " + strings.Trim(tag, `"`)
	}
	if r.Header.Get("If-Modified-Since") != "" {
		line += " if since"
	}
	s.log = append(s.log, line)
	return p, s.before
}
