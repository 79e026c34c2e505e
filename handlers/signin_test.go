package handlers

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// signIn returns the cookie of a session.
func (g *guarded) signIn(t *testing.T, scope api.Scope, headers ...string) *http.Cookie {
	t.Helper()
	form := url.Values{"key": {g.keys[scope]}, "to": {"/items?host=port.example"}}.Encode()
	headers = append(headers, "Content-Type", "application/x-www-form-urlencoded")
	w := ask(t, g, "POST", "/api/ui/sign-in", form, headers...)
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/api/ui/items?host=port.example" ||
		len(cookies) != 1 {
		t.Fatalf("signed in: %d to %q, %v", w.Code, w.Header().Get("Location"), cookies)
	}
	return cookies[0]
}

// TestL4SignIn checks that a person signs in and out, and that the cookie is always new and is sent only to pages,
// not to scripts or other sites (L4).
func TestL4SignIn(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	fixed := strings.Repeat("a", 26)
	secure := g.signIn(t, api.ScopeWrite, "Cookie", "__Host-"+sessionCookie+"="+fixed, "X-Forwarded-Proto", "https")
	if secure.Name != "__Host-"+sessionCookie || secure.Value == fixed || !secure.Secure || secure.Path != "/" ||
		secure.Domain != "" { // X18
		t.Errorf("cookie over https %+v", secure)
	}
	c := g.signIn(t, api.ScopeWrite, "Cookie", sessionCookie+"="+fixed)
	if c.Value == fixed || !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != ui.Root ||
		c.MaxAge <= 0 || c.MaxAge > int(keys.SessionLife/time.Second) || c.Domain != "" {
		t.Errorf("cookie %+v", c)
	}
	session := []string{"Cookie", c.Name + "=" + c.Value}
	w := ask(t, g, "GET", "/api/ui", "", session...)
	if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, "one-for-write") ||
		strings.Contains(body, c.Value) {
		t.Errorf("a page of the session: %d %s", w.Code, body)
	}
	if w := ask(t, g, "GET", "/api/ui/docs", "", session...); w.Code != http.StatusOK {
		t.Errorf("the documentation: %d", w.Code)
	}
	if w := ask(t, g, "GET", "/api/items", "", session...); w.Code != http.StatusUnauthorized {
		t.Errorf("the API by a session: %d", w.Code)
	}
	form := []string{"Content-Type", "application/x-www-form-urlencoded", "Cookie", c.Name + "=" + c.Value}
	token := keys.FormToken(c.Value)
	w = ask(t, g, "POST", "/api/ui/test-mode", "on=true&token="+token, form...)
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "this takes one for admin") {
		t.Errorf("what only admins may: %d %s", w.Code, w.Body)
	}
	ask(t, g, "POST", "/api/ui/sign-out", "token="+token, form...)
	if w := ask(t, g, "GET", "/api/ui", "", session...); w.Code != http.StatusUnauthorized {
		t.Errorf("after the sign-out: %d", w.Code)
	}
}

// TestL4SessionEndsWithItsKey checks that a session ends with its key, even if another key receives the same name
// (L4).
func TestL4SessionEndsWithItsKey(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	c := g.signIn(t, api.ScopeRead)
	_, err := g.v.Keys.Remove(t.Context(), "one-for-read")
	must(t, err)
	_, _, err = g.v.Keys.Add(t.Context(), "one-for-read", api.ScopeAdmin)
	must(t, err)
	if w := ask(t, g, "GET", "/api/ui", "", "Cookie", c.Name+"="+c.Value); w.Code != http.StatusUnauthorized {
		t.Errorf("the session of a removed key: %d", w.Code)
	}
	c = g.signIn(t, api.ScopeWrite)
	g.now = g.now.Add(keys.SessionLife)
	if w := ask(t, g, "GET", "/api/ui", "", "Cookie", c.Name+"="+c.Value); w.Code != http.StatusUnauthorized {
		t.Errorf("a session that is over: %d", w.Code)
	}
}

