package app

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// crashSite is a site that answers with a small delay and keeps a log of requests.
type crashSite struct {
	*pages
	mu           sync.Mutex
	requests     map[string]int // by path
	flying, most int            // concurrent requests
}

func newCrashSite(t *testing.T) *crashSite {
	s := &crashSite{pages: &pages{texts: map[string]string{}, status: map[int]int{}}, requests: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *crashSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.arrive(r.URL.Path)
	defer s.leave()
	time.Sleep(8 * time.Millisecond) // long enough for kills and for changes of pages
	s.pages.ServeHTTP(w, r)
}

func (s *crashSite) arrive(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[path]++
	s.flying++
	s.most = max(s.most, s.flying)
}

func (s *crashSite) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying--
}

func (s *crashSite) log() (requests map[string]int, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.requests), s.most
}

// text is the text of a page in an edition. One word of it occurs nowhere else.
func text(page, edition int) string {
	return fmt.Sprintf("The lighthouse stands on the cape, says %s.", word(page, edition))
}

func word(page, edition int) string { return fmt.Sprintf("p%de%dx", page, edition) }

func path(page int) string { return fmt.Sprintf("/page/%d", page) }
