package handlers

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestAZ5HostsThatForward checks that requests with the name by which callers reach the host are answered, that no
// other name opens anything, and that a refusal says what to set.
func TestAZ5HostsThatForward(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	h := New(Options{Open: r.open, Port: "9000", Hosts: []string{"t.azurewebsites.net", "localhost:7071", ""},
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	for _, tt := range []struct {
		host, method, path string
		status             int
	}{
		{"t.azurewebsites.net", "GET", "/api/items", 200}, {"T.AzureWebsites.net", "GET", "/api/ui/", 200},
		{"localhost:7071", "GET", "/API/Health", 200}, {"127.0.0.1:9000", "GET", "/api/items", 200},
		{"127.0.0.1:9000", "POST", "/CrawlTimer", 200}, {"t.azurewebsites.net", "GET", "/api/nothing", 404},
		// A page of a name that leads to this machine, and programs that guess:
		{"evil.example:9000", "GET", "/api/items", 421}, {"t.azurewebsites.net:9000", "GET", "/api/items", 421},
		{"t.azurewebsites.net.evil.example", "GET", "/api/items", 421}, {"localhost", "GET", "/api/items", 421},
		{"localhost:9001", "GET", "/api/items", 421}, {"", "GET", "/api/items", 421},
		{"t.azurewebsites.net, evil.example", "GET", "/api/items", 421},
		// Only what a host passes on has such a name:
		{"t.azurewebsites.net", "POST", "/CrawlTimer", 421}, {"t.azurewebsites.net", "GET", "/", 421},
		{"localhost:7071", "POST", "/crawlworker", 421}, {"localhost:7071", "GET", "/apis/items", 421},
	} {
		req := httptest.NewRequestWithContext(t.Context(), tt.method, tt.path,
			strings.NewReader(`{"Data":{},"Metadata":{}}`))
		req.Host = tt.host
		req.Header.Set("X-Forwarded-Host", "t.azurewebsites.net")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code != tt.status {
			t.Errorf("%s %s of %q: %d, want %d: %s", tt.method, tt.path, tt.host, w.Code, tt.status, w.Body)
		}
		if w.Code == http.StatusMisdirectedRequest {
			p := problemOf(t, w)
			for _, part := range []string{"enableProxyingHttpRequest", "ALLOWED_HOSTS", tt.host} {
				if !strings.Contains(p.Detail, part) {
					t.Errorf("%q: no %s in %s", tt.host, part, p.Detail)
				}
			}
		}
	}
	if n := strings.Count(log.String(), "ALLOWED_HOSTS"); n != 1 {
		t.Errorf("%d lines in the log:\n%s", n, &log)
	}
}

// TestAZ5HostsThatForwardNeedTheSecret checks that a known name does not replace the secret of the local host.
func TestAZ5HostsThatForwardNeedTheSecret(t *testing.T) {
	h := New(Options{Open: newRig(t).open, Port: "9000", Secret: "s3cret", Hosts: []string{"localhost:7071"}})
	for said, want := range map[string]int{"": 403, "s3creT": 403, "s3cret": 200} {
		req := httptest.NewRequestWithContext(t.Context(), "GET", "/api/items", nil)
		req.Host = "localhost:7071"
		req.Header.Set(api.HostSecretHeader, said)
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, req); w.Code != want {
			t.Errorf("%q: %d, want %d", said, w.Code, want)
		}
	}
}

// TestAZ5HostsThatSendMessages checks that a host which sends HTTP requests as messages gets an answer for its callers,
// and the log a line, and that requests of others are not taken for such messages.
func TestAZ5HostsThatSendMessages(t *testing.T) {
	g := newGuarded(t, HostKeys)
	sent := func(method, path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(`{"Data":{},"Metadata":{}}`))
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w
	}
	w := sent("POST", "/Health", invocationHeader, "0c7c")
	var said struct {
		Outputs struct {
			Res struct {
				StatusCode int
				Body       string
			}
		}
	}
	must(t, json.Unmarshal(w.Body.Bytes(), &said))
	if w.Code != http.StatusOK || said.Outputs.Res.StatusCode != http.StatusInternalServerError ||
		!strings.Contains(said.Outputs.Res.Body, "enableProxyingHttpRequest") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if log := g.log.String(); !strings.Contains(log, "enableProxyingHttpRequest") ||
		!strings.Contains(log, "function=Health") {
		t.Errorf("the log: %s", log)
	}
	g.log.Reset()
	sent("POST", "/CrawlTimer", invocationHeader, "0c7c")
	sent("POST", "/Health", invocationHeader, "0c7c", forwardedFor, "203.0.113.7")
	sent("GET", "/Health", invocationHeader, "0c7c")
	sent("POST", "/api/health", invocationHeader, "0c7c")
	sent("POST", "/Health")
	if strings.Contains(g.log.String(), "enableProxying") {
		t.Errorf("the log: %s", &g.log)
	}
}
