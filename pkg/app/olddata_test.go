package app

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// oldData has data folders whose content was made by older rules, and the site that they crawled.
const oldData = "testdata/data-folders"

// oldSite is the address of that site. No other program listens there by chance.
const oldSite = "127.23.45.67:18766"

// TestL5DataOfOlderRules runs the present program on data folders that builds with older rules left, both as they were
// left and restored from a backup. Pending migrations run, everything is found, waiting pages are crawled, and later
// changes are noticed.
func TestL5DataOfOlderRules(t *testing.T) {
	site := newOldSite(t)
	for _, version := range []string{"url_v1", "url_v2"} {
		t.Run(version, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			untar(t, filepath.Join(oldData, version+".tar.gz"), filepath.Dir(data))
			old := &local{t: t, env: map[string]string{"STORAGE": Embedded, "TIDEMARK_DATA": data}}
			restored := old.restored(old.backup())
			_ = restored.store.Close()
			for name, data := range map[string]string{"as it was": data, "restored": restored.env["TIDEMARK_DATA"]} {
				t.Run(name, func(t *testing.T) { goOn(t, data, site) })
			}
		})
	}
}

// goOn runs the app on a data folder.
func goOn(t *testing.T, data string, site *changingSite) {
	site.edition("The harbour0mark")
	l := newLocal(t, map[string]string{"STORAGE": Embedded, "TIDEMARK_DATA": data, "CRAWL_ALLOW_HOSTS": "127.23.45.67"})
	l.pass(lockAndTrust)
	l.start()
	l.await("it is migrated and crawled", func() bool {
		l.invoke("CrawlTimer")
		var h api.Health
		l.ask("GET", "/api/health", nil, http.StatusOK, &h)
		return h.Migration == "" && l.counts()[api.StatusIndexed] == 10
	})
	for _, word := range []string{"harbour0mark", "lantern7mark", "tablemark", "latemark", "notemark", "mailmark"} {
		l.await(word+" is found", func() bool { return l.search(word).Count == 1 })
	}
	url := "http://" + oldSite + "/harbour.html"
	harbour, err := source.Rules{}.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	site.edition("The sluicemark")
	l.add([]string{url})
	l.await("the change is noticed", func() bool { return l.search("sluicemark").Count == 1 })
	var it api.ItemDetail
	l.ask("GET", "/api/items/"+string(harbour.ID()), nil, http.StatusOK, &it)
	if n := len(fetched(it)); n != 2 {
		t.Errorf("%d captures, want that of the older rules and the new one", n)
	}
	l.stop()
	l.checkInvariants()
}

// changingSite serves the old site, with one word of one page changed.
type changingSite struct {
	*pages
	dir string
}

func newOldSite(t *testing.T) *changingSite {
	t.Helper()
	s := &changingSite{pages: &pages{texts: map[string]string{}}, dir: t.TempDir()}
	untar(t, filepath.Join(oldData, "site.tar.gz"), s.dir)
	at, err := net.Listen("tcp", oldSite)
	if err != nil {
		t.Fatalf("the site was at this address, so it has to be there again: %v", err)
	}
	server := &http.Server{Handler: s}
	go server.Serve(at)
	t.Cleanup(func() { _ = server.Close() })
	return s
}

func (s *changingSite) edition(word string) { s.put("/harbour.html", word) }

func (s *changingSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := os.ReadFile(filepath.Join(s.dir, filepath.Base(r.URL.Path)))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	word, changes := s.texts[r.URL.Path]
	s.mu.Unlock()
	if changes {
		text = []byte(strings.ReplaceAll(string(text), "The harbour0mark", word))
	}
	if strings.HasSuffix(r.URL.Path, ".html") {
		w.Header().Set("Content-Type", "text/html")
	}
	_, _ = w.Write(text)
}

// untar unpacks an archive of the test data.
func untar(t *testing.T, name, dir string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o700)
		} else {
			var text []byte
			text, err = io.ReadAll(files)
			err = errors.Join(err, os.WriteFile(path, text, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
