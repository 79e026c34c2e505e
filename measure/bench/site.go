package main

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A site serves pages with validators on every address of 127.0.0.0/8, so that one server acts as many hosts.
type site struct {
	port    int
	version atomic.Int64 // version number of every page
	docs    [][]byte     // contents of the pages; empty for generated ones
	server  *http.Server
	pause   time.Duration // before each answer
	small   bool          // pages of 500 bytes at most
	notMod  atomic.Int64
	served  atomic.Int64
}

func newSite() (s *site, err error) {
	s = &site{}
	s.server, s.port, err = serve(s)
	return s, err
}

// serve answers on a free port of every address until the server is closed.
func serve(h http.Handler) (*http.Server, int, error) {
	ln, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		return nil, 0, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(ln) }() // ends when the server is closed
	return server, ln.Addr().(*net.TCPAddr).Port, nil
}

func (s *site) close() { _ = s.server.Close() }

func (s *site) urls(hosts, pages int) []string {
	var out []string
	for h := range hosts {
		for p := range pages {
			out = append(out, fmt.Sprintf("http://127.0.0.%d:%d/page/%d", h+1, s.port, p))
		}
	}
	return out
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/page/") {
		http.NotFound(w, r)
		return
	}
	time.Sleep(s.pause)
	v := s.version.Load()
	etag := fmt.Sprintf(`"%d"`, v)
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		s.notMod.Add(1)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.served.Add(1)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/page/")); err == nil && n < len(s.docs) {
		_, _ = w.Write(s.docs[n]) // the crawler notices missing bytes
		return
	}
	if s.small {
		fmt.Fprintf(w, "<html lang=en><title>Page %s</title><main><h1>Page %s of %s</h1><p>Version %d. %s</p></main></html>",
			r.URL.Path, r.URL.Path, r.Host, v, filler[:300])
		return
	}
	// The content differs between hosts, because pages with equal content cost additional requests.
	fmt.Fprintf(w, "<html lang=en><title>Page %s</title><main><h1>Page %s of %s</h1>", r.URL.Path, r.URL.Path, r.Host)
	for i := range 12 {
		fmt.Fprintf(w, "<h2>Part %d</h2><p>Version %d of part %d on %s. %s</p>", i, v, i, r.URL.Path, filler)
	}
	fmt.Fprint(w, "</main></html>")
}

var filler = strings.Repeat("The gauge writes one reading every minute and keeps ten years of them. ", 6)
