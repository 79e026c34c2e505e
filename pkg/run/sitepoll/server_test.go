package sitepoll_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// server is a real site whose answers have a validator. It records the requests.
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

// TestE14RealServer checks the requests to a real server, under the crawl's own politeness: an unchanged site costs
// one conditional request per document, a changed one a download of what changed, and a push one request for the key
// (E14).
func TestE14RealServer(t *testing.T) {
	r := inMemory(t)
	web := &server{pages: map[string]string{"/robots.txt": "User-agent: *\nDisallow: /private/\n"}}
	host := httptest.NewServer(web)
	t.Cleanup(host.Close)
	r.restart(func(o *sitepoll.Options) {
		o.Sites = site.List{{Slug: "a", Domain: strings.TrimPrefix(host.URL, "http://"),
			Sitemaps: []string{host.URL + "/map.xml", host.URL + "/private/map.xml"}}}
	})
	r.Service = sitepoll.New(r.Store, r.reg, r.Hosts(r.reg), r.o)

	web.pages["/map.xml"] = runtest.MapIndex(host.URL+"/one.xml", host.URL+"/two.xml")
	web.pages["/one.xml"], web.pages["/two.xml"] = runtest.URLSet(runtest.Pages(host.URL+"/one/", 3)...),
		runtest.URLSet(runtest.Pages(host.URL+"/two/", 3)...)
	if poll := r.tick("a"); poll.New != 6 || poll.Errors != 1 {
		t.Errorf("%+v", poll)
	}
	same(t, []string{"200 /robots.txt", "200 /map.xml", "200 /one.xml", "200 /two.xml"}, web.requests())
	web.pages["/two.xml"] = runtest.URLSet(runtest.Pages(host.URL+"/two/", 4)...)
	r.Clock.Pass(time.Hour)
	_, err := r.PollNow(t.Context(), "a")
	r.Must(err)
	r.settle()
	if poll := r.site("a").Last; poll.New != 1 || poll.Unmodified != 2 {
		t.Errorf("%+v", poll)
	}
	same(t, []string{"304 /map.xml", "304 /one.xml", "200 /two.xml"}, web.requests())

	web.pages["/"+pushKey+".txt"] = pushKey
	got, err := r.Push(t.Context(), api.IndexNowRequest{
		Host: strings.TrimPrefix(host.URL, "http://"), Key: pushKey, KeyLocation: host.URL + "/" + pushKey + ".txt",
		URLList: []string{host.URL + "/pushed"},
	})
	if err != nil || got.New != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	same(t, []string{"200 /" + pushKey + ".txt"}, web.requests())
}
