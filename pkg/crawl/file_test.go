package crawl

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/local/azurite"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/registry"
)

// shelf is a rig whose items are local files.
type shelf struct {
	*rig
	dir  string
	slow int // looks at files for which each takes seconds
}

func newShelf(t *testing.T, maxBytes int64) *shelf {
	dir := t.TempDir()
	s := &shelf{dir: dir}
	s.rig = newRig(t, func(k *knobs) {
		files, err := file.New(file.Config{
			Root: dir, Setting: func(string) string { return "" }, Transport: http.DefaultTransport,
			MaxBytes: maxBytes, Now: s.look,
		})
		must(t, err)
		k.crawl.Files, k.crawl.FileRoot = files, dir
	})
	return s
}

// look returns the time at which a file is looked at, which is old enough for its own time to prove something.
func (s *shelf) look() time.Time {
	if s.slow > 0 {
		s.slow--
		s.clock.pass(2500 * time.Millisecond)
	}
	return time.Now().Add(time.Hour)
}

func (s *shelf) path(name string) string { return filepath.Join(s.dir, name) }

func (s *shelf) write(name, body string) {
	s.t.Helper()
	must(s.t, os.WriteFile(s.path(name), []byte(body), 0o600))
}

// fileItem checks a file now and reads its item.
func (r *rig) fileItem(path string, o registry.RegisterOptions) registry.Item {
	r.t.Helper()
	place, err := file.Parse(path)
	must(r.t, err)
	r.clock.pass(time.Second)
	for _, got := range r.reg.Items.Register(r.t.Context(), []source.Source{place.Source()}, o) {
		must(r.t, got.Err)
	}
	r.mustWork()
	it, err := r.reg.Items.Find(r.t.Context(), place.Source().ID())
	must(r.t, err)
	return it
}

func (s *shelf) check(name string) registry.Item {
	s.t.Helper()
	return s.fileItem(s.path(name), registry.RegisterOptions{})
}

// TestA9Files checks A9: a file is read when its properties change, and indexed when its content changes.
func TestA9Files(t *testing.T) {
	s := newShelf(t, 0)
	s.write("a.md", "# Tide gauge\n\nThe float hangs in a well.\n")
	first := s.check("a.md")
	if first.Status != indexed || s.index.holds(first) != "Tide gauge" || first.MimeType != "text/markdown" ||
		first.FileLength == 0 {
		t.Fatalf("status %s (%s), index %q, type %s", first.Status, first.ErrorMessage, s.index.holds(first),
			first.MimeType)
	}
	s.index.writes()
	if it := s.check("a.md"); last(it) != "unchanged" || len(s.index.writes()) > 0 {
		t.Errorf("the same properties: %s", last(it))
	}
	later := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(s.path("a.md"), later, later))
	if it := s.check("a.md"); last(it) != "unchanged" || len(s.index.writes()) > 0 {
		t.Errorf("other properties, the same bytes: %s", last(it))
	}
	s.write("a.md", "# Tide gauge\n\nThe float hangs in a deeper well.\n")
	if it := s.check("a.md"); it.ContentHash == first.ContentHash || len(s.index.writes()) != 1 || len(it.History) < 4 {
		t.Errorf("other content: %s", last(it))
	}
}

// TestC3Files checks that chunks of a file are named by its path below FILE_ROOT.
func TestC3Files(t *testing.T) {
	s := newShelf(t, 0)
	s.write("Tide a.md", "The float hangs in a well.\n")
	chunk := s.index.pages[string(s.check("Tide a.md").ID)].Chunks[0]
	if !strings.HasPrefix(chunk.UID, "ck64:v1:repo:Tide a.md:") {
		t.Errorf("have %s, want the path below the folder", chunk.UID)
	}
}

