package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/warc/warctest"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// archived is the whole app in memory, with a site to crawl.
type archived struct {
	t        *testing.T
	site     *httptest.Server
	mu       sync.Mutex
	bodies   map[string]string // pages under /tagged/ have an ETag
	services *handlers.Services
	api      *api.Client
	server   string
}

func newArchived(t *testing.T, env ...string) *archived {
	t.Helper()
	a := &archived{t: t, bodies: map[string]string{}}
	a.site = httptest.NewServer(http.HandlerFunc(a.page))
	t.Cleanup(a.site.Close)
	get := func(name string) string {
		for _, given := range env {
			if value, is := strings.CutPrefix(given, name+"="); is {
				return value
			}
		}
		return map[string]string{"CRAWL_ALLOW_HOSTS": "127.0.0.1,localhost", "TIDEMARK_DATA": t.TempDir()}[name]
	}
	cfg, err := app.Load(get)
	must(t, err)
	index, err := sqlitesearch.Open(filepath.Join(t.TempDir(), "index.db"), sqlitesearch.Options{})
	must(t, err)
	t.Cleanup(func() { index.Close() })
	a.services, err = app.Assemble(t.Context(), cfg, get, mem.New(time.Now), index, slog.New(slog.DiscardHandler))
	must(t, err)
	srv := httptest.NewServer(handlers.New(handlers.Options{Open: func(context.Context) (*handlers.Services,
		error) {
		return a.services, nil
	}}))
	t.Cleanup(srv.Close)
	a.server, a.api = srv.URL, api.NewClient(srv.URL, "", nil)
	return a
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (a *archived) page(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	body, ok := a.bodies[r.URL.Path]
	a.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if strings.HasPrefix(r.URL.Path, "/tagged/") {
		tag := fmt.Sprintf(`"%x"`, body)
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	io.WriteString(w, body)
}

func (a *archived) put(path, body string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bodies[path] = body
}

// check registers a page or forces its check, and waits for the result.
func (a *archived) check(path string) {
	a.t.Helper()
	time.Sleep(2 * time.Millisecond) // times are stored to the millisecond
	_, err := api.AddURL.Call(a.t.Context(), a.api, api.AddURLRequest{URL: a.site.URL + path})
	must(a.t, err)
	q := a.services.Store.Queue(registry.JobQueue)
	got, err := q.Receive(a.t.Context(), 32, time.Minute)
	must(a.t, err)
	for _, m := range got {
		job, err := registry.ParseJob(m.Body)
		must(a.t, err)
		must(a.t, a.services.Worker.Process(a.t.Context(), job))
		must(a.t, q.Delete(a.t.Context(), m))
	}
}

// run runs the command against the app.
func (a *archived) run(args ...string) (code int, out, errOut string) {
	var o, e bytes.Buffer
	p := &terminal.Terminal{In: strings.NewReader(""), Out: &o, Err: &e, Name: "tidemark", Now: time.Now}
	getenv := func(name string) string { return map[string]string{"TIDEMARK_SERVER": a.server}[name] }
	code = run(a.t.Context(), p, getenv, args)
	return code, strings.ReplaceAll(o.String(), a.site.URL, "SITE"), strings.ReplaceAll(e.String(), a.site.URL, "SITE")
}

func html(text string) string {
	return "<html lang=en><title>" + text + "</title><main><p>The tide of " + text + ".</p></main>"
}

// summary lists the records of a file in short.
func (a *archived) summary(file string) (out []string) {
	a.t.Helper()
	for _, r := range warctest.Read(a.t, file)[0].Records {
		line := r.Warc["warc-type"]
		if u := strings.TrimPrefix(r.Warc["warc-target-uri"], a.site.URL); u != "" {
			line += " " + u
		}
		if _, text, ok := strings.Cut(r.Payload, "<title>"); ok && line[:8] == "response" {
			text, _, _ = strings.Cut(text, "</title>")
			line += fmt.Sprintf(" %d %s", r.Status, text)
		}
		if profile := r.Warc["warc-profile"]; profile != "" {
			line += " " + profile[strings.LastIndex(profile, "/")+1:]
		}
		out = append(out, line)
	}
	return out
}

// newTwoPages returns an app with the history of two pages, and the expected records of each.
func newTwoPages(t *testing.T) (a *archived, p, q []string) {
	a = newArchived(t)
	a.put("/tagged/p", html("one"))
	a.check("/tagged/p")
	a.check("/tagged/p") // 304
	a.put("/tagged/p", html("two"))
	a.check("/tagged/p")
	a.put("/tagged/p", html("one")) // the first content again
	a.check("/tagged/p")
	a.check("/tagged/p") // 304
	a.put("/q", html("three"))
	a.check("/q")
	a.check("/q") // the same bytes
	a.put("/q", html("three")+noise)
	a.check("/q") // other bytes, the same text
	p = []string{
		"response /tagged/p 200 one", "revisit /tagged/p server-not-modified", "response /tagged/p 200 two",
		"revisit /tagged/p identical-payload-digest", "revisit /tagged/p server-not-modified",
	}
	q = []string{"response /q 200 three", "revisit /q identical-payload-digest", "response /q 200 three"}
	return a, p, q
}

// noise is no text, so bytes with it have the same text.
const noise = "<!-- noise -->"

// TestWARC changes pages, keeps them, and reverts them, and reads the archive with a public reader.
func TestWARC(t *testing.T) {
	a, p, q := newTwoPages(t)
	t.Run("one source", func(t *testing.T) {
		a.t = t
		file := filepath.Join(t.TempDir(), "p.warc.gz")
		code, out, errOut := a.run("warc", a.site.URL+"/tagged/p", "-o", file)
		if want := file + ": 2 captures of 1 source, 3 revisits, " + words.Thousands(len(html("one"))*2) +
			" bytes\n"; code != 0 || out != want || errOut != "" {
			t.Errorf("%d %q %q, want %q", code, out, errOut, want)
		}
		if diff := cmp.Diff(append([]string{"warcinfo"}, p...), a.summary(file)); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
	})
	t.Run("a host, twice", func(t *testing.T) {
		a.t = t
		var files [2][]byte
		for i := range files {
			file := filepath.Join(t.TempDir(), "host.warc")
			host, _ := url.Parse(a.site.URL)
			if code, out, errOut := a.run("warc", "--host", host.Host, "-o", file); code != 0 ||
				!strings.Contains(out, "4 captures of 2 sources, 4 revisits") {
				t.Errorf("%d %q %q", code, out, errOut)
			}
			have := a.summary(file)
			slices.Sort(have[1:])
			want := slices.Sorted(slices.Values(append(slices.Clone(p), q...)))
			if diff := cmp.Diff(append([]string{"warcinfo"}, want...), have); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
			var err error
			files[i], err = os.ReadFile(file)
			must(t, err)
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Error("the same state gave two files")
		}
	})
	t.Run("to standard output", func(t *testing.T) {
		a.t = t
		code, out, errOut := a.run("warc", a.site.URL+"/q", "-o", "-", "--json")
		if code != 0 || errOut != "" || !strings.HasPrefix(out, "\x1f\x8b") {
			t.Errorf("%d %.20q %q", code, out, errOut)
		}
	})
	t.Run("as JSON", func(t *testing.T) {
		a.t = t
		file := filepath.Join(t.TempDir(), "q.warc")
		_, out, _ := a.run("warc", a.site.URL+"/q", "-o", file, "--json")
		if want := fmt.Sprintf(`{"file":%q,"sources":1,"responses":2,"revisits":1,"bytes":%d,"skipped":0}`+"\n", file,
			2*len(html("three"))+len(noise)); out != want {
			t.Errorf("have %s, want %s", out, want)
		}
	})
}

// TestWARCOfNothing checks that records which cannot be written are reported, and that no file is left.
func TestWARCOfNothing(t *testing.T) {
	a, _, _ := newTwoPages(t)
	t.Run("of nothing", func(t *testing.T) {
		a.t = t
		dir := t.TempDir()
		code, out, errOut := a.run("warc", "--host", "nobody.example", "-o", filepath.Join(dir, "x.warc"))
		left, _ := os.ReadDir(dir)
		if code != command.Failure || out != "" ||
			errOut != "tidemark: nothing is registered for the host \"nobody.example\"\n" || len(left) > 0 {
			t.Errorf("%d %q %q %v", code, out, errOut, left)
		}
	})
	t.Run("of a capture that has gone meanwhile", func(t *testing.T) {
		a.t = t
		for _, hash := range []string{a.present("/q"), snapshot.Hash([]byte(html("three") + noise))} {
			digest := strings.TrimPrefix(hash, "sha256:")
			name := "sha256/" + digest[:2] + "/" + digest[2:4] + "/" + digest
			must(t, a.services.Store.Container("snapshots").Delete(t.Context(), name))
		}
		code, out, errOut := a.run("warc", a.site.URL+"/q", "-o", filepath.Join(t.TempDir(), "x.warc"))
		if code != command.Failure || out != "" || !strings.Contains(errOut, "is not kept any more") ||
			!strings.Contains(errOut, "nothing is captured") {
			t.Errorf("%d %q %q", code, out, errOut)
		}
	})
}

// present returns the raw hash of a page's present capture.
func (a *archived) present(path string) string {
	a.t.Helper()
	s, err := a.services.Rules.ParseURL(a.site.URL + path)
	must(a.t, err)
	it, err := a.services.Registry.Items.Find(a.t.Context(), s.ID())
	must(a.t, err)
	return it.RawHash
}

func TestWARCUsage(t *testing.T) {
	const usage = "see `tidemark warc --help`\n"
	performAll(t, []script{
		{name: "nothing", args: []string{"warc"}, code: 2, err: "tidemark: give one id or source, or --host\n" + usage},
		{name: "both", args: []string{"warc", "url_a", "--host", "a.example"}, code: 2,
			err: "tidemark: give one id or source, or --host\n" + usage},
		{name: "to a terminal", args: []string{"warc", "url_a", "-o", "-"}, terminal: true, code: 2,
			answers: []answered{{200, `{"id":"url_a"}`}},
			err:     "tidemark: this is no text for a terminal: name a file with -o\n" + usage},
		{name: "a file", args: []string{"warc", "url_a", "-o", filepath.Join(t.TempDir(), "x.warc")}, code: 1,
			answers: []answered{{200, `{"id":"file_a","type":"file"}`}},
			err: "tidemark: file_a: a file has no HTTP answers to be archived\ntidemark: nothing is captured that could " +
				"be written\n"},
	})
}
