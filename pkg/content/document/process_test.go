//go:build unix

package document

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

var documents atomic.Int32 // that a reader of the tests has read

// hoard is memory that a test's reader does not release.
var hoard []byte

// usedReaders report the state of a reader. The title of their documents names its process.
var usedReaders = map[string]func(request, []byte) (extract.Document, error){
	"test/pid":   func(request, []byte) (extract.Document, error) { return pid(), nil },
	"test/grow":  func(request, []byte) (extract.Document, error) { hoard = make([]byte, 200<<20); return pid(), nil },
	"test/leave": func(request, []byte) (extract.Document, error) { return pid(), leaveFile() },
	"test/more":  func(request, []byte) (extract.Document, error) { fmt.Println(`{"Error":"x"}`); return pid(), nil },
	"test/first": func(request, []byte) (extract.Document, error) {
		if documents.Load() > 0 {
			panic("somebody was here before")
		}
		return pid(), nil
	},
}

func pid() extract.Document {
	documents.Add(1)
	return extract.Document{Title: fmt.Sprint(os.Getpid())}
}

func leaveFile() error { return os.WriteFile(filepath.Join(os.TempDir(), "left"), nil, 0o600) }

// pidOf returns the process that reads a document of this type.
func pidOf(t *testing.T, r *Reader, contentType string) string {
	t.Helper()
	doc, err := r.Extract(t.Context(), []byte("body"), contentType, base, extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Title
}

func TestH6OneReaderReadsManyDocuments(t *testing.T) {
	r := reader(Options{})
	defer r.Close()
	first := pidOf(t, r, "test/pid")
	for range maxDocuments - 1 {
		if next := pidOf(t, r, "test/pid"); next != first {
			t.Fatalf("read by %s and %s", first, next)
		}
	}
	if next := pidOf(t, r, "test/pid"); next == first {
		t.Errorf("one reader reads more than %d documents", maxDocuments)
	}
}

// TestH6AReaderEndsAfter checks after which documents a reader is not used again.
func TestH6AReaderEndsAfter(t *testing.T) {
	for _, contentType := range []string{"test/refuse", "test/panic", "test/garbage", "test/leave", "test/grow",
		"test/more"} {
		r := reader(Options{})
		first := pidOf(t, r, "test/pid")
		_, _ = r.Extract(t.Context(), nil, contentType, base, extract.Limits{})
		if next := pidOf(t, r, "test/pid"); next == first {
			t.Errorf("%s: the reader goes on", contentType)
		}
		r.Close()
	}
}

// TestH6NoDocumentFailsForAnother checks that a document that fails in a used reader is read again in a new one.
func TestH6NoDocumentFailsForAnother(t *testing.T) {
	r := reader(Options{})
	defer r.Close()
	first := pidOf(t, r, "test/pid")
	if next := pidOf(t, r, "test/first"); next == first {
		t.Errorf("read by %s, which has read others", next)
	}
	_, err := r.Extract(t.Context(), nil, "test/panic", base, extract.Limits{})
	if err == nil {
		t.Error("what fails in a new reader, too, is read")
	}
}

// TestH6SameDocumentsFromOneReader checks that one reader gives the same results as a new reader for each document.
func TestH6SameDocumentsFromOneReader(t *testing.T) {
	used := reader(Options{})
	defer used.Close()
	files := []string{"pdf/testdata/form.pdf", "office/testdata/libreoffice.docx", "pdf/testdata/turned.pdf",
		"office/testdata/harbour.xlsx", "office/testdata/libreoffice.pptx"}
	read := func(r *Reader, file string) extract.Document {
		doc, err := r.Extract(t.Context(), load(t, file), "application/octet-stream", base, extract.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		return doc
	}
	for _, file := range append(files, files...) {
		alone := reader(Options{})
		if diff := cmp.Diff(read(alone, file), read(used, file)); diff != "" {
			t.Errorf("%s: alone -, after others +:\n%s", file, diff)
		}
		alone.Close()
	}
	if n := used.waiting[0].served; n != 2*len(files) {
		t.Errorf("the reader has read %d documents, want all %d", n, 2*len(files))
	}
}

// TestH6AnIdleReaderEnds checks that no process and no folder remains when nothing is read.
func TestH6AnIdleReaderEnds(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := reader(Options{})
	pidOf(t, r, "test/pid")
	p := r.waiting[0]
	p.expiry.Reset(0)
	<-p.ended
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 || r.reuse() != nil {
		t.Errorf("left: %v, %v", left, err)
	}
	pidOf(t, r, "test/pid")
	r.waiting[0].kill()
	pidOf(t, r, "test/pid") // though the one that waited was killed
	r.Close()
	if len(r.waiting) > 0 {
		t.Error("a reader waits after Close")
	}
}

// TestH6AReaderEndsWithItsParent checks that a reader ends when its input ends.
func TestH6AReaderEndsWithItsParent(t *testing.T) {
	temp := t.TempDir()
	cmd := exec.Command(os.Args[0], childArgument, fmt.Sprint(320<<20))
	cmd.Env = environment(temp, 320<<20)
	cmd.Stdin = strings.NewReader(`{"Type":"test/pid","Size":4}` + "\nbody")
	out, err := cmd.Output()
	if _, gone := os.Stat(temp); err != nil || !strings.Contains(string(out), `"Title"`) || !os.IsNotExist(gone) {
		t.Errorf("answer %.80q, %v; its folder: %v", out, err, gone)
	}
}

// TestH6OutOfTime checks that the runtime's message at the reader's own limit (limitTime) is recognized.
func TestH6OutOfTime(t *testing.T) {
	o := outcome{stderr: "SIGXCPU: CPU time limit exceeded\n", err: os.ErrProcessDone, timeout: maxTime}
	if err := o.reason(); !strings.Contains(err.Error(), "longer than 1m0s") {
		t.Errorf("have %v", err)
	}
}
