package handlers

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// behind returns a handler as callers reach it below a path of a proxy, where there is nothing else.
func behind(prefix string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { wire.ServeBelow(prefix, w, r, h) })
		http.StripPrefix(prefix, served).ServeHTTP(w, r)
	})
}

// apiPath finds paths of the app, with what stands before them.
var apiPath = regexp.MustCompile(`(?i)[^\s"'<>(]*/api/(ui|items|changes|docs|openapi)\b`)

// inside fails the test if a header of an answer, or an address in its page, leads outside a path.
func inside(t *testing.T, what, prefix string, w *httptest.ResponseRecorder) {
	t.Helper()
	for name, values := range w.Header() {
		for _, at := range apiPath.FindAllString(strings.Join(values, " "), -1) {
			if !strings.Contains(at, prefix+"/api/") {
				t.Errorf("%s: the header %s has %s", what, name, values)
			}
		}
	}
	doc, err := html.Parse(strings.NewReader(w.Body.String()))
	must(t, err)
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			path := strings.HasPrefix(a.Val, "/") && a.Key != "value" // a path in a value is below the dashboard's own
			if (path || apiPath.MatchString(a.Val)) && !strings.HasPrefix(a.Val, prefix+"/api/") || strings.Contains(a.Val,
				prefix+prefix) || strings.HasPrefix(a.Val, "//") {
				t.Errorf("%s: <%s %s=%q>", what, n.Data, a.Key, a.Val)
			}
		}
	}
}

// TestL8BelowAPath checks that addresses in redirects, cookies, feeds, documents and changes begin with the path below
// which the caller reaches the app.
func TestL8BelowAPath(t *testing.T) {
	r := newRig(t)
	r.reachable()
	id, link := muteLink(t, r)
	do(t, r, "PUT", "/api/address", `{"url":""}`)
	h := behind("/tide", r)
	for path, want := range map[string][]string{
		"/api/changes.atom?small=true":   {`href="http://example.com/tide/api/changes.atom?small=true"`, "http://example.com/tide/api/ui/changes/"},
		"/api/changes.json":              {`"http://example.com/tide/api/changes.json"`, `"http://example.com/tide/api/ui/"`},
		"/api/changes":                   {`"diff":"/tide/api/items/` + id + "/diff?"},
		"/api/openapi.json":              {`"url": "/tide/api"`},
		"/api/docs":                      {"such as <code>/tide/api</code>"},
		"/api/ui/openapi.json":           {`"url": "/tide/api"`},
		"/api/ui/help/channels":          {`href="/tide/api/ui/help/`},
		"/api/ui/notifications/address":  {`value="http://example.com/tide"`},
		"/api/ui/items?find=%22/api/ui/": {`value="&#34;/api/ui/"`},
		link:                             {`action="/tide` + link + `"`},
	} {
		w := do(t, h, "GET", "/tide"+path, "")
		for _, text := range want {
			if !strings.Contains(w.Body.String(), text) {
				t.Errorf("%s has no %s:\n%.3000s", path, text, w.Body)
			}
		}
		outside := regexp.MustCompile(`(//example\.com|"diff":"|"url": ")/api/`).FindString(w.Body.String())
		if outside != "" && !strings.HasSuffix(path, "openapi.json") && path != "/api/docs" { // which have examples

			t.Errorf("%s has %s", path, outside)
		}
	}
	one := url.Values{"urls": {"https://port.example/ok/two"}}
	if w := post(t, h, "/tide/api/ui/add", "same-origin", one); w.Header().Get("Location") !=
		"/tide/api/ui/items/"+idOf(t, "https://port.example/ok/two")+"?done=added" {
		t.Errorf("added: %d to %q", w.Code, w.Header().Get("Location"))
	}
	stream := compressed(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("data: 1\n\n"))
		_ = http.NewResponseController(w).Flush()
	}))
	if w := do(t, behind("/tide", stream), "GET", "/tide/api/mcp", ""); !w.Flushed {
		t.Error("what is streamed does not leave at once")
	}
	w := do(t, h, "GET", "/tide/api//items", "") // package http cleans the path
	if to := w.Header().Get("Location"); to != "/tide/api/items" || w.Body.Len() > 0 {
		t.Errorf("a path that is cleaned: %d to %q\n%s", w.Code, to, w.Body)
	}
}

// TestL8SessionBelowAPath checks that other programs of the host do not get the cookie of a session below a path, and
// that the form for signing in leads to no other place.
func TestL8SessionBelowAPath(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	h := behind("/tide", g)
	for scheme, name := range map[string]string{"http": sessionCookie, "https": "__Secure-" + sessionCookie} {
		for to, want := range map[string]string{"/items": "/tide/api/ui/items", "//evil.example": "/tide/api/ui/",
			`/\evil.example`: "/tide/api/ui/", "https://evil.example/": "/tide/api/ui/", "/../..": "/tide/api/ui/"} {
			w := ask(t, h, "POST", "/tide/api/ui/sign-in", url.Values{"key": {g.keys[api.ScopeRead]}, "to": {to}}.Encode(),
				"Content-Type", "application/x-www-form-urlencoded", "X-Forwarded-Proto", scheme)
			c := w.Result().Cookies()
			if w.Header().Get("Location") != want || len(c) != 1 || c[0].Name != name || c[0].Path != "/tide"+ui.Root ||
				c[0].Secure != (scheme == "https") {
				t.Errorf("%s to %s: %q, %v", scheme, to, w.Header().Get("Location"), w.Header()["Set-Cookie"])
				continue
			}
			w = ask(t, h, "GET", "/tide/api/ui", "", "X-Forwarded-Proto", scheme, "Cookie", c[0].Name+"="+c[0].Value)
			if inside(t, "a page of the session", "/tide", w); w.Code != http.StatusOK {
				t.Errorf("%s: the session is not known: %d", scheme, w.Code)
			}
		}
	}
	w := ask(t, h, "GET", "/tide/api/ui/items", "")
	if inside(t, "the form for signing in", "/tide", w); !strings.Contains(w.Body.String(), `value="/items"`) {
		t.Errorf("the form for signing in: %s", w.Body)
	}
}

// TestL8WhoNamesThePath checks that the header is believed only of a host that proves that it has started the app.
func TestL8WhoNamesThePath(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct{ secret, base, header, want string }{
		{"", "", "/evil", "/api/ui/"}, {"", "/tide", "/evil", "/tide/api/ui/"},
		{"s3cret", "/tide", "/outer", "/outer/api/ui/"}, {"s3cret", "/tide", "", "/api/ui/"},
	} {
		h := New(Options{Open: r.open, Secret: tt.secret, BasePath: tt.base})
		body := ask(t, h, "GET", "/api/ui", "", api.HostSecretHeader, tt.secret, api.PrefixHeader, tt.header).Body.String()
		if !strings.Contains(body, `href="`+tt.want+`static/style.css"`) {
			t.Errorf("%+v:\n%.500s", tt, body)
		}
	}
}