// TestL4FormsOfOthers checks that a form from another site, or without the token of the session, does nothing (L4).
func TestL4FormsOfOthers(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	c := g.signIn(t, api.ScopeAdmin)
	other := g.signIn(t, api.ScopeAdmin)
	for name, tt := range map[string]struct {
		token string
		more  []string
	}{
		"no token": {"", nil}, "the token of another session": {keys.FormToken(other.Value), nil},
		"the session itself": {c.Value, nil},
		"another site":       {keys.FormToken(c.Value), []string{"Sec-Fetch-Site", "cross-site"}},
		"a site beside it":   {keys.FormToken(c.Value), []string{"Sec-Fetch-Site", "same-site"}},
		"an old browser's":   {keys.FormToken(c.Value), []string{"Origin", "https://evil.example"}},
		"with a forged host?": {keys.FormToken(c.Value), []string{"Origin", "https://evil.example",
			"X-Forwarded-Host", "a.example"}},
	} {
		headers := append([]string{"Content-Type", "application/x-www-form-urlencoded", "Cookie", c.Name + "=" + c.Value},
			tt.more...)
		w := ask(t, g, "POST", "/api/ui/test-mode", "on=true&token="+tt.token, headers...)
		if w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	if w := do(t, g.rig, "GET", "/api/test-mode", ""); strings.Contains(w.Body.String(), "true") {
		t.Error("a form of others took effect")
	}
	w := ask(t, g, "POST", "/api/ui/sign-in", "key="+g.keys[api.ScopeRead], "Content-Type",
		"application/x-www-form-urlencoded", "Sec-Fetch-Site", "cross-site")
	if w.Code != http.StatusForbidden || len(w.Result().Cookies()) > 0 {
		t.Errorf("signed in by another site: %d", w.Code)
	}
}

// AZ6: a key for feeds begins no session, and the page says why.
func TestAZ6FeedKeysCannotSignIn(t *testing.T) {
	g := newGuarded(t, HostKeys)
	w := ask(t, g, "POST", "/api/ui/sign-in", "key="+g.keys[api.ScopeFeed], "Content-Type",
		"application/x-www-form-urlencoded")
	if w.Code != http.StatusForbidden || len(w.Result().Cookies()) > 0 ||
		!strings.Contains(w.Body.String(), "for feeds alone and cannot sign in") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

// AZ4: a form that cannot be read is refused with the reason, and not taken for one of another session.
func TestAZ4FormsThatCannotBeRead(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	c := g.signIn(t, api.ScopeAdmin)
	const plain, multipart = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	part := "--b\r\nContent-Disposition: form-data; name=f\r\n\r\n"
	large := strings.Repeat("x", wire.MaxBody+1)
	for name, tt := range map[string]struct {
		path, form, body, says string
		status                 int
	}{
		"too large":            {"/import", plain, "list=" + large, "more than 4 MiB", 413},
		"a file too large":     {"/import", multipart, part + large, "more than 4 MiB", 413},
		"cut off":              {"/import", multipart, part + "x", "did not arrive whole", 400},
		"badly escaped":        {"/import", plain, "list=%zz", "did not arrive whole", 400},
		"too large to sign in": {"/sign-in", plain, "key=" + large, "more than 4 MiB", 413},
	} {
		w := ask(t, g, "POST", "/api/ui"+tt.path, tt.body, "Content-Type", tt.form, "Cookie", c.Name+"="+c.Value)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) ||
			strings.Contains(w.Body.String(), "of this session") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// L4: every form of a page that does something carries the token, and what pages link to is where sessions count.
func TestL4PagesOfASession(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	do(t, g.rig, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	g.work()
	do(t, g.rig, "PUT", "/api/test-mode", `{"is_test_mode":true}`)
	c := g.signIn(t, api.ScopeAdmin)
	forms := 0
	for _, path := range []string{"", "/items", "/items/" + idOf(t, "https://port.example/ok/one"), "/search?q=harbour",
		"/hosts", "/hosts/port.example", "/entries", "/backfill", "/index", "/nothing"} {
		w := ask(t, g, "GET", "/api/ui"+path, "", "Cookie", c.Name+"="+c.Value)
		doc, err := html.Parse(strings.NewReader(w.Body.String()))
		must(t, err)
		for n := range doc.Descendants() {
			if n.Data == "form" && attribute(n, "method") == "post" {
				forms++
				if !hasToken(n, keys.FormToken(c.Value)) {
					t.Errorf("%s: the form for %s has no token", path, attribute(n, "action"))
				}
			}
			if attribute(n, "rel") == "alternate" {
				continue // a feed reader fetches it, with a key of its own
			}
			for _, name := range []string{"href", "src", "action"} {
				if to := attribute(n, name); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, ui.Root) {
					t.Errorf("%s: <%s %s=%q> leads where the session does not count", path, n.Data, name, to)
				}
			}
		}
	}
	if forms < 10 {
		t.Errorf("%d forms", forms)
	}
}

func hasToken(form *html.Node, token string) bool {
	for n := range form.Descendants() {
		if n.Data == "input" && attribute(n, "name") == ui.TokenField && attribute(n, "value") == token {
			return true
		}
	}
	return false
}
