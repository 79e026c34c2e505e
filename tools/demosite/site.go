package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxFile is the largest file that is served.
const maxFile = 16 << 20

// A site serves the files below root. Every request reads its file again, so that an edit is visible at once.
//
// A file may contain placeholders, which the server replaces by values. {{base}} is the site's own address. {{now}},
// {{year}} and {{nonce}} are noise: they imitate the changing parts of a page that is built for each request. A page
// with noise has neither ETag nor Last-Modified, as such pages usually do not.
type site struct {
	root *os.Root
	now  func() time.Time
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name, body, modified, err := s.read(r.URL.Path)
	if err != nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	body, noisy := fill(body, "http://"+r.Host, s.now())
	if !noisy {
		w.Header().Set("ETag", fmt.Sprintf(`"%.16x"`, sha256.Sum256(body)))
		w.Header().Set("Cache-Control", "no-cache")
	} else {
		modified = time.Time{}
		w.Header().Set("Cache-Control", "no-store")
	}
	http.ServeContent(w, r, name, modified, bytes.NewReader(body))
}

// read reads the file for the path of a URL. For a folder, with or without a slash at the end, it reads the folder's
// index page.
func (s *site) read(urlPath string) (name string, body []byte, modified time.Time, err error) {
	name = strings.TrimPrefix(path.Clean("/"+urlPath), "/")
	if name == "" {
		name = "."
	}
	info, err := s.root.Stat(name)
	if err == nil && info.IsDir() {
		name = path.Join(name, "index.html")
		info, err = s.root.Stat(name)
	}
	if err != nil {
		return "", nil, time.Time{}, err
	}
	f, err := s.root.Open(name)
	if err != nil {
		return "", nil, time.Time{}, err
	}
	defer f.Close()
	body, err = io.ReadAll(io.LimitReader(f, maxFile))
	return name, body, info.ModTime(), err
}

// fill replaces the placeholders, and reports whether any of their values differs between requests.
func fill(body []byte, base string, now time.Time) (filled []byte, noisy bool) {
	if !bytes.Contains(body, []byte("{{")) {
		return body, false
	}
	noisy = bytes.Contains(body, []byte("{{nonce}}")) || bytes.Contains(body, []byte("{{now}}"))
	r := strings.NewReplacer("{{base}}", base, "{{nonce}}", rand.Text(), "{{now}}", now.UTC().Format(time.RFC1123),
		"{{year}}", strconv.Itoa(now.Year()))
	return []byte(r.Replace(string(body))), noisy
}

// A request is one line of the log.
type request struct {
	Time      time.Time `json:"time"`
	Method    string    `json:"method"`
	Path      string    `json:"path"` // path with its query
	Status    int       `json:"status"`
	Bytes     int64     `json:"bytes"` // bytes of the body that was sent
	UserAgent string    `json:"userAgent,omitempty"`
}

// logged answers requests with h, and writes one JSON line for each request after h has answered it.
func logged(h http.Handler, log io.Writer, now func() time.Time) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &counter{ResponseWriter: w, status: http.StatusOK}
		h.ServeHTTP(c, r)
		line, err := json.Marshal(request{now().UTC(), r.Method, r.URL.RequestURI(), c.status, c.bytes, r.UserAgent()})
		if err != nil {
			return // Unreachable: the fields are plain.
		}
		mu.Lock()
		defer mu.Unlock()
		log.Write(append(line, '\n'))
	})
}

// A counter records the status and the size of an answer.
type counter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (c *counter) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.bytes += int64(n)
	return n, err
}
