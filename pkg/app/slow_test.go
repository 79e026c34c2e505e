package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// silent are sites that accept requests and never answer, except for robots.txt.
type silent struct {
	urls    []string
	release chan struct{}

	mu                   sync.Mutex
	waiting, most, ended int
}

func newSilent(t *testing.T, n int) *silent {
	s := &silent{release: make(chan struct{})}
	for range n {
		site := httptest.NewServer(http.HandlerFunc(s.serve))
		t.Cleanup(site.Close)
		s.urls = append(s.urls, site.URL+"/")
	}
	t.Cleanup(func() { close(s.release) }) // before the servers are closed
	return s
}

func (s *silent) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	s.count(1, 0)
	select {
	case <-r.Context().Done():
	case <-s.release:
	}
	s.count(-1, 1)
}

func (s *silent) count(waiting, ended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting += waiting
	s.most = max(s.most, s.waiting)
	s.ended += ended
}

// seen returns how many requests are waiting, the most that were waiting, and how many have ended.
func (s *silent) seen() (waiting, most, ended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting, s.most, s.ended
}

// S3: hosts that never answer hold at most half of the slots, so pages of other hosts are crawled while all requests
// to silent hosts still wait. There are three times as many silent hosts as slots, and all of them are first in the
// queue.
func TestS3SilentHostsLeaveHalfOfTheSlots(t *testing.T) {
	var sites, pages []string
	for range 3 {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "<title>%s</title><main><p>The page %[1]s of %s stands here.</p></main>", r.URL.Path, r.Host)
		}))
		defer site.Close()
		sites = append(sites, site.URL+"/")
		for page := range 10 {
			pages = append(pages, fmt.Sprintf("%s/page/%d", site.URL, page))
		}
	}
	l := newLocal(t, map[string]string{"STORAGE": Embedded, "CRAWL_SOFT_404": "false", "CRAWL_TIMEOUT_SECONDS": "30"})
	bad := newSilent(t, 36)
	l.start()
	l.add(sites)
	l.await("the good hosts have answered", func() bool { return l.counts()[api.StatusIndexed] == len(sites) })
	l.add(bad.urls)
	l.await("the silent hosts are asked", func() bool { waiting, _, _ := bad.seen(); return waiting >= 6 })
	l.add(pages)
	l.await("the good pages are indexed", func() bool { return l.counts()[api.StatusIndexed] == len(sites)+len(pages) })
	waiting, most, ended := bad.seen()
	t.Logf("%d requests to silent hosts wait, %d at most; %d have ended", waiting, most, ended)
	if ended > 0 || most > 12 {
		t.Errorf("%d silent hosts had to end before the good pages were done, %d were asked at once; want 0, and 12 at most",
			ended, most)
	}
}
