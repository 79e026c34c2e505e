package render

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
)

// TestR5LedAway checks that a page is not mistaken for what a browser shows in its place: when its scripts lead to an
// address that is refused, or to one that answers with an error, the page fails. Data that are answered with an error
// are counted.
func TestR5LedAway(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/trouble":
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte("<p>Internal trouble"))
		case "/file":
			w.Header().Set("Content-Type", "application/zip")
			_, _ = w.Write([]byte("PK"))
		case "/pdf":
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = w.Write([]byte("%PDF-1.4"))
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/there":
			_, _ = w.Write([]byte("<p>The harbour is here."))
		}
	}))
	defer s.Close()
	web, err := fetch.New(fetch.Config{AllowHosts: []string{s.Listener.Addr().String()}})
	must(t, err)
	r := newRenderer(t, render.Options{Web: web})
	leads := func(to string) (render.Rendered, error) {
		plain := page(s.URL+"/", `<html><p>Before.</p><script>`+to+`</script>`)
		return r.Render(t.Context(), render.Page{URL: s.URL + "/", Plain: plain})
	}
	for to, want := range map[string]string{
		`location.href = "http://10.0.0.5/x"`: "which is refused: address",
		`location.href = "/trouble"`:          "which answered 500",
		`location.href = "/file"`:             "/file, which is a file to be saved",
		`location.href = "/pdf"`:              "/pdf, which is a PDF",
		`document.write("<form method=post action=http://sso.example/><input name=SAMLRequest></form>");
			document.forms[0].submit()`: "led to http://sso.example/, which is refused: post",
	} {
		_, err := leads(to)
		failed, is := errors.AsType[*render.PageError](err)
		if !is || !strings.Contains(failed.Error(), want) {
			t.Errorf("%s: %v, want %q", to, err, want)
		}
	}
	for _, stays := range []string{`location.href = "/nothing"`, `const a = document.createElement("a"); a.href = "/file";
		a.download = "x.zip"; document.body.append(a); a.click()`, `addEventListener("load", () => location.href = "/file")`} {
		out, err := leads(stays + "; document.querySelector('p').append(' After.')")
		if err != nil || !strings.Contains(string(out.HTML), "Before. After.") || len(out.Met) > 0 {
			t.Errorf("%s: %v, %s, met %v", stays, err, out.HTML, out.Met)
		}
	}
	out, err := leads(`location.href = "/there"`)
	if err != nil || !strings.Contains(string(out.HTML), "The harbour is here.") {
		t.Errorf("%v, %s", err, out.HTML)
	}
	if out, err = leads(`fetch("/trouble").then(r => r.text())`); err != nil || out.Errors != 1 {
		t.Errorf("%v, %d errors", err, out.Errors)
	}
}
