package render

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
)

// TestR2ExemptHosts checks that CRAWL_ALLOW_HOSTS counts only for pages of a host that is on it (R2).
func TestR2ExemptHosts(t *testing.T) {
	s := newSite(t)
	r := newRenderer(t, render.Options{})
	body := `<p></p><script>fetch("` + s.URL + `/text?of=inner").then(r => r.text())
 .then(t => document.querySelector("p").textContent = t, () => document.querySelector("p").textContent = "refused")</script>`
	out, err := r.Render(t.Context(), render.Page{URL: "http://site.example/", Plain: page("http://site.example/", body)})
	must(t, err)
	if n := s.count("GET /text"); n != 0 || !strings.Contains(string(out.HTML), "<p>refused") ||
		out.RefusedBy(render.RefusedAddress) != 1 {
		t.Errorf("%d requests came from a page of another host, refused are %v", n, out.Refused)
	}
	out, err = r.Render(t.Context(), render.Page{URL: s.other() + "/", Plain: page(s.other()+"/", body)})
	must(t, err)
	if n := s.count("GET /text"); n != 1 || !strings.Contains(string(out.HTML), s.text("inner")) {
		t.Errorf("%d requests came from a page of an exempt host, refused are %v", n, out.Refused)
	}
}

// TestR2Gate checks that the gate is asked before each request, a redirect among them, what its errors lead to, and
// that a host gets no more requests at once than it may (R2).
func TestR2Gate(t *testing.T) {
	s := newSite(t)
	r := newRenderer(t, render.Options{})
	var mu sync.Mutex
	var asked []string
	gate := func(_ context.Context, address string) error {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, strings.TrimPrefix(address, s.URL))
		switch {
		case strings.Contains(address, "of=secret"):
			return fault.New(fault.Blocked, "robots.txt")
		case strings.Contains(address, "of=later"):
			return fault.After(time.Minute, "a pause")
		}
		return nil
	}
	body := `<p></p><script>(async () => { for (const u of ["/text?of=open", "/text?of=secret", "/text?of=later", "/moved"])
 await fetch(u).then(r => r.text()).then(t => document.querySelector("p").append(t), () => 0) })()</script>`
	out, err := r.Render(t.Context(), render.Page{URL: s.URL + "/", Plain: page(s.URL+"/", body), Gate: gate,
		AtOnce: func(string) int { return 1 }})
	must(t, err)
	want := []string{"/text?of=open", "/text?of=secret", "/text?of=later", "/moved", "/text?of=moved"}
	if !slices.Equal(asked, want) || !strings.Contains(string(out.HTML), s.text("open")+s.text("moved")) {
		t.Errorf("asked was for %v: %s", asked, out.HTML)
	}
	if out.RefusedBy(render.RefusedRobots) != 1 || out.RefusedBy(render.RefusedHost) != 1 || out.Requests != 3 {
		t.Errorf("refused are %v of %d requests", out.Refused, out.Requests)
	}
}

// TestR2Isolation checks that a page finds nothing of an earlier one (R2).
func TestR2Isolation(t *testing.T) {
	s := newSite(t)
	r := newRenderer(t, render.Options{})
	body := `<p></p><script>document.querySelector("p").textContent = "found " + document.cookie + (localStorage.a || "") + ".";
document.cookie = "a=cookie; max-age=1000"; localStorage.a = "storage"; caches?.open("a")</script>`
	for range 2 {
		out, err := r.Render(t.Context(), render.Page{URL: s.URL + "/", Plain: page(s.URL+"/", body)})
		must(t, err)
		if !strings.Contains(string(out.HTML), "<p>found .</p>") {
			t.Errorf("have %s", out.HTML)
		}
	}
}

// TestR1BrowserOrPage checks that failures say whether the browser or the page failed (R1).
func TestR1BrowserOrPage(t *testing.T) {
	var browser *render.BrowserError
	var failed *render.PageError
	good := page("http://site.example/", "<p>Text.")
	r := newRenderer(t, render.Options{Endpoint: "http://127.0.0.1:9"})
	if _, err := r.Ping(t.Context()); !errors.As(err, &browser) || !fault.Is(err, fault.Unavailable) {
		t.Errorf("a browser that is not there: %v", err)
	}
	_, err := r.Render(t.Context(), render.Page{URL: "http://site.example/", Plain: good})
	if !errors.As(err, &browser) || errors.As(err, &failed) {
		t.Errorf("a browser that is not there: %v", err)
	}
	program, err := os.CreateTemp(t.TempDir(), "chromium")
	must(t, err)
	_, err = program.WriteString("#!/bin/sh\necho no libraries >&2\nexit 1\n")
	must(t, errors.Join(err, program.Chmod(0o755), program.Close()))
	r, err = render.New(render.Options{Web: newWeb(t), Program: program.Name(), Folder: t.TempDir(), NoSandbox: true})
	must(t, err)
	if _, err := r.Ping(t.Context()); !errors.As(err, &browser) || !strings.Contains(err.Error(), "no libraries") {
		t.Errorf("a Chromium that does not start: %v", err)
	}
	s := newSite(t)
	r = newRenderer(t, render.Options{})
	if product, err := r.Ping(t.Context()); err != nil || !strings.Contains(product, "Chrome/") {
		t.Errorf("have %q, %v", product, err)
	}
	for address, plain := range map[string]*fetch.Response{
		"http://10.0.0.1/": nil,
		"http://site.example/file": {Status: 200, FinalURL: "http://site.example/file", Body: []byte("PK"),
			Header: http.Header{"Content-Type": {"application/zip"}}},
	} {
		if out, err := r.Render(t.Context(), render.Page{URL: address, Plain: plain}); !errors.As(err, &failed) {
			t.Errorf("%s: %v, %+v", address, err, out)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := r.Render(ctx, render.Page{URL: s.URL + "/endless"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller that does not wait: %v", err)
	}
	out, err := r.Render(t.Context(), render.Page{URL: s.URL + "/closed"})
	if err != nil || !strings.Contains(string(out.HTML), s.text("closed")) {
		t.Errorf("the page after it: %v", err)
	}
}
