//go:build unix

package document

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/mail"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

const base = "https://harbour.example/docs/x"

// patience is the time after which a reader that does not end is killed. A busy machine needs seconds to start one.
const patience = 4 * time.Second

var cache string // of the compiled PDF reader, for all tests

// TestMain is also the main of the readers, which are this executable, started again. Only these readers can
// misbehave.
func TestMain(m *testing.M) {
	for _, kinds := range []map[string]func(request, []byte) (extract.Document, error){misbehaviors, usedReaders} {
		for name, misbehave := range kinds {
			readers[name] = misbehave
		}
	}
	Main()
	cache = cacheDir("") // which other tests of this user fill, too
	os.Exit(m.Run())
}

var misbehaviors = map[string]func(request, []byte) (extract.Document, error){
	"test/echo": func(_ request, body []byte) (extract.Document, error) {
		return extract.Document{Title: string(body), Text: strings.Join(os.Environ(), "\n")}, nil
	},
	"test/refuse": func(request, []byte) (extract.Document, error) {
		return extract.Document{}, fault.New(fault.Blocked, "no entry")
	},
	"test/loop": func(request, []byte) (extract.Document, error) {
		for {
		}
	},
	"test/sleep": func(request, []byte) (extract.Document, error) { return forever() },
	"test/memory": func(request, []byte) (extract.Document, error) {
		var all [][]byte
		for {
			hog := make([]byte, 16<<20)
			for i := 0; i < len(hog); i += 4096 {
				hog[i] = 1
			}
			all = append(all, hog)
		}
	},
	"test/panic": func(request, []byte) (extract.Document, error) { panic("boom") },
	"test/exit":  func(request, []byte) (extract.Document, error) { os.Exit(3); return extract.Document{}, nil },
	"test/kill": func(request, []byte) (extract.Document, error) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		return forever()
	},
	"test/garbage": func(request, []byte) (extract.Document, error) {
		fmt.Println("<html>")
		os.Exit(0)
		return extract.Document{}, nil
	},
	"test/nothing": func(request, []byte) (extract.Document, error) { os.Exit(0); return extract.Document{}, nil },
	"test/flood": func(request, []byte) (extract.Document, error) {
		for {
			fmt.Print(strings.Repeat("x", 1<<20))
		}
	},
	// The child of the reader holds the pipes open and would outlive it.
	"test/fork": func(_ request, body []byte) (extract.Document, error) {
		cmd := exec.Command("/bin/sh", "-c", "echo $$ > "+string(body)+"; exec sleep 300")
		cmd.Stdout = os.Stdout
		_ = cmd.Start()
		return forever()
	},
}

func reader(o Options) *Reader {
	o.CacheDir = cache
	return New(o)
}

func load(t testing.TB, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", "extract", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestA17EveryFormat(t *testing.T) {
	for _, c := range []struct{ name, file, contentType, mimeType, text string }{
		{"PDF", "pdf/testdata/columns.pdf", "application/pdf", "application/pdf", "Whoever publishes water levels"},
		{"PDF served as HTML", "pdf/testdata/form.pdf", "text/html", "application/pdf", "Mooring permit"},
		{"DOCX", "office/testdata/libreoffice.docx", docxType, docxType, ""},
		{"PPTX", "office/testdata/libreoffice.pptx", "application/zip", pptxType, ""},
		{"XLSX", "office/testdata/harbour.xlsx", office.XLSXType, office.XLSXType, "Marigold II"},
		{"EML", "mail/testdata/alternative.eml", mail.MediaType, mail.MediaType, "über die Kaimauer"},
		{"EML served as bytes", "mail/testdata/alternative.eml", "application/octet-stream", mail.MediaType, "Jörg Brandt"},
		{"XLSX served as bytes", "office/testdata/harbour.xlsx", "application/octet-stream", office.XLSXType, "Marigold II"},
	} {
		doc, err := reader(Options{}).Extract(t.Context(), load(t, c.file), c.contentType, base, extract.Limits{})
		if err != nil || doc.MimeType != c.mimeType || !strings.Contains(doc.Text, c.text) || len(doc.Blocks) == 0 {
			t.Errorf("%s: have %q, %v, %.80q", c.name, doc.MimeType, err, doc.Text)
		}
	}
}

