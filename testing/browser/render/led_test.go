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
		`document.write("<form method=post action=http://sso.example/><input name=SAMLRequest></form>");
			document.forms[0].submit()`: "led to http://sso.example/, which is refused: post",
	} {
		_, err := leads(to)
		failed, is := errors.AsType[*render.PageError](err)
		if !is || !strings.Contains(failed.Error(), want) {
			t.Errorf("%s: %v, want %q", to, err, want)
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
