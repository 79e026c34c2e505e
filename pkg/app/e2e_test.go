package app

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/registry"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashHostEnv); dir != "" {
		runCrashHost(dir)
		return
	}
	if playRole() {
		return
	}
	azuritetest.Main(m)
}

// pages is a site to which tests add pages, and from which they remove them.
type pages struct {
	*httptest.Server
	mu     sync.Mutex
	texts  map[string]string
	status map[int]int // answers since the last call, by status
	asked  func(path string)
}

func newPages(t *testing.T) *pages {
	s := &pages{texts: map[string]string{}, status: map[int]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	text, ok := s.texts[r.URL.Path]
	asked := s.asked
	tag := fmt.Sprintf(`"%x"`, text)
	status := http.StatusOK
	switch {
	case !ok:
		status = http.StatusNotFound
	case r.Header.Get("If-None-Match") == tag:
		status = http.StatusNotModified
	}
	if r.URL.Path != "/robots.txt" {
		s.status[status]++
	}
	s.mu.Unlock()
	if asked != nil {
		asked(r.URL.Path)
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if status == http.StatusOK {
		_, _ = io.WriteString(w, markup(r.URL.Path, text))
	}
}

func markup(path, text string) string {
	return fmt.Sprintf("<html lang=en><title>Page %s</title><main><p>%s</p></main>", path, text)
}

func (s *pages) put(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[path] = text
}

func (s *pages) answers() map[int]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.status
	s.status = map[int]int{}
	return out
}

// onAsk registers f, which is called with each request before the answer.
func (s *pages) onAsk(f func(path string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = f
}

// TestEndToEnd runs the real handler under the local host over each store against a real site. It adds, finds,
// checks, changes and deletes pages, kills the handler in the middle of a crawl, and restarts the host.
func TestEndToEnd(t *testing.T) {
	for name, settings := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			endToEnd(t, newLocal(t, settings(t)))
		})
	}
}

func endToEnd(t *testing.T, l *local) {
	site := newPages(t)
	l.start()
	for request, want := range map[string]int{"GET /api/nothing": http.StatusNotFound,
		"DELETE /api/items": http.StatusMethodNotAllowed} {
		method, path, _ := strings.Cut(request, " ")
		var p api.Problem
		if l.ask(method, path, nil, want, &p); p.Detail == "" {
			t.Errorf("%s: the answer through the host is no problem document", request)
		}
	}
	var first []string
	for i := range 40 {
		path := fmt.Sprintf("/page/%d", i)
		site.put(path, fmt.Sprintf("The lighthouse number%d stands on the cape.", i))
		first = append(first, site.URL+path)
	}

	l.add(first)
	l.await("40 pages are indexed", func() bool { return l.counts()[api.StatusIndexed] == 40 })
	if got := l.search("lighthouse"); got.Count != 40 || len(got.Results) != 10 {
		t.Errorf("search finds %d pages, shows %d", got.Count, len(got.Results))
	}
	if got := l.search("number17"); got.Count != 1 || got.Results[0].URL != first[17] {
		t.Errorf("search for one page: %+v", got)
	}
	if have, want := site.answers(), map[int]int{200: 40, 404: 1}; !maps.Equal(have, want) {
		t.Errorf("the site answered %v, want every page once, and once for a page that cannot exist", have)
	}

	l.add(first) // nothing has changed
	l.await("all are checked again", l.idle)
	if have := site.answers(); have[304] != 40 || len(have) != 1 {
		t.Errorf("the site answered %v, want 40 times 304", have)
	}

	site.put("/page/3", "A foghorn was added.")
	site.mu.Lock()
	delete(site.texts, "/page/4")
	site.mu.Unlock()
	l.add(first)
	l.await("one is gone", func() bool { return l.idle() && l.counts()[api.StatusGone] == 1 })
	if have, want := site.answers(), map[int]int{304: 38, 200: 1, 404: 1}; !maps.Equal(have, want) {
		t.Errorf("the site answered %v, want %v", have, want)
	}
	for query, want := range map[string]int{"foghorn": 1, "number3": 0, "number4": 0, "lighthouse": 38} {
		if got := l.search(query); got.Count != want {
			t.Errorf("%q finds %d pages, want %d", query, got.Count, want)
		}
	}

	l.killInTheMiddle(site)
	l.checkInvariants()
}

// killInTheMiddle kills the handler while it crawls. The host starts another one, and everything is done once the
// locks of the killed worker have expired. The host is restarted, too, and finds the earlier state.
func (l *local) killInTheMiddle(site *pages) {
	l.t.Helper()
	var second []string
	for i := range 20 {
		path := fmt.Sprintf("/late/%d", i)
		site.put(path, fmt.Sprintf("The buoy late%d drifts.", i))
		second = append(second, site.URL+path)
	}
	victim, asked := l.pid(), 0
	var mu sync.Mutex
	site.onAsk(func(path string) {
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked == 6 && strings.HasPrefix(path, "/late/") {
			if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
				l.t.Error(err)
			}
		}
	})
	l.add(second)
	l.await("the host starts another handler", func() bool { return l.pid() != victim && l.healthy() })
	site.onAsk(nil)
	if n := l.counts()[api.StatusIndexed]; n == 39+20 {
		l.t.Fatal("the handler was killed too late to prove anything")
	}
	l.stop()
	l.checkInvariants()
	l.pass(lockAndTrust)
	l.start()
	l.await("everything is done", func() bool {
		l.invoke("CrawlTimer")
		return l.idle() && l.counts()[api.StatusIndexed] == 39+20
	})
	if got := l.search("buoy"); got.Count != 20 {
		l.t.Errorf("search finds %d of the 20 late pages", got.Count)
	}
	if got := l.search("foghorn"); got.Count != 1 {
		l.t.Errorf("what was indexed before the kill is found %d times", got.Count)
	}
	statuses := slices.Collect(maps.Keys(l.counts()))
	if len(statuses) == 0 || l.counts()[api.Status(registry.Error)] != 0 {
		l.t.Errorf("items by status: %v", l.counts())
	}
}
