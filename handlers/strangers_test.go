package handlers

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestX18SecondCookie checks that cookies of other programs on the host lock nobody out, and are bounded (X18).
func TestX18SecondCookie(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	c := g.signIn(t, api.ScopeRead)
	other, mine := c.Name+"=x", c.Name+"="+c.Value
	for cookies, want := range map[string]int{
		other + "; " + mine: http.StatusOK, mine + "; " + other: http.StatusOK, other: http.StatusUnauthorized,
		strings.Repeat(other+"; ", maxSessions) + mine: http.StatusUnauthorized,
	} {
		if w := ask(t, g, "GET", "/api/ui", "", "Cookie", cookies); w.Code != want {
			t.Errorf("%s: %d, want %d", cookies, w.Code, want)
		}
	}
	w := ask(t, g, "GET", "/api/ui", "", "Cookie", mine, "X-Forwarded-Proto", "https")
	if w.Code != http.StatusUnauthorized {
		t.Errorf("a cookie without the prefix over https: %d", w.Code)
	}
}

// TestX18GetsWithEffects checks that pages of other sites cannot make a browser send a GET request that has an effect
// (X18).
func TestX18GetsWithEffects(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/api/Search?q=x&maxAge=1m&stale=recheck",
		"/api/IndexNow?url=https://port.example/&key=x"} {
		for site, want := range map[string]bool{"cross-site": true, "same-site": true, "same-origin": false, "none": false,
			"": false} {
			w := ask(t, r, "GET", path, "", "Sec-Fetch-Site", site)
			if have := w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), "another site"); have != want {
				t.Errorf("%s from %q: %d %s", path, site, w.Code, w.Body)
			}
		}
	}
	if w := ask(t, r, "GET", "/api/Search?q=x", "", "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusOK {
		t.Errorf("a search without an effect: %d", w.Code)
	}
}

// TestX18StrictTransport checks that browsers are told to use HTTPS where this host was reached by it (X18).
func TestX18StrictTransport(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	for host, want := range map[string]bool{"tide.example": true, "localhost:7071": false, "127.0.0.1": false,
		"[::1]:7071": false} {
		w := ask(t, g, "GET", "/api/health", "", "X-Forwarded-Proto", "https", "X-Forwarded-Host", host)
		if have := w.Header().Get("Strict-Transport-Security") != ""; have != want {
			t.Errorf("%s: %v", host, have)
		}
	}
	if w := ask(t, g, "GET", "/api/health", "", "X-Forwarded-Host", "tide.example"); w.Header().Get(
		"Strict-Transport-Security") != "" {
		t.Error("told over http")
	}
}

// TestX17Batches checks that one request to the MCP server holds a bounded number of messages (X17).
func TestX17Batches(t *testing.T) {
	r := newRig(t)
	post := func(n int) (int, string) {
		body := "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, n), ",") + "]"
		w := ask(t, r, "POST", "/api/mcp", body, "Content-Type", "application/json", "Accept",
			"application/json, text/event-stream")
		return w.Code, w.Body.String()
	}
	if code, body := post(11); code != http.StatusBadRequest || !strings.Contains(body, "1 to 10") {
		t.Errorf("11 messages: %d %s", code, body)
	}
	if code, body := post(1); code >= http.StatusInternalServerError || strings.Contains(body, "1 to 10") {
		t.Errorf("one message in a batch: %d %s", code, body)
	}
}
