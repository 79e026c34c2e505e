package fetch

import (
	"io"
	"net/http"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// TestR2Hop checks that a request of a browser is sent as it is, with the crawler's name and guard, and that its
// redirect is not followed (R2).
func TestR2Hop(t *testing.T) {
	var sent http.Header
	var body []byte
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/post": func(w http.ResponseWriter, r *http.Request) {
			sent = r.Header
			body, _ = io.ReadAll(r.Body)
			w.Header().Set("Location", "http://10.0.0.1/")
			w.WriteHeader(http.StatusFound)
		},
		"/large": func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 1000)) },
	})
	res, err := c.Hop(t.Context(), Hop{Method: http.MethodPost, URL: base + "/post", Body: []byte("a=b"),
		Header: http.Header{"user-agent": {"Chrome"}, "x-page": {"yes"}, "x-bad": {"a\r\nb"}, "Proxy-Authorization": {"x"},
			"Cookie": {"a=1"}, "Authorization": {"of the page"}},
		Secret: http.Header{"Authorization": {"of the item"}}})
	if err != nil || res.Status != http.StatusFound || len(res.Redirects) != 0 || res.Requests != 1 {
		t.Errorf("have %+v, %v", res, err)
	}
	if string(body) != "a=b" || sent.Get("User-Agent") != DefaultUserAgent || sent.Get("X-Page") != "yes" ||
		sent.Get("X-Bad") != "" || sent.Get("Proxy-Authorization") != "" || sent.Get("Cookie") != "a=1" ||
		sent.Get("Authorization") != "of the item" {
		t.Errorf("sent were %q and %v", body, sent)
	}
	_, err = c.Hop(t.Context(), Hop{Method: http.MethodGet, URL: base + "/large", MaxBytes: 999})
	wantKind(t, err, fault.TooLarge, "")
	public, err := c.Public()
	if err != nil {
		t.Fatal(err)
	}
	_, err = public.Hop(t.Context(), Hop{Method: http.MethodGet, URL: base + "/large"})
	wantKind(t, err, fault.Blocked, "")
}