// TestLightInPlace checks that light formats give the same result as package extract.
func TestLightInPlace(t *testing.T) {
	body := []byte("<html lang=en><title>Tides</title><p>High water at noon.</p>")
	want, err := web.Extract(body, "text/html; charset=utf-8", base, extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := reader(Options{}).Extract(t.Context(), body, "text/html; charset=utf-8", base, extract.Limits{})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v; want -, have +:\n%s", err, diff)
	}
	if _, err := reader(Options{}).Extract(t.Context(), body, "text/html", "not an address",
		extract.Limits{}); fault.FieldOf(err) != "baseURL" {
		t.Errorf("have %v, want an error that blames baseURL", err)
	}
}

// TestNothingIsLostOnTheWay checks that a document arrives unchanged, whatever its characters.
func TestNothingIsLostOnTheWay(t *testing.T) {
	const title = "<b>&amp; \u2028 Søstrene 潮 \t\"\\"
	doc, err := reader(Options{}).Extract(t.Context(), []byte(title), "test/echo", base, extract.Limits{})
	if err != nil || doc.Title != title {
		t.Errorf("have %q, %v", doc.Title, err)
	}
}

// forever waits with a timer: without one, the runtime would call it a deadlock.
func forever() (extract.Document, error) {
	for {
		time.Sleep(time.Hour)
	}
}

func TestHostileDocuments(t *testing.T) {
	for _, c := range []struct {
		name, contentType string
		timeout           time.Duration
		kind              fault.Kind
		want              string
	}{
		{"refused by its reader", "test/refuse", 0, fault.Blocked, "no entry"},
		{"an endless loop", "test/loop", patience, fault.TooLarge, "longer than 4s to read"},
		{"waiting for ever", "test/sleep", patience, fault.TooLarge, "longer than 4s to read"},
		{"all the memory", "test/memory", 0, fault.TooLarge, "more than 320 MiB of memory"},
		{"a panic", "test/panic", 0, fault.Invalid, "crashes its reader: panic: boom"},
		{"an exit", "test/exit", 0, fault.Invalid, "crashes its reader: exit status 3"},
		{"a kill", "test/kill", 0, fault.Invalid, "crashes its reader: signal: killed"},
		{"garbage", "test/garbage", 0, fault.Invalid, "its answer is garbled"},
		{"no answer", "test/nothing", 0, fault.Invalid, "its answer is garbled"},
		{"an answer without end", "test/flood", 0, fault.TooLarge, "more than 20 MB of text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.timeout > 0 {
				t.Parallel() // it waits
			}
			r := reader(Options{Timeout: c.timeout})
			_, err := r.Extract(t.Context(), nil, c.contentType, base, extract.Limits{})
			if _, err := r.Extract(t.Context(), nil, "test/echo", base, extract.Limits{}); err != nil {
				t.Fatal(err)
			}
			// H6: a reader that has read other documents gives the same result.
			_, again := r.Extract(t.Context(), nil, c.contentType, base, extract.Limits{})
			if fmt.Sprint(again) != fmt.Sprint(err) || len(r.waiting) > 0 {
				t.Errorf("first %v, then %v; %d readers wait", err, again, len(r.waiting))
			}
			if !fault.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("have %v (%s), want the kind %s and %q", err, fault.KindOf(err), c.kind, c.want)
			}
			if strings.Contains(fmt.Sprint(err), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestHostileFiles(t *testing.T) {
	whole := load(t, "pdf/testdata/columns.pdf")
	for _, c := range []struct {
		name string
		body []byte
		kind fault.Kind
		want string
	}{
		{"a PDF with a password", load(t, "pdf/testdata/locked.pdf"), fault.Blocked, "protected by a password"},
		{"a PDF of images", load(t, "pdf/testdata/scan.pdf"), fault.Invalid, "needs text recognition"},
		{"a PDF cut short", whole[:2000], fault.Invalid, "the PDF is broken"},
		{"a PDF that is too large", append([]byte("%PDF-1.7\n"), make([]byte, maxBody)...), fault.TooLarge,
			"larger than 50 MB"},
		{"an Office file with a password", append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), wide("EncryptedPackage")...),
			fault.Blocked, "protected by a password"},
	} {
		_, err := reader(Options{}).Extract(t.Context(), c.body, "application/octet-stream", base, extract.Limits{})
		if !fault.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: have %v (%s), want the kind %s and %q", c.name, err, fault.KindOf(err), c.kind, c.want)
		}
	}
}

