package render

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
)

// newRenderer returns a renderer that may reach this machine. Its Chromium runs without a sandbox, because root may run
// the tests.
func newRenderer(t testing.TB, o render.Options) *render.Renderer {
	t.Helper()
	r := newRendererIn(t, t.TempDir(), o)
	t.Cleanup(func() { must(t, r.Close()) })
	return r
}

// newRendererIn returns a renderer whose Chromium keeps its files below a folder. The caller closes it.
func newRendererIn(t testing.TB, folder string, o render.Options) *render.Renderer {
	t.Helper()
	if o.Web == nil {
		o.Web = newWeb(t)
	}
	o.NoSandbox, o.Folder, o.Program = true, folder, os.Getenv("CHROMIUM")
	r, err := render.New(o)
	must(t, err)
	return r
}

// newWeb returns a fetcher that may reach this machine.
func newWeb(t testing.TB) *fetch.Client {
	t.Helper()
	web, err := fetch.New(fetch.Config{AllowHosts: []string{"127.0.0.1", "localhost"}, Timeout: time.Minute})
	must(t, err)
	return web
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// kinds are the pages whose content is found, by what is found.
var kinds = []struct{ path, kind string }{
	{"/react", "react"}, {"/vue", "vue"}, {"/scroll", "scrolled"}, {"/open", "open"}, {"/closed", "closed"},
	{"/frames", "far"}, {"/worker", "serviced"}, {"/lazy", "lazy"}, {"/redirect", "target"}, {"/consent", "consent"},
	{"/post", "posted"},
}

// extra is what is found in a page beside its text.
var extra = map[string][]string{
	"/scroll": {"Batch 0.", "Batch 3."}, "/open": {"slotted words"}, "/closed": {"named words"},
	"/frames": {"The near harbour", `href="http://localhost:`, "/deep/page"}, "/lazy": {`src="/image.svg?far"`},
}

// TestR5Benign checks that the content of the eleven kinds of pages is found, and what has changed of it: their plain
// HTML has none of it (R4, R5).
func TestR5Benign(t *testing.T) {
	s := newSite(t)
	r := newRenderer(t, render.Options{AtOnce: 2})
	for version := range int64(2) {
		s.version.Store(version + 1)
		t.Run("version", func(t *testing.T) {
			for _, k := range kinds {
				t.Run(k.path[1:], func(t *testing.T) {
					t.Parallel()
					benign(t, s, r, k.path, k.kind)
				})
			}
		})
	}
	if n := s.count("GET /vue.global.prod.js"); n != 1 {
		t.Errorf("a script that may be kept was requested %d times", n)
	}
}

func benign(t *testing.T, s *site, r *render.Renderer, path, kind string) {
	base := s.URL
	if path == "/worker" {
		base = s.other() // service workers want https or localhost
	}
	out, err := r.Render(t.Context(), render.Page{URL: base + path})
	must(t, err)
	html := string(out.HTML)
	for _, want := range append(extra[path], s.text(kind)) {
		if !strings.Contains(html, want) {
			t.Errorf("%q is not found in %d bytes:\n%s", want, len(html), html[:min(len(html), 3000)])
		}
	}
	if strings.Contains(string(out.Plain.Body), s.text(kind)) {
		t.Error("the plain page has the text already")
	}
	if len(out.Met) > 0 || len(out.Refused) > 0 || out.PictureOnly || !out.Waited || out.Changing {
		t.Errorf("met %v, refused %v, picture %v, waited %v", out.Met, out.Refused, out.PictureOnly, out.Waited)
	}
	t.Log(out.Elapsed, out.Requests, out.Cached)
}

func TestR5Canvas(t *testing.T) {
	s := newSite(t)
	out, err := newRenderer(t, render.Options{}).Render(t.Context(), render.Page{URL: s.URL + "/canvas"})
	must(t, err)
	if !out.PictureOnly {
		t.Errorf("it is not said that the page is a picture: %s", out.HTML)
	}
}

// TestR5Endless checks that pages that never end loading, or never leave their script, are read at their deadline.
func TestR5Endless(t *testing.T) {
	s := newSite(t)
	r := newRenderer(t, render.Options{Timeout: 8 * time.Second})
	for path, want := range map[string]string{"/endless": s.text("endless"), "/loop": "The looping harbour"} {
		out, err := r.Render(t.Context(), render.Page{URL: s.URL + path})
		must(t, err)
		if !strings.Contains(string(out.HTML), want) || !out.MetBound(render.BoundTime) {
			t.Errorf("%s: met %v: %s", path, out.Met, out.HTML)
		}
	}
}

// TestR4View checks what a page is told of its viewer, that a page is waited for, and that answers are kept with their
// exact bytes (R4).
func TestR4View(t *testing.T) {
	s := newSite(t)
	r := newRenderer(t, render.Options{Timeout: 12 * time.Second})
	view := render.View{Width: 700, Height: 500, Language: "de-DE", Dark: true}
	out, err := r.Render(t.Context(), render.Page{URL: s.URL + "/who", View: view, Keep: true, Selector: "p"})
	must(t, err)
	if !strings.Contains(string(out.HTML), "de-DE dark 700") || !out.Waited {
		t.Errorf("have %s, waited %v", out.HTML, out.Waited)
	}
	out, err = r.Render(t.Context(), render.Page{URL: s.URL + "/react", Keep: true, Selector: "#nowhere"})
	must(t, err)
	if out.Waited || !out.MetBound(render.BoundTime) || !strings.Contains(string(out.HTML), s.text("react")) {
		t.Errorf("waited %v, met %v", out.Waited, out.Met)
	}
	kept := map[string]string{}
	for _, res := range out.Resources {
		kept[strings.TrimPrefix(res.URL, s.URL)] = string(res.Body)
	}
	want, _ := libraries.ReadFile("testdata/react.production.min.js")
	if kept["/react.production.min.js"] != string(want) || kept["/text?of=react"] != s.text("react") {
		t.Errorf("kept are %d answers", len(kept))
	}
}

// TestR2Credentials checks that a credential goes to the origin of the item only, and never into the browser (R2).
func TestR2Credentials(t *testing.T) {
	s, stranger := newSite(t), newSite(t)
	pages["/private"] = `<p></p><script>(async () => {
 await fetch("/who"); await fetch("` + stranger.URL + `/who", {mode: "no-cors"});
 document.querySelector("p").textContent = "done"; })()</script>`
	r := newRenderer(t, render.Options{})
	out, err := r.Render(context.Background(), render.Page{URL: s.URL + "/private",
		Secret: map[string][]string{"Authorization": {"Bearer hunter2"}}})
	must(t, err)
	if s.sent.Get("Authorization") != "Bearer hunter2" || stranger.sent.Get("Authorization") != "" ||
		len(stranger.sent) == 0 || strings.Contains(string(out.HTML), "hunter2") {
		t.Errorf("have %v and %v", s.sent, stranger.sent)
	}
	if agent := s.sent.Get("User-Agent"); agent != fetch.DefaultUserAgent {
		t.Errorf("the crawler calls itself %q", agent)
	}
}
