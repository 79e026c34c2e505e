package local

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestL4Listen checks where the app listens, and whether other machines reach it there (L4).
func TestL4Listen(t *testing.T) {
	for text, want := range map[string]struct {
		address string
		beyond  bool
		url     string
	}{
		"":               {"127.0.0.1:7071", false, "http://localhost:7071"},
		"0.0.0.0":        {"0.0.0.0:7071", true, "http://localhost:7071"},
		"0.0.0.0:80":     {"0.0.0.0:80", true, "http://localhost:80"},
		":8080":          {":8080", true, "http://localhost:8080"},
		"::":             {"[::]:7071", true, "http://localhost:7071"},
		"[::]:8080":      {"[::]:8080", true, "http://localhost:8080"},
		"[::]":           {"[::]:7071", true, "http://localhost:7071"},
		"fd00::2":        {"[fd00::2]:7071", true, "http://[fd00::2]:7071"},
		"10.0.0.7":       {"10.0.0.7:7071", true, "http://10.0.0.7:7071"},
		"127.0.0.1:8080": {"127.0.0.1:8080", false, "http://localhost:8080"},
		"127.9.9.9":      {"127.9.9.9:7071", false, "http://localhost:7071"},
		"[::1]:8080":     {"[::1]:8080", false, "http://localhost:8080"},
		"localhost":      {"localhost:7071", false, "http://localhost:7071"},
		"tide.example":   {"tide.example:7071", true, "http://tide.example:7071"},
	} {
		o, err := listen(settings{"LISTEN": text}.get, 7071)
		if err != nil || o.Address() != want.address || o.beyond != want.beyond || o.URL() != want.url {
			t.Errorf("%q: %s, beyond %v, %s, %v", text, o.Address(), o.beyond, o.URL(), err)
		}
	}
}

type settings map[string]string

func (s settings) get(name string) string { return s[name] }

// TestL4BadListen checks that an impossible setting is refused by its name before anything starts (L4).
func TestL4BadListen(t *testing.T) {
	for want, set := range map[string]settings{
		"the port of LISTEN": {"LISTEN": "0.0.0.0:99999"}, "LISTEN is": {"LISTEN": "http://a.example/"},
		"TRUSTED_PROXIES":                 {"TRUSTED_PROXIES": "10.0.0.0/8, proxy.example"},
		"only a proxy in TRUSTED_PROXIES": {"AUTH_HEADER": "Remote-User"},
		"no other meaning":                {"AUTH_HEADER": "x-forwarded-for", "TRUSTED_PROXIES": "10.0.0.1"},
		"AUTH_HEADER is":                  {"AUTH_HEADER": "Remote User", "TRUSTED_PROXIES": "10.0.0.1"},
		"TLS_CERT_FILE and TLS_KEY_FILE":  {"TLS_CERT_FILE": "cert.pem"},
		"TLS_CERT_FILE, TLS_KEY_FILE":     {"TLS_CERT_FILE": "/nowhere/cert.pem", "TLS_KEY_FILE": "/nowhere/key.pem"},
	} {
		if _, err := listen(set.get, 7071); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", set, err, want)
		}
	}
	o, err := listen(settings{"TRUSTED_PROXIES": "10.0.0.0/8,::1"}.get, 7071)
	if err != nil || !o.beyond ||
		len(o.proxies) != 2 {
		t.Errorf("proxies: %v, %+v", err, o)
	}
}

// TestL8Home checks that the page at "/" leads below the path that the host has reported.
func TestL8Home(t *testing.T) {
	for accept, want := range map[string]string{"text/html": "/tide/api/ui", "application/json": ""} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Accept", accept)
		r.Header.Set(api.PrefixHeader, "/tide")
		w := httptest.NewRecorder()
		home(w, r)
		if to := w.Header().Get("Location"); to != want || strings.Contains(w.Body.String(), `"/api/`) {
			t.Errorf("%s: leads to %q\n%s", accept, to, w.Body)
		}
	}
}