// TestA14Files checks A14: a file that is gone leaves the index after as many checks as a page would.
func TestA14Files(t *testing.T) {
	s := newShelf(t, 0)
	s.write("a.txt", "A gauge that will be taken away.")
	s.check("a.txt")
	must(t, os.Remove(s.path("a.txt")))
	for i := range 3 {
		it := s.check("a.txt")
		if gone := it.Status == registry.Gone; gone != (i == 2) || gone != (s.index.holds(it) == "") {
			t.Fatalf("check %d: %s (%s), index %q", i+1, it.Status, it.ErrorMessage, s.index.holds(it))
		}
	}
	s.write("a.txt", "The gauge is back.")
	if it := s.check("a.txt"); it.Status != indexed {
		t.Errorf("back: %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA17FilesThatAreNotRead checks A17: a file that is too large is identified by its hash; a file that may not be
// read has an error that states this.
func TestA17FilesThatAreNotRead(t *testing.T) {
	s := newShelf(t, 1000)
	s.write("large.txt", strings.Repeat("water ", 500))
	for _, want := range []string{"notIndexed", "unchanged"} {
		if it := s.check("large.txt"); it.Status != registry.Crawled || last(it) != want || it.RawHash == "" {
			t.Errorf("large: %s (%s), %s, want %s", it.Status, it.ErrorMessage, last(it), want)
		}
	}
	must(t, os.Symlink("/etc/passwd", s.path("link.txt")))
	for _, path := range []string{s.path("link.txt"), "/etc/passwd"} {
		if it := s.fileItem(path, registry.RegisterOptions{}); it.Status != registry.Error || s.index.holds(it) != "" {
			t.Errorf("%s: %s (%s)", path, it.Status, it.ErrorMessage)
		}
	}
}

// TestA24Pages checks A24: a private page is fetched with its credential, which is sent to one origin only.
func TestA24Pages(t *testing.T) {
	r := newRig(t, func(k *knobs) {
		k.crawl.Setting = func(name string) string {
			if name == "CREDENTIAL_ELSEWHERE" {
				return "bearer https://wiki.example secret"
			}
			return ""
		}
	})
	r.site.put("/p", text("v1"))
	for _, name := range []string{"ELSEWHERE", "UNSET"} {
		for _, got := range r.reg.Items.Register(t.Context(), []source.Source{r.source("/p")},
			registry.RegisterOptions{Credential: name}) {
			must(t, got.Err)
		}
		r.mustWork()
		it := r.item("/p")
		if it.Status != registry.Error || !strings.Contains(it.ErrorMessage, name) ||
			strings.Contains(it.ErrorMessage, "secret") ||
			len(r.site.asked()) > 0 {
			t.Errorf("%s: %s (%s)", name, it.Status, it.ErrorMessage)
		}
		r.clock.pass(time.Minute)
	}
	r.o.Setting = func(string) string { return "basic " + r.site.URL + " reader:secret" }
	r.site.before = func(string) {}
	if it := r.force("/p"); it.Status != indexed {
		t.Errorf("with the right credential: %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestA9Container checks A9: a container is kept in sync by its listing: new blobs are added, changed blobs are read,
// and deleted blobs leave.
func TestA9Container(t *testing.T) {
	server := azuritetest.Start(t)
	address := fmt.Sprintf("http://127.0.0.1:%d/%s/shelf", server.Ports.Blob, azurite.Account)
	blobs, err := container.NewClientFromConnectionString(server.ConnectionString(), "shelf", nil)
	must(t, err)
	_, err = blobs.Create(t.Context(), nil)
	must(t, err)
	put := func(name, text string) {
		_, err := blobs.NewBlockBlobClient(name).UploadBuffer(t.Context(), bytes.Repeat([]byte(text+"\n"), 2), nil)
		must(t, err)
	}
	r := newRig(t, func(k *knobs) {
		web, err := fetch.New(fetch.Config{AllowHosts: []string{fmt.Sprintf("127.0.0.1:%d", server.Ports.Blob)}})
		must(t, err)
		setting := func(string) string { return "connection " + address + " " + server.ConnectionString() }
		k.crawl.Files, err = file.New(file.Config{Setting: setting, Transport: web.Transport()})
		must(t, err)
	})
	whole := func() registry.Item {
		t.Helper()
		r.clock.pass(time.Hour)
		return r.fileItem(address, registry.RegisterOptions{Credential: "SHELF"})
	}
	blob := func(name string) registry.Item {
		t.Helper()
		place, err := file.Parse(address + "/" + name)
		must(t, err)
		it, err := r.reg.Items.Find(t.Context(), place.Source().ID())
		must(t, err)
		return it
	}
	put("a.txt", "First text.")
	put("b/c.txt", "Second text.")
	if it := whole(); it.Status != registry.Crawled || last(it) != "listed" {
		t.Fatalf("container: %s (%s), %s", it.Status, it.ErrorMessage, last(it))
	}
	a := blob("a.txt")
	if c := blob("b/c.txt"); a.Status != indexed || c.Status != indexed || a.Credential != "SHELF" ||
		a.DiscoveryMethod != "CONTAINER" {
		t.Fatalf("a: %s (%s), c: %s (%s)", a.Status, a.ErrorMessage, c.Status, c.ErrorMessage)
	}
	r.index.writes()
	whole()
	if it := blob("a.txt"); len(r.index.writes()) > 0 || !it.LastChecked.Equal(a.LastChecked) {
		t.Error("nothing changed, and a blob was checked")
	}
	put("a.txt", "First text, changed.")
	put("d.txt", "Third text.")
	_, err = blobs.NewBlobClient("b/c.txt").Delete(t.Context(), nil)
	must(t, err)
	for range 3 {
		whole()
	}
	if it := blob("a.txt"); it.ContentHash == a.ContentHash {
		t.Error("a change was not seen")
	}
	if d, c := blob("d.txt"), blob("b/c.txt"); d.Status != indexed || c.Status != registry.Gone ||
		r.index.holds(c) != "" {
		t.Errorf("new: %s, deleted: %s (%s)", d.Status, c.Status, c.ErrorMessage)
	}
}

// TestX7PackedFilesAreSearched checks X7: the text of a file that is packed with gzip is searched, and the file is not
// read again while it stays the same.
func TestX7PackedFilesAreSearched(t *testing.T) {
	s := newShelf(t, 0)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte("<title>The quay</title><p>The float hangs in a well, and the tide lifts it.</p>"))
	must(t, errors.Join(err, w.Close()))
	s.write("a.html", packed.String())
	it := s.check("a.html")
	chunks := s.index.pages[string(it.ID)].Chunks
	if it.Status != indexed || s.index.holds(it) != "The quay" || len(chunks) != 1 ||
		it.FileLength != int64(packed.Len()) {
		t.Errorf("%s (%s), %s: %v", it.Status, it.ErrorMessage, it.Exclusion, chunks)
	}
	if again := s.check("a.html"); again.ContentHash != it.ContentHash || !again.LastChanged.Equal(it.LastChanged) {
		t.Errorf("checked again: %v", again.History)
	}
	s.write("b.html.gz", packed.String())
	if it := s.check("b.html.gz"); it.Exclusion == "" {
		t.Errorf("an archive: %s, %s", it.Status, s.index.holds(it))
	}
}
