package sentinel_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/index"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/sentinel"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/source"
)

// server is a real site whose answers have a validator, and tells how it was asked.
type server struct {
	mu    sync.Mutex
	pages map[string]string
	log   []string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.pages[r.URL.Path]
	etag := fmt.Sprintf(`"%d-%d"`, len(text), strings.Count(text, "loc"))
	status := http.StatusOK
	switch {
	case !ok:
		status = http.StatusNotFound
	case r.Header.Get("If-None-Match") == etag:
		status = http.StatusNotModified
	}
	s.log = append(s.log, fmt.Sprintf("%d %s", status, r.URL.Path))
	w.Header().Set("Etag", etag)
	w.WriteHeader(status)
	if status == http.StatusOK {
		_, _ = io.WriteString(w, text)
	}
}

func (s *server) requests() (log []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	log, s.log = s.log, nil
	return log
}

// E14: over a real server and the crawl's own politeness an unchanged site costs one conditional
// request for each document, a changed one a download of what changed, and a push one of the key.
func TestE14RealServer(t *testing.T) {
	r := newRig(t, openers["mem"])
	web := &server{pages: map[string]string{"/robots.txt": "User-agent: *\nDisallow: /private/\n"}}
	host := httptest.NewServer(web)
	t.Cleanup(host.Close)
	r.restart(func(o *sentinel.Options) {
		o.Sites = sites{{Slug: "a", Domain: strings.TrimPrefix(host.URL, "http://"), Sitemaps: []string{host.URL + "/map.xml", host.URL + "/private/map.xml"}}}
	})
	r.Service = sentinel.New(r.store, r.reg, worker(t, r), r.o)

	web.pages["/map.xml"] = mapIndex(host.URL+"/one.xml", host.URL+"/two.xml")
	web.pages["/one.xml"], web.pages["/two.xml"] = urlset(plain(host.URL+"/one/", 3)...), urlset(plain(host.URL+"/two/", 3)...)
	if look := r.tick("a"); look.New != 6 || look.Errors != 1 {
		t.Errorf("%+v", look)
	}
	same(t, []string{"200 /robots.txt", "200 /map.xml", "200 /one.xml", "200 /two.xml"}, web.requests())
	web.pages["/two.xml"] = urlset(plain(host.URL+"/two/", 4)...)
	r.clock.pass(time.Hour)
	_, err := r.LookNow(t.Context(), "a")
	must(t, err)
	r.settle()
	if look := r.site("a").Last; look.New != 1 || look.Unmodified != 2 {
		t.Errorf("%+v", look)
	}
	same(t, []string{"304 /map.xml", "304 /one.xml", "200 /two.xml"}, web.requests())

	web.pages["/"+pushKey+".txt"] = pushKey
	got, err := r.Push(t.Context(), sentinel.Push{
		Host: strings.TrimPrefix(host.URL, "http://"), Key: pushKey, KeyLocation: host.URL + "/" + pushKey + ".txt", URLs: []string{host.URL + "/pushed"},
	})
	if err != nil || got.New != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	same(t, []string{"200 /" + pushKey + ".txt"}, web.requests())
}

// worker visits as the app's does, on loopback.
func worker(t *testing.T, r *rig) *crawl.Worker {
	t.Helper()
	web, err := fetch.New(fetch.Config{UserAgent: "Tidemark/1", AllowHosts: []string{"127.0.0.1"}, Now: r.clock.Now, Timeout: 5 * time.Second})
	must(t, err)
	t.Cleanup(web.Close)
	return crawl.New(r.reg, snapshot.New(r.store), index.NewManifests(r.store), web, search.None{}, crawl.Options{
		Schedule: schedule.Defaults(), Agent: "Tidemark", Rules: source.DefaultRules(), Strategy: source.ByHost, Clock: r.clock.Now,
		Sleep: func(ctx context.Context, d time.Duration) error { r.clock.pass(d); return ctx.Err() },
	})
}
