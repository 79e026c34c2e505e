package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/identity/source"
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
		{"", meta("1;/x"), "/x"},
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

		{"", meta("2;url=/x"), "stays, told"},
		{"", meta("60;url=/x"), "stays, told"},
		{"", meta("0;url=?page=2"), "stays, told"},
		{"", meta("0;url=/a/b?page=2"), "stays, told"},
		{"", meta("0;url=http://other.example/x"), "stays, told"},
		{"", meta("0;url=http://10.0.0.1/x"), "stays, told"},
		{"", meta("0;url=/x") + strings.Repeat("<tr><td>06:12<td>1.4", 2000), "stays"},
		{"", meta("0;url=/x") + strings.Repeat("満潮", 45), "stays"},
		{"", meta("0;url=/x") + strings.Repeat("みちしお", 23), "stays"},
		{"", meta("99999999999999999999;url=/x"), "stays, told"},
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
		if res.NotFollowed != nil {
			have += ", told"
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
		if err != nil || res.FinalURL != base+want || res.Permanent || (res.NotFollowed == nil) != (want == "/4") {
			t.Errorf("%s: %s, %v, %v, want %s", path, res.FinalURL, res.NotFollowed, err, want)
		}
	}
	res, err := c.Get(t.Context(), Request{URL: base + "/stub", Refresh: true, Head: true})
	if err != nil || res.FinalURL != base+"/stub" {
		t.Errorf("HEAD: %s, %v", res.FinalURL, err)
	}
}

// TestX6RefreshFails checks that a short page stays, with the reason, if the page it leads to cannot be had; that a
// pause and errors of this program stay; and that cookies of a short page are sent (X6).
func TestX6RefreshFails(t *testing.T) {
	leads := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
			w.Header().Set("Content-Type", "text/html")
			if r.URL.Path == "/cookie" && r.Header.Get("Cookie") != "" {
				io.WriteString(w, "<p>High water")
				return
			}
			io.WriteString(w, meta("0;url="+to))
		}
	}
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/missing": leads("/404"), "/broken": leads("/500"), "/busy": leads("/503"), "/cut": leads("/hangup"),
		"/loop": leads("/back"), "/back": to(302, "/loop"), "/cookie": leads("/return"), "/return": to(302, "/cookie"),
		"/outside": leads("/away"), "/away": to(302, "http://10.0.0.1/"), "/forbidden": leads("/private"),
		"/later": leads("/full"),
		"/404":   status(404), "/500": status(500), "/503": status(503),
		"/hangup": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	})
	gate := func(_ context.Context, target string) error {
		switch strings.TrimPrefix(target, base) {
		case "/private":
			return fault.New(fault.Blocked, "robots.txt disallows it")
		case "/full":
			return fault.New(fault.Throttled, "not now")
		}
		return nil
	}
	for path, want := range map[string]fault.Kind{"/missing": fault.NotFound, "/broken": fault.Unavailable,
		"/cut": fault.Unavailable, "/loop": fault.TooLarge, "/outside": fault.Blocked, "/forbidden": fault.Blocked} {
		res, err := c.Get(t.Context(), Request{URL: base + path, Refresh: true, Gate: gate})
		if err != nil || res.FinalURL != base+path || fault.KindOf(res.NotFollowed) != want || res.Status != 200 ||
			!strings.Contains(string(res.Body), "One moment") {
			t.Errorf("%s: %d of %s, %v, %v", path, res.Status, res.FinalURL, res.NotFollowed, err)
		}
	}
	if res, err := c.Get(t.Context(), Request{URL: base + "/busy", Refresh: true}); err != nil || res.Status != 503 {
		t.Errorf("a pause: %d, %v", res.Status, err)
	}
	res, err := c.Get(t.Context(), Request{URL: base + "/cookie", Refresh: true})
	if err != nil || string(res.Body) != "<p>High water" {
		t.Errorf("with a cookie: %q, %v", res.Body, err)
	}
	_, err = c.Get(t.Context(), Request{URL: base + "/later", Refresh: true, Gate: gate})
	wantKind(t, err, fault.Throttled, "not now")
}

// TestX6RefreshBytes checks that the bytes of short pages count, that one of many bytes is not followed, that Large is
// called once in a chain, and that an answer without a body has none (X6, S2).
func TestX6RefreshBytes(t *testing.T) {
	padded := append(packed(t, meta("0;url=/x")), bytes.Repeat(packed(t, ""), maxStub/20)...)
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/a": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, meta("0;url=/x"))
		},
		"/padded": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(padded)
		},
		"/twice": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip, gzip")
			w.Write(packed(t, string(append(packed(t, meta("0;url=/large")), bytes.Repeat(packed(t, ""), 20_000)...))))
		},
		"/large": func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, memory.Small+1)) },
		"/x": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			io.WriteString(w, "High water")
		},
	})
	asked := 0
	get := func(r Request) Response {
		r.URL, r.Refresh = base+r.URL, true
		r.Large = func(context.Context) error { asked++; return nil }
		res, err := c.Get(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := get(Request{URL: "/a"}); res.WireBytes != int64(len(meta("0;url=/x"))+len("High water")) {
		t.Errorf("%d bytes were counted", res.WireBytes)
	}
	if res := get(Request{URL: "/a", ETag: "1", ValidFor: base + "/x"}); !res.NotModified || res.Body != nil {
		t.Errorf("304: %v, body %q", res.NotModified, res.Body)
	}
	if res := get(Request{URL: "/padded"}); res.FinalURL != base+"/padded" || res.WireBytes <= maxStub {
		t.Errorf("%d bytes lead to %s", res.WireBytes, res.FinalURL)
	}
	if res := get(Request{URL: "/twice"}); res.FinalURL != base+"/large" || asked != 1 {
		t.Errorf("%s, asked %d times", res.FinalURL, asked)
	}
}

// FuzzX6Refresh checks that the target of a Refresh value is a part of it, found in little time.
func FuzzX6Refresh(f *testing.F) {
	for _, value := range []string{"0;url=/x", " 1.5 , URL = '/x' ", "5 /x", ";;url=", "0;url=\"",
		"99999999999999999999;x"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		have, _ := source.RefreshTarget(value)
		if !strings.Contains(value, have) || have != strings.TrimSpace(have) {
			t.Errorf("%q gives %q", value, have)
		}
		_ = readStub([]byte(value))
	})
}

// packed compresses a text.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