// TestNeighbors checks that a document is not affected by another one in the same reader.
func TestNeighbors(t *testing.T) {
	r, body := reader(Options{Timeout: 30 * time.Second}), load(t, "pdf/testdata/form.pdf")
	var all sync.WaitGroup
	for _, hostile := range []string{"test/memory", "test/kill", "test/flood"} {
		all.Go(func() {
			if _, err := r.Extract(t.Context(), nil, hostile, base, extract.Limits{}); err == nil {
				t.Errorf("%s: no error", hostile)
			}
		})
		all.Go(func() {
			if doc, err := r.Extract(t.Context(), body, "", base, extract.Limits{}); err != nil ||
				doc.Title != "Mooring permit" {
				t.Errorf("beside %s: have %q, %v", hostile, doc.Title, err)
			}
		})
	}
	all.Wait()
}

// TestWaiting checks that a caller waiting for a slot or a reader stops when its context ends.
func TestWaiting(t *testing.T) {
	r := reader(Options{Parallel: 1})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := r.Extract(ctx, nil, "test/sleep", base, extract.Limits{})
		first <- err
	}()
	for len(r.slots) == 0 {
		time.Sleep(time.Millisecond)
	}
	short, done := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer done()
	if _, err := r.Extract(short, nil, "test/echo", base, extract.Limits{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a slot: have %v", err)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a reader: have %v", err)
	}
	if _, err := r.Extract(t.Context(), nil, "test/echo", base, extract.Limits{}); err != nil {
		t.Errorf("the slot is not free again: %v", err)
	}
}

// TestNoSecrets checks that a reader inherits no settings of the process.
func TestNoSecrets(t *testing.T) {
	t.Setenv("STORAGE", "AccountKey=secret")
	doc, err := reader(Options{}).Extract(t.Context(), nil, "test/echo", base, extract.Limits{})
	if err != nil || !strings.Contains(doc.Text, "GOMAXPROCS=1") || strings.Contains(doc.Text, "secret") ||
		strings.Contains(doc.Text, "HOME=") {
		t.Errorf("have %v and the environment\n%s", err, doc.Text)
	}
}

// TestGroup checks that processes started by a reader end with it.
func TestGroup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pid")
	_, err := reader(Options{Timeout: patience}).Extract(t.Context(), []byte(path), "test/fork", base,
		extract.Limits{})
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("have %v", err)
	}
	var pid int
	text, _ := os.ReadFile(path)
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatalf("the reader started nothing: %v", err)
	}
	for range 6000 { // until init has reaped it
		if syscall.Kill(pid, 0) != nil {
			return
		}
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is alive", pid)
}

// TestNothingIsLeft checks that a killed reader leaves no files.
func TestNothingIsLeft(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	_, _ = reader(Options{}).Extract(t.Context(), nil, "test/kill", base, extract.Limits{})
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("have %v, %v", left, err)
	}
}

// TestWarm runs what a build runs to ship the compiled PDF reader.
func TestWarm(t *testing.T) {
	cmd := exec.Command(os.Args[0], childArgument, "warm", cache)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if found, err := filepath.Glob(filepath.Join(cache, "wazero-*", "*")); err != nil || len(found) == 0 {
		t.Errorf("have %v, %v, want a compiled module", found, err)
	}
	if err := exec.Command(os.Args[0], childArgument, "warm", "document_test.go").Run(); err == nil {
		t.Error("a file in the place of the folder: no error")
	}
}

func TestDefaultCache(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir := cacheDir("")
	if filepath.Dir(dir) != temp || cacheDir("") != dir || cacheDir("/given") != "/given" {
		t.Errorf("have %q", dir)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if again := cacheDir(""); again != "" {
		t.Errorf("a folder that everybody writes to is used: %q", again)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if again := cacheDir(""); again != "" {
		t.Errorf("a link is followed: %q", again)
	}
}

func wide(s string) []byte {
	var out []byte
	for _, c := range []byte(s) {
		out = append(out, c, 0)
	}
	return out
}
