package handlers

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// TestL4UserOfAProxy checks that a user whom a proxy has signed in sees the dashboard, without controls that need more
// than the scope of such users, and that the name opens neither the API nor a form of another site (L4).
func TestL4UserOfAProxy(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	const secret = "s3cret"
	g.Handler = New(Options{Open: g.open, Access: OwnKeys, Secret: secret, UserScope: api.ScopeRead})
	as := func(user string, more ...string) []string {
		return append([]string{api.HostSecretHeader, secret, api.HostUserHeader, user}, more...)
	}
	w := ask(t, g, "GET", "/api/ui", "", as("Anna")...)
	if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, `<span class="note">Anna</span>`) ||
		!strings.Contains(body, `<body class="no-write no-admin">`) || strings.Contains(body, "Sign out") ||
		strings.Contains(body, secret) {
		t.Errorf("a page: %d %s", w.Code, body)
	}
	form := as("Anna", "Content-Type", "application/x-www-form-urlencoded")
	token := keys.FormToken(secret + " Anna")
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		want               int
		says               string
	}{
		"the API":          {"GET", "/api/items", "", as("Anna"), http.StatusUnauthorized, ""},
		"a form":           {"POST", "/api/ui/read", "upTo=0.0.0.0", form, http.StatusForbidden, "page of this session"},
		"a form of theirs": {"POST", "/api/ui/sign-out", "token=" + token, form, http.StatusSeeOther, ""},
		"more than they may": {"POST", "/api/ui/add", "urls=a.example&token=" + token, form, http.StatusForbidden,
			"AUTH_HEADER_SCOPE"},
		"an odd name":     {"GET", "/api/ui", "", as(`CORP\a/b#1?`), http.StatusOK, `CORP\a/b#1?`},
		"a proxy's token": {"GET", "/api/ui", "", as("Anna", "Authorization", "Bearer eyJhbGciOi"), http.StatusOK, "Anna"},
		"no name":         {"GET", "/api/ui", "", as(" "), http.StatusUnauthorized, ""},
		"a long name":     {"GET", "/api/ui", "", as(strings.Repeat("a", maxUser+1)), http.StatusUnauthorized, ""},
		"a line break":    {"GET", "/api/ui", "", as("a\u2028b"), http.StatusUnauthorized, ""},
		"a key as well": {"GET", "/api/ui", "", as("Anna", "X-Functions-Key", g.keys[api.ScopeAdmin]), http.StatusOK,
			`<body class="">`},
	} {
		w := ask(t, g, c.method, c.path, c.body, c.headers...)
		if w.Code != c.want || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	for name, o := range map[string]Options{
		"another host":  {Open: g.open, Access: OwnKeys, UserScope: api.ScopeAdmin},
		"keys in Azure": {Open: g.open, Access: HostKeys, Secret: secret, UserScope: api.ScopeAdmin},
	} {
		if w := ask(t, New(o), "GET", ui.Root, "", as("Anna")...); w.Code != http.StatusUnauthorized {
			t.Errorf("%s believes the header: %d", name, w.Code)
		}
	}
}

// TestL4KeysPage checks that keys are made, listed and removed in the dashboard, by administrators only, and that a
// secret is shown once (L4).
func TestL4KeysPage(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	c := g.signIn(t, api.ScopeAdmin)
	form := []string{"Content-Type", "application/x-www-form-urlencoded", "Cookie", c.Name + "=" + c.Value}
	token := "&token=" + keys.FormToken(c.Value)
	made := ask(t, g, "POST", "/api/ui/keys", "name=anna&scope=read"+token, form...)
	if body := made.Body.String(); made.Code != http.StatusOK || strings.Count(body, keys.Prefix) != 1 ||
		!strings.Contains(body, `name="remove" value="anna"`) {
		t.Fatalf("a new key: %d %s", made.Code, body)
	}
	if body := ask(t, g, "GET", "/api/ui/keys", "", form[2:]...).Body.String(); strings.Contains(body, keys.Prefix) ||
		!strings.Contains(body, ">anna</th>") || !strings.Contains(body, "you are signed in by it") {
		t.Errorf("the list: %s", body)
	}
	if w := ask(t, g, "POST", "/api/ui/keys", "name=A B&scope=read"+token, form...); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), `role="alert">`) || !strings.Contains(w.Body.String(), `<span>Name: the name of a key`) {
		t.Errorf("a name that is none: %d %s", w.Code, w.Body)
	}
	if w := ask(t, g, "POST", "/api/ui/keys", "remove=anna"+token, form...); w.Code != http.StatusSeeOther {
		t.Errorf("removing: %d %s", w.Code, w.Body)
	}
	if body := ask(t, g, "GET", "/api/ui/keys", "", form[2:]...).Body.String(); strings.Contains(body, ">anna</th>") {
		t.Error("a removed key is listed")
	}
	c = g.signIn(t, api.ScopeWrite)
	if w := ask(t, g, "GET", "/api/ui/keys", "", "Cookie", c.Name+"="+c.Value); w.Code != http.StatusForbidden {
		t.Errorf("keys for writers: %d", w.Code)
	}
}
