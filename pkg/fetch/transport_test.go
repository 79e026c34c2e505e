package fetch

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

func TestTransportIsGuarded(t *testing.T) { // no request reaches an internal address
	asked := 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		http.Redirect(w, &http.Request{}, "http://169.254.169.254/", http.StatusFound)
	}))
	defer site.Close()
	host := strings.TrimPrefix(site.URL, "http://")
	for name, tc := range map[string]struct {
		allow []string
		url   string
		kind  fault.Kind
	}{
		"exempt host":         {[]string{host}, site.URL, ""},
		"port":                {nil, "http://example.com:10000/", fault.Blocked},
		"loopback":            {nil, "http://127.0.0.1/", fault.Blocked},
		"loopback by name":    {nil, "http://localhost/", fault.Blocked},
		"metadata":            {[]string{host}, "http://169.254.169.254/", fault.Blocked},
		"scheme":              {nil, "ftp://example.com/", fault.Blocked},
		"userinfo":            {nil, "http://user:word@example.com/", fault.Invalid},
		"exempt, nobody home": {[]string{"127.0.0.1:9"}, "http://127.0.0.1:9/", fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(Config{AllowHosts: tc.allow})
			if err != nil {
				t.Fatal(err)
			}
			r, _ := http.NewRequest(http.MethodGet, tc.url, nil)
			res, err := c.Transport().RoundTrip(r)
			if fault.KindOf(err) != tc.kind {
				t.Fatalf("have %v, want kind %q", err, tc.kind)
			}
			if err != nil {
				return
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusFound || asked != 1 || r.URL.String() != tc.url {
				t.Errorf("have status %d after %d requests of %s: want the redirect itself", res.StatusCode, asked, r.URL)
			}
		})
	}
}
