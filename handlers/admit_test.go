package handlers

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestS4OnlyTheHostIsAdmitted checks that the handler's own port answers only its host, whatever else runs on the
// machine.
func TestS4OnlyTheHostIsAdmitted(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		name, host, secret, said string
		status                   int
	}{
		{"the genuine host", "127.0.0.1:9000", "", "", 200},
		{"by name", "localhost:9000", "", "", 200},
		{"by IPv6", "[::1]:9000", "", "", 200},
		{"a name that was made to lead here", "evil.example:9000", "", "", 421},
		{"another port", "localhost:7071", "", "", 421},
		{"no port", "localhost", "", "", 421},
		{"no host", "", "", "", 421},
		{"the local host", "127.0.0.1:9000", "s3cret", "s3cret", 200},
		{"another program", "127.0.0.1:9000", "s3cret", "", 403},
		{"a guess", "127.0.0.1:9000", "s3cret", "s3creT", 403},
		{"the secret under another name", "evil.example", "s3cret", "s3cret", 421},
		{"a secret that nobody asked for", "127.0.0.1:9000", "", "s3cret", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := New(Options{Open: r.open, Port: "9000", Secret: tt.secret})
			for path, method := range map[string]string{"/": "GET", "/api/items": "GET", "/api/ui": "GET",
				"/CrawlTimer": "POST"} {
				req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(`{"Data":{},"Metadata":{}}`))
				req.Host = tt.host
				if tt.said != "" {
					req.Header.Set(api.HostSecretHeader, tt.said)
				}
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, req); w.Code != tt.status {
					t.Errorf("%s: %d, want %d: %s", path, w.Code, tt.status, w.Body)
				}
				if tt.status != 200 {
					problemOf(t, w)
				}
			}
		})
	}
}
