package fetch

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// meta is a page that leads to another one by a meta element.
func meta(content string) string {
	return `<html><head><meta http-equiv="Refresh" content="` + content + `"></head><body>One moment.</body></html>`
}

// TestX6Refresh checks that a short page which leads to another one is followed like a redirect, that its address is
// resolved as browsers resolve it, and that other pages are not passed over (X6).
func TestX6Refresh(t *testing.T) {
	long := meta("0;url=/x") + strings.Repeat("<p>High water at noon.", 100)
	for _, tt := range []struct{ header, body, want string }{
		{"", meta("0;url=/x"), "/x"},
		{"", meta("0; URL='/x'"), "/x"},
		{"", meta("0;URL=&quot;/x&quot;; more"), "/x"},
		{"", meta("0,url=/x"), "/x"},
		{"", meta("0 url=/x"), "/x"},
		{"", meta("5;/x"), "/x"},
		{"", meta(" 1.5 ; url = /x "), "/x"},
		{"", meta(";url=/x"), "/x"},
		{"", meta(`0;url=\x`), "/x"},
		{"", meta(`0;url=..\b\%2e%2e\x`), "/x"},
		{"", meta("0;url=http:/x"), "/x"},
		{"", meta("0;url=///{host}/x"), "/x"},
		{"", meta("0;url=http://u:p@{host}/x"), "/x"},
		{"", meta("0;url=/x?url=/y"), "/x?url=/y"},
		{"", "<base href=/dir/>" + meta("0;url=x"), "/dir/x"},
		{"", "<title>" + strings.Repeat("Harbour ", 100) + "</title>" + meta("0;url=/x"), "/x"},
		{"0;url=/x", "<p>x", "/x"},
		{"0;url=/x", meta("0;url=/y"), "/x"},
		{"0; URL=x", "<base href=/dir/>", "/a/x"},

		{"", meta("60;url=/x"), "stays"},
		{"", meta("99999999999999999999;url=/x"), "stays"},
		{"", meta("0"), "stays"},
		{"", meta("0;"), "stays"},
		{"", meta("0;url="), "stays"},
		{"", meta("soon;url=/x"), "stays"},
		{"", meta("0;url=javascript:alert(1)"), "stays"},
		{"", meta("0;url=app://x/"), "stays"},
		{"", meta("0;url=/a/b"), "stays"},
		{"", meta("0;url=#top"), "stays"},
		{"", "<noscript>" + meta("0;url=/x") + "</noscript>", "stays"},
		{"", "<script>'" + meta("0;url=/x") + "'</script>", "stays"},
		{"", "<!-- " + meta("0;url=/x") + " -->", "stays"},
		{"", long, "stays"},
		{"0;url=/x", long, "stays"},
		{"0;url=/x", "", "/x"},
	} {
		c, base := serve(t, Config{}, map[string]http.HandlerFunc{
			"/a/b": func(w http.ResponseWriter, r *http.Request) {
				if tt.header != "" {
					w.Header().Set("Refresh", tt.header)
				}
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, strings.ReplaceAll(tt.body, "{host}", r.Host))
			},
			"/": func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "" {
					t.Errorf("%q: userinfo was sent", tt.body)
				}
				io.WriteString(w, r.RequestURI)
			},
		})
		res, err := c.Get(t.Context(), Request{URL: base + "/a/b", Refresh: true})
		have, hops := string(res.Body), 1
		if res.FinalURL == base+"/a/b" {
			have, hops = "stays", 0
		}
		if err != nil || have != tt.want || len(res.Redirects) != hops || res.Requests != hops+1 || res.Permanent {
			t.Errorf("%q %q: have %q, %v, %v, want %q", tt.header, tt.body, have, res.Redirects, err, tt.want)
		}
		if res, err = c.Get(t.Context(), Request{URL: base + "/a/b"}); err != nil || len(res.Redirects) != 0 {
			t.Errorf("%q: followed without being asked: %v, %v", tt.body, res.Redirects, err)
		}
	}
}

// TestX6RefreshChains checks that refreshes count as redirects, end, and pass the gate (X6).
func TestX6RefreshChains(t *testing.T) {
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, body)
		}
	}
	c, base := serve(t, Config{MaxRedirects: 2}, map[string]http.HandlerFunc{
		"/ping": page(meta("0;url=/pong")), "/pong": page(meta("0;url=/ping")),
		"/1": page(meta("0;url=/2")), "/2": page(meta("0;url=/3")), "/3": page(meta("0;url=/4")), "/4": page("end"),
		"/moved": to(301, "/stub"), "/stub": page(meta("0;url=/4")),
	})
	for path, want := range map[string]string{"/ping": "/pong", "/1": "/3", "/moved": "/4"} {
		res, err := c.Get(t.Context(), Request{URL: base + path, Refresh: true})
		if err != nil || res.FinalURL != base+want || res.Permanent {
			t.Errorf("%s: %s, %v, want %s", path, res.FinalURL, err, want)
		}
	}
	refuse := func(_ context.Context, target string) error {
		return fault.New(fault.Blocked, "robots.txt forbids %s", target)
	}
	_, err := c.Get(t.Context(), Request{URL: base + "/stub", Refresh: true, Gate: refuse})
	wantKind(t, err, fault.Blocked, "robots.txt forbids "+base+"/4")
}

// FuzzX6Refresh checks that the target of a Refresh value is a part of it, found in little time.
func FuzzX6Refresh(f *testing.F) {
	for _, value := range []string{"0;url=/x", " 1.5 , URL = '/x' ", "5 /x", ";;url=", "0;url=\"",
		"99999999999999999999;x"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		have := refreshTarget(value)
		if !strings.Contains(value, have) || have != strings.TrimSpace(have) {
			t.Errorf("%q gives %q", value, have)
		}
		_ = readStub([]byte(value))
	})
}
