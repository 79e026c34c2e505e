package app

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// proofPage is a page of a proofSite.
type proofPage struct {
	path, file string // its text is generated if it has no file
	day        time.Time
	hidden     bool // in no sitemap
}

// proofSite publishes its pages in every way that backfill reads, correctly and incorrectly, and logs all requests.
type proofSite struct {
	*httptest.Server
	pages map[string]proofPage
	docs  map[string][]byte // sitemaps, archives and listings
	// The addresses that these list, by mode, one for each mention.
	listed map[string][]string

	mu           sync.Mutex
	asked        map[string]int
	sent         int64 // bytes of docs
	starts       []time.Time
	flying, most int
}

const (
	proofTag  = "2006-01-02"
	proofPart = 25 // pages on one listing
)

// proofBegin and proofEnd are the months in which the generated pages changed. One month between them has no changes.
var (
	proofBegin = time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)
	proofEnd   = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
)

func newProofSite(t *testing.T, ip string, pages []proofPage) *proofSite {
	t.Helper()
	l, err := net.Listen("tcp", ip+":0")
	if err != nil {
		t.Fatal(err)
	}
	s := &proofSite{pages: map[string]proofPage{}, docs: map[string][]byte{}, listed: map[string][]string{},
		asked: map[string]int{}}
	s.Server = &httptest.Server{Listener: l, Config: &http.Server{Handler: s}}
	s.Start()
	t.Cleanup(s.Close)
	for _, p := range pages {
		s.pages[p.path] = p
	}
	s.publish(pages)
	return s
}

// made returns generated pages. One in ten is in no sitemap.
func made(n int) (pages []proofPage) {
	for i := range n {
		pages = append(pages, proofPage{
			path: fmt.Sprintf("/docs/s%d/p%d.html", i%7, i),
			day:  [...]time.Time{proofBegin, proofBegin.AddDate(0, 2, i%28), proofEnd}[i%3], hidden: i%10 == 9,
		})
	}
	return pages
}

// filed returns the web pages below a folder, under their relative paths.
func filed(t *testing.T, dir string) (pages []proofPage) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(name, ".html") {
			return err
		}
		info, err := d.Info()
		rel, _ := filepath.Rel(dir, name)
		pages = append(pages, proofPage{path: "/docs/" + filepath.ToSlash(rel), file: name, day: info.ModTime().UTC()})
		return err
	})
	if err != nil || len(pages) == 0 {
		t.Fatalf("%s: %d pages, %v", dir, len(pages), err)
	}
	return pages
}

// publish creates the documents that list the pages.
func (s *proofSite) publish(pages []proofPage) {
	var shown []string
	for _, p := range pages {
		if !p.hidden {
			shown = append(shown, s.urlset(p))
		}
	}
	third := len(shown) / 3
	s.sitemap("/maps/1.xml.gz", shown[:third], true)
	s.sitemap("/maps/2.xml", shown[third:2*third], false)
	s.sitemap("/maps/3.xml.gz", shown[2*third:], true)
	bad := []string{
		loc(s.URL+"/print/1.html", ""), loc(s.URL+"/print/2.html", ""), loc("http://elsewhere.example/x", ""), // not wanted
		loc(s.URL+"/a/a/a/a/a/a", ""),            // a crawler trap
		loc(s.URL+pages[0].path+"#part", ""),     // another spelling of a known address
		loc(s.URL+pages[1].path+"?utm_id=1", ""), // likewise
	}
	s.sitemap("/maps/bad.xml", bad, false)
	s.docs["/maps/more.xml"] = mapsOf(s.URL+"/maps/3.xml.gz", s.URL+"/sitemap.xml") // back to the first sitemap
	s.docs["/sitemap.xml"] = mapsOf(s.URL+"/maps/1.xml.gz", s.URL+"/maps/2.xml", s.URL+"/maps/missing.xml",
		s.URL+"/maps/bad.xml", s.URL+"/maps/more.xml", s.URL+"/sitemap.xml")
	s.archive(pages)
	s.lists(pages)
}

func mapsOf(urls ...string) []byte {
	return []byte("<sitemapindex><sitemap><loc>" + strings.Join(urls, "</loc></sitemap><sitemap><loc>") +
		"</loc></sitemap></sitemapindex>")
}

