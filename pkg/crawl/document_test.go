package crawl

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestMain lets the test's executable also run as the process that reads a heavy document, and as one of several
// processes that crawl one host.
func TestMain(m *testing.M) {
	document.Main()
	runErrand()
	azuritetest.Main(m)
}

// testFile is a page with the bytes of another package's test file.
func testFile(t *testing.T, contentType string, path ...string) page {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(append([]string{"..", "content"}, path...)...))
	must(t, err)
	return page{body: string(body)}.set("Content-Type", contentType)
}

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// TestA17Documents checks A17: documents of every type are crawled side by side. A document that cannot be read fails
// alone, with a message that states why.
func TestA17Documents(t *testing.T) {
	r := newRig(t)
	octets := "application/octet-stream"
	broken := testFile(t, "application/pdf", "extract", "pdf", "testdata", "columns.pdf")
	broken.body = broken.body[:len(broken.body)/3]
	for _, tt := range []struct {
		path    string
		page    page
		status  registry.Status
		message string // part of the error message
	}{
		{"/page", text("page"), indexed, ""},
		{"/pdf", testFile(t, "application/pdf", "extract", "pdf", "testdata", "columns.pdf"), indexed, ""},
		{"/mislabelled", testFile(t, "text/html", "extract", "pdf", "testdata", "office.pdf"), indexed, ""},
		{"/docx", testFile(t, docxType, "extract", "office", "testdata", "pandoc.docx"), indexed, ""},
		{"/pptx", testFile(t, octets, "extract", "office", "testdata", "pandoc.pptx"), indexed, ""},
		{"/xlsx", testFile(t, octets, "extract", "office", "testdata", "harbour.xlsx"), indexed, ""},
		{"/eml", testFile(t, "message/rfc822", "extract", "mail", "testdata", "alternative.eml"), indexed, ""},
		{"/md", testFile(t, "text/markdown", "extract", "web", "testdata", "guide.md"), indexed, ""},
		{"/txt", testFile(t, "text/plain", "extract", "web", "testdata", "notice.txt"), indexed, ""},
		{"/csv", testFile(t, "text/csv", "extract", "web", "testdata", "prices.csv"), indexed, ""},
		{"/png", page{body: "\x89PNG\r\n\x1a\n" + long(100)}.set("Content-Type", "image/png"), registry.Crawled, ""},
		{"/locked", testFile(t, "application/pdf", "extract", "pdf", "testdata", "locked.pdf"), registry.Error,
			"protected by a password"},
		{"/scan", testFile(t, "application/pdf", "extract", "pdf", "testdata", "scan.pdf"), registry.Error,
			"text recognition"},
		{"/broken", broken, registry.Error, "broken"},
		{"/nodocx", page{body: "PK\x03\x04" + long(100)}.set("Content-Type", docxType), registry.Error, ""},
	} {
		r.site.put(tt.path, tt.page.etag("1"))
		r.register(false, tt.path)
		defer func() {
			it := r.item(tt.path)
			if it.Status != tt.status || !strings.Contains(it.ErrorMessage, tt.message) ||
				(it.Status == registry.Error) != (it.ErrorMessage != "") {
				t.Errorf("%s is %s (%s), want %s (…%s…)", tt.path, it.Status, it.ErrorMessage, tt.status, tt.message)
			}
			if tt.status == indexed && (r.index.holds(it) == "" || it.Language == "" && tt.path != "/csv") {
				t.Errorf("%s: index holds %q, language %q", tt.path, r.index.holds(it), it.Language)
			}
		}()
	}
	r.mustWork()
}

// TestA17DocumentsChange checks A17: a document is checked like a page: it is not read again while it has not
// changed, and content is distinguished from noise when it has.
func TestA17DocumentsChange(t *testing.T) {
	r := newRig(t)
	r.site.put("/d", testFile(t, docxType, "extract", "office", "testdata", "pandoc.docx").etag("1"))
	first := r.first("/d")
	if it := r.next("/d"); last(it) != "unchanged" || it.ContentHash != first.ContentHash {
		t.Errorf("a 304: %s", last(it))
	}
	r.site.put("/d", testFile(t, docxType, "extract", "office", "testdata", "libreoffice.docx").etag("2"))
	r.index.writes()
	if it := r.next("/d"); it.ContentHash == first.ContentHash || len(r.index.writes()) != 1 ||
		it.MimeType != docxType {
		t.Errorf("another document: %s, type %s", last(it), it.MimeType)
	}
	for i := range 2 {
		r.site.put("/d", page{body: fmt.Sprint("broken", i)}.set("Content-Type", docxType))
		if it := r.next("/d"); it.Status != registry.Error && it.Status != indexed {
			t.Errorf("broken: %s", it.Status)
		}
	}
}

// TestX7DeclaredTypes checks that a page is read by its bytes where its declared type cannot be true, and that the
// declared type stays with the capture (X7).
func TestX7DeclaredTypes(t *testing.T) {
	r := newRig(t)
	var packed strings.Builder
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(text("packed").body))
	must(t, errors.Join(err, w.Close()))
	for path, tt := range map[string]struct {
		body, declared string
		status         registry.Status
	}{
		"/gzip":   {packed.String(), "text/html", indexed},
		"/word":   {text("word").body, "html", indexed},
		"/comma":  {text("comma").body, "text/html,charset=utf-8", indexed},
		"/jpeg":   {"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + long(100), "text/html", registry.Crawled},
		"/binary": {strings.Repeat("\x01\x02\x03\x04", 100), "text/html", registry.Crawled},
	} {
		r.site.put(path, page{body: tt.body}.set("Content-Type", tt.declared))
		it := r.first(path)
		if it.Status != tt.status || tt.status == indexed && r.index.holds(it) == "" {
			t.Errorf("%s is %s (%s), the index has %.80q", path, it.Status, it.ErrorMessage, r.index.holds(it))
		}
		if all := r.captures(path); len(all) != 1 || all[0].ContentType() != tt.declared {
			t.Errorf("%s: %d captures, type %q", path, len(all), all[0].ContentType())
		}
	}
}
