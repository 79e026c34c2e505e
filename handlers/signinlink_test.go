package handlers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// newLink makes a link that signs in as the holder of a key.
func (g *guarded) newLink(t *testing.T, scope api.Scope) (path, token string) {
	t.Helper()
	w := ask(t, g, "POST", "/api/ui/link", "", "X-Functions-Key", g.keys[scope])
	var made api.SignInLink
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.Until.IsZero() {
		t.Fatalf("a link: %d %s", w.Code, w.Body)
	}
	at, err := url.Parse(made.Path)
	must(t, err)
	return made.Path, at.Query().Get("t")
}

// TestL9SignInLink checks that a link signs in one browser by a press, that opening it uses nothing up, and that it is
// gone afterwards (L9).
func TestL9SignInLink(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	path, token := g.newLink(t, api.ScopeWrite)
	for _, method := range []string{"GET", "HEAD", "GET"} {
		w := ask(t, g, method, path, "", "Sec-Fetch-Site", "cross-site")
		if w.Code != http.StatusOK || len(w.Result().Cookies()) > 0 ||
			!strings.Contains(w.Header().Get("Cache-Control"), "no-store") ||
			method == "GET" && !strings.Contains(w.Body.String(), `name="t" value="`+token+`"`) {
			t.Fatalf("%s: %d %v %s", method, w.Code, w.Header(), w.Body)
		}
	}
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	press := "t=" + token
	if w := ask(t, g, "POST", "/api/ui/link", press, append(form, "Sec-Fetch-Site", "cross-site")...); w.Code !=
		http.StatusForbidden {
		t.Errorf("a form of another site: %d", w.Code)
	}
	w := ask(t, g, "POST", "/api/ui/link", press, form...)
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/api/ui/" || len(cookies) != 1 {
		t.Fatalf("pressed: %d to %q, %v", w.Code, w.Header().Get("Location"), cookies)
	}
	session := cookies[0].Name + "=" + cookies[0].Value
	if w := ask(t, g, "GET", "/api/ui", "", "Cookie", session); w.Code != http.StatusOK ||
		!strings.Contains(w.Body.String(), "one-for-write") {
		t.Errorf("signed in: %d", w.Code)
	}
	for what, w := range map[string]int{
		"opened again":  ask(t, g, "GET", path, "").Code,
		"pressed again": ask(t, g, "POST", "/api/ui/link", press, form...).Code,
		"another token": ask(t, g, "GET", "/api/ui/link?t="+strings.Repeat("a", 26), "").Code,
		"no token":      ask(t, g, "GET", "/api/ui/link", "").Code,
		"empty form":    ask(t, g, "POST", "/api/ui/link", "", form...).Code,
	} {
		if w != http.StatusGone {
			t.Errorf("%s: %d", what, w)
		}
	}
	if body := ask(t, g, "GET", path, "").Body.String(); !strings.Contains(body, "<code>tidemark link</code>") ||
		!strings.Contains(body, `name="to" value="/"`) {
		t.Errorf("the page does not name the command, or leads back: %s", body)
	}
	if strings.Contains(g.log.String(), token) {
		t.Error("the token is in the log")
	}
}

// TestL9WhoMakesLinks checks that a link takes a key that opens pages, given in a header and not by a session, that it
// gives no more than that key, and ends with it (L9).
func TestL9WhoMakesLinks(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	c := g.signIn(t, api.ScopeAdmin)
	for what, tt := range map[string]struct {
		headers []string
		want    int
	}{
		"nobody":        {nil, http.StatusGone},
		"a session":     {[]string{"Cookie", c.Name + "=" + c.Value}, http.StatusGone},
		"a wrong key":   {[]string{"X-Functions-Key", keys.Prefix + strings.Repeat("a", 26)}, http.StatusUnauthorized},
		"two keys":      {[]string{"X-Functions-Key", g.keys["read"], "X-Functions-Key", "x"}, http.StatusUnauthorized},
		"a feed reader": {[]string{"X-Functions-Key", g.keys[api.ScopeFeed]}, http.StatusForbidden},
	} {
		if w := ask(t, g, "POST", "/api/ui/link", "", tt.headers...); w.Code != tt.want {
			t.Errorf("%s: %d, want %d", what, w.Code, tt.want)
		}
	}
	if w := ask(t, g, "DELETE", "/api/ui/link", ""); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: %d", w.Code)
	}
	path, _ := g.newLink(t, api.ScopeRead)
	_, err := g.v.Keys.Remove(t.Context(), "one-for-read")
	must(t, err)
	if w := ask(t, g, "GET", path, ""); w.Code != http.StatusGone {
		t.Errorf("the link of a removed key: %d", w.Code)
	}
}

// TestL9LinkWithoutKeys checks that a link leads to the dashboard where nobody needs a key (L9).
func TestL9LinkWithoutKeys(t *testing.T) {
	r := newRig(t)
	if w := ask(t, r, "GET", "/api/ui/link?t=x", ""); w.Code != http.StatusSeeOther ||
		w.Header().Get("Location") != "/api/ui" {
		t.Errorf("opened: %d", w.Code)
	}
	if w := ask(t, r, "POST", "/api/ui/link", ""); w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != `{"path":"/api/ui"}` {
		t.Errorf("made: %d %s", w.Code, w.Body)
	}
}