// urlset is a page's entry in a sitemap.
func (s *proofSite) urlset(p proofPage) string { return loc(s.URL+p.path, p.day.Format(proofTag)) }

func loc(url, lastmod string) string {
	if lastmod != "" {
		lastmod = "<lastmod>" + lastmod + "</lastmod>"
	}
	return "<url><loc>" + url + "</loc>" + lastmod + "</url>"
}

func (s *proofSite) sitemap(path string, entries []string, packed bool) {
	for _, e := range entries {
		_, rest, _ := strings.Cut(e, "<loc>")
		url, _, _ := strings.Cut(rest, "</loc>")
		s.listed["SITEMAP"] = append(s.listed["SITEMAP"], url)
	}
	body := []byte(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
		strings.Join(entries, "") + "</urlset>")
	if packed {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(body)
		_ = z.Close()
		body = b.Bytes()
	}
	s.docs[path] = body
}

// archive creates a page for each month in which pages changed.
func (s *proofSite) archive(pages []proofPage) {
	months := map[string][]proofPage{}
	for _, p := range pages {
		path := p.day.Format("/archive/2006/01")
		months[path] = append(months[path], p)
	}
	for path, of := range months {
		s.listing("ARCHIVE", path, of, "")
	}
}

// lists creates listings that are numbered and, under other addresses, listings that link to the next one. The last
// of these leads back to the first.
func (s *proofSite) lists(pages []proofPage) {
	for n := 1; len(pages) > 0; n++ {
		part := pages[:min(proofPart, len(pages))]
		pages = pages[len(part):]
		s.listing("PAGINATION", fmt.Sprintf("/list/%d", n), part, "")
		next := fmt.Sprintf("/browse/%d", n+1)
		if len(pages) == 0 {
			next = "/browse/1"
		}
		s.listing("PAGINATION", fmt.Sprintf("/browse/%d", n), part, next)
	}
}

func (s *proofSite) listing(mode, path string, pages []proofPage, next string) {
	var b strings.Builder
	b.WriteString("<title>List</title><main>")
	for _, p := range pages {
		s.listed[mode] = append(s.listed[mode], s.URL+p.path)
		fmt.Fprintf(&b, "<p><a href=%q>A page</a>", p.path)
	}
	b.WriteString("</main>")
	if next != "" {
		fmt.Fprintf(&b, "<a class=older href=%q>older</a>", next)
	}
	s.docs[path] = []byte(b.String())
}

func (s *proofSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.arrive(r.URL.Path)
	defer s.leave()
	body, doc := s.docs[r.URL.Path]
	page, known := s.pages[r.URL.Path]
	switch {
	case doc:
		s.mu.Lock()
		s.sent += int64(len(body))
		s.mu.Unlock()
	case known && page.file != "":
		body, _ = os.ReadFile(page.file)
	case known:
		body = []byte(fmt.Sprintf("<html lang=en><title>%s</title><main><p>The page %[1]s tells of the harbour of "+
			"%[1]s.</p></main>", page.path))
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if strings.HasSuffix(r.URL.Path, ".xml") || strings.HasSuffix(r.URL.Path, ".gz") {
		w.Header().Set("Content-Type", "application/octet-stream")
	} else {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	_, _ = io.Copy(w, bytes.NewReader(body))
}

func (s *proofSite) arrive(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[path]++
	s.starts = append(s.starts, time.Now())
	s.flying++
	s.most = max(s.most, s.flying)
}

func (s *proofSite) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying--
}

// log returns the number of requests by path, and the bytes of the documents among them. It then starts a new log.
func (s *proofSite) log() (asked map[string]int, sent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, sent = maps.Clone(s.asked), s.sent
	clear(s.asked)
	s.sent = 0
	return asked, sent
}

// hurried describes requests that came sooner than pause after the previous one, or concurrently. A second is allowed
// for the time between a start and its arrival on a busy machine.
func (s *proofSite) hurried(pause time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 1 {
		return fmt.Sprintf("%d requests at once", s.most)
	}
	for i, from := range s.starts {
		for n, at := range s.starts[i:] {
			if at.Sub(from) < time.Duration(n)*pause-time.Second {
				return fmt.Sprintf("%d requests in %v, at %v from each other", n+1, at.Sub(from), pause)
			}
		}
	}
	return ""
}
