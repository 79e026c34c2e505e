package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// serve starts a server with a handler for each path, and a client that can reach only that server on this machine.
func serve(t *testing.T, cfg Config, paths map[string]http.HandlerFunc) (*Client, string) {
	t.Helper()
	mux := http.NewServeMux()
	for path, handler := range paths {
		mux.HandleFunc(path, handler)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	cfg.AllowHosts = append(cfg.AllowHosts, strings.TrimPrefix(server.URL, "http://"))
	return newClient(t, cfg), server.URL
}

func newClient(t *testing.T, cfg Config) *Client {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// wantKind fails unless err has the kind and its text contains text.
func wantKind(t *testing.T, err error, kind fault.Kind, text string) {
	t.Helper()
	if fault.KindOf(err) != kind || err != nil && !strings.Contains(err.Error(), text) {
		t.Errorf("have %q error %v, want %q with %q", fault.KindOf(err), err, kind, text)
	}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
}

func TestGet(t *testing.T) {
	var asked *http.Request
	c, base := serve(t, Config{UserAgent: "Tidemark/1.0", Contact: "https://port.example/bot"},
		map[string]http.HandlerFunc{
			"/page": func(w http.ResponseWriter, r *http.Request) {
				asked = r
				w.Header().Set("ETag", `"1"`)
				io.WriteString(w, "high tide")
			},
		})
	res, err := c.Get(t.Context(), Request{URL: base + "/page?a=b c#f"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != 200 || string(res.Body) != "high tide" || res.WireBytes != 9 || res.Header.Get("ETag") != `"1"` {
		t.Errorf("have %+v", res)
	}
	if res.FinalURL != base+"/page?a=b%20c" || res.Redirects != nil || res.Permanent || res.Elapsed <= 0 {
		t.Errorf("have %+v", res)
	}
	want := http.Header{
		"User-Agent":      {"Tidemark/1.0 (+https://port.example/bot)"},
		"Accept":          {accept},
		"Accept-Encoding": {"gzip, br, zstd, deflate"},
	}
	if diff := cmp.Diff(want, asked.Header); diff != "" {
		t.Error(diff)
	}
}

// TestA25AcceptLanguage checks that the language ranges of a setting are sent as they are, and what is no list of them.
func TestA25AcceptLanguage(t *testing.T) {
	for _, languages := range []string{"", "de", "de-CH, en;q=0.8,*;q=0.05", "sr-Latn , hy ; Q=1.000", "x;q=0."} {
		var sent []string
		c, base := serve(t, Config{AcceptLanguage: languages}, map[string]http.HandlerFunc{
			"/": func(_ http.ResponseWriter, r *http.Request) { sent = r.Header.Values("Accept-Language") },
		})
		_, err := c.Get(t.Context(), Request{URL: base + "/"})
		if err != nil || strings.Join(sent, "|") != languages || (len(sent) == 0) != (languages == "") {
			t.Errorf("%q: sent %q, %v", languages, sent, err)
		}
	}
	for _, languages := range []string{",", "de,", "de;q=2", "de;q=0.1234", "de;q=1.1", "germanlanguage", "de_DE",
		"de\r\nX: y", "*-CH", "1a", strings.Repeat("de,", 100) + "de", "de;level=1"} {
		if _, err := New(Config{AcceptLanguage: languages}); fault.FieldOf(err) != "AcceptLanguage" {
			t.Errorf("%q: %v", languages, err)
		}
	}
}

func TestStatusIsNoError(t *testing.T) {
	c, base := serve(t, Config{Now: func() time.Time { return now }}, map[string]http.HandlerFunc{
		"/{status}": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "120")
			var status int
			for _, digit := range r.PathValue("status") {
				status = status*10 + int(digit-'0')
			}
			w.WriteHeader(status)
		},
	})
	for _, status := range []string{"204", "300", "301", "401", "403", "404", "410", "429", "500", "503", "599"} {
		res, err := c.Get(t.Context(), Request{URL: base + "/" + status})
		if err != nil {
			t.Errorf("%s: %v", status, err)
		}
		if res.RetryAfter != 2*time.Minute || len(res.Redirects) != 0 {
			t.Errorf("%s: have %+v", status, res)
		}
	}
}

func TestHead(t *testing.T) { // A8
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"HEAD /page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "123456789012")
			w.Header().Set("Content-Encoding", "gzip")
		},
	})
	res, err := c.Get(t.Context(), Request{URL: base + "/page", Head: true})
	if err != nil || res.Header.Get("Content-Length") != "123456789012" || res.Body != nil {
		t.Errorf("have %+v, %v", res, err)
	}
}

func TestConditional(t *testing.T) { // A8
	conditional := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `W/"1"` || r.Header.Get("If-Modified-Since") == "Sat, 21 Nov 2026 12:00:00 GMT" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, "new")
	}
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/page": conditional,
		"/old":  http.RedirectHandler("/page", 301).ServeHTTP,
		"/rude": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) },
	})
	for _, tc := range []struct {
		name    string
		request Request
		want    bool
	}{
		{"without validators", Request{URL: "/page"}, false},
		{"by etag", Request{URL: "/page", ETag: `W/"1"`}, true},
		{"by date", Request{URL: "/page", LastModified: "Sat, 21 Nov 2026 12:00:00 GMT"}, true},
		{"by another etag", Request{URL: "/page", ETag: `"2"`}, false},
		{"behind a redirect", Request{URL: "/old", ETag: `W/"1"`}, true},
		{"for the final url", Request{URL: "/old", ETag: `W/"1"`, ValidFor: base + "/page"}, true},
		{"for another url", Request{URL: "/old", ETag: `W/"1"`, ValidFor: base + "/elsewhere"}, false},
		{"an etag that cannot be sent", Request{URL: "/page", ETag: "\"1\"\r\nX: y"}, false},
		{"by head", Request{URL: "/page", ETag: `W/"1"`, Head: true}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.request.URL = base + tc.request.URL
			res, err := c.Get(t.Context(), tc.request)
			if err != nil || res.NotModified != tc.want || res.NotModified && res.Body != nil {
				t.Errorf("have %v, %q, %v, want %v", res.NotModified, res.Body, err, tc.want)
			}
		})
	}
	_, err := c.Get(t.Context(), Request{URL: base + "/rude"})
	wantKind(t, err, fault.Unavailable, "304 without condition")
	_, err = c.Get(t.Context(), Request{URL: base + "/rude", ETag: "\x00"})
	wantKind(t, err, fault.Unavailable, "304 without condition")
	_, err = c.Get(t.Context(), Request{URL: base + "/rude", ETag: `"1"`, ValidFor: base + "/page"})
	wantKind(t, err, fault.Unavailable, "304 without condition")
}

func TestBodyBounds(t *testing.T) {
	page := strings.Repeat("x", 1000)
	c, base := serve(t, Config{MaxBytes: 1000}, map[string]http.HandlerFunc{
		"/fits":   text(page),
		"/over":   text(page + "y"),
		"/stream": func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush(); io.WriteString(w, page+"y") },
	})
	if res, err := c.Get(t.Context(), Request{URL: base + "/fits"}); err != nil || len(res.Body) != 1000 {
		t.Errorf("have %d bytes, %v", len(res.Body), err)
	}
	for _, path := range []string{"/over", "/stream"} {
		res, err := c.Get(t.Context(), Request{URL: base + path})
		wantKind(t, err, fault.TooLarge, "at most 1000")
		if res.Body != nil {
			t.Errorf("%s: a part of the body is returned", path)
		}
		if _, err := c.Get(t.Context(), Request{URL: base + path, MaxBytes: 1001}); err != nil {
			t.Errorf("%s: the request's own bound does not hold: %v", path, err)
		}
	}
}

func TestContextEnds(t *testing.T) {
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/slow": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := c.Get(ctx, Request{URL: base + "/slow"})
	wantKind(t, err, fault.Unavailable, "")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's deadline is not the cause: %v", err)
	}
}

func TestNew(t *testing.T) {
	for _, tc := range []struct {
		field string
		cfg   Config
	}{
		{"UserAgent", Config{UserAgent: "/1.0"}},
		{"UserAgent", Config{UserAgent: "Tidemark\r\nX: y"}},
		{"Contact", Config{Contact: "a\nb"}},
		{"Contact", Config{Contact: "a) b"}},
		{"MaxBytes", Config{MaxBytes: -1}},
		{"MaxBytes", Config{MaxBytes: maxMaxBytes + 1}},
		{"Timeout", Config{Timeout: -1}},
		{"MaxRedirects", Config{MaxRedirects: 21}},
		{"AllowHosts", Config{AllowHosts: []string{"*"}}},
		{"AllowHosts", Config{AllowHosts: []string{"ok.example", ""}}},
		{"AllowHosts", Config{AllowHosts: []string{"http://a.example"}}},
		{"AllowHosts", Config{AllowHosts: []string{"a.example:99999"}}},
		{"AllowHosts", Config{AllowHosts: []string{"10.0.0.0/99"}}},
		{"AllowHosts", Config{AllowHosts: []string{"fe80::1%eth0"}}},
	} {
		if _, err := New(tc.cfg); !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != tc.field {
			t.Errorf("New(%+v): have %v, want an error about %s", tc.cfg, err, tc.field)
		}
	}
	if got := newClient(t, Config{UserAgent: "My-Bot/2 (x)", Contact: "c"}).ProductToken(); got != "My-Bot" {
		t.Errorf("ProductToken() = %q", got)
	}
}

func TestRetryAfter(t *testing.T) { // A13
	for value, want := range map[string]time.Duration{
		"":                                 0,
		"0":                                0,
		"120":                              2 * time.Minute,
		"999999999":                        maxRetryAfter,
		"99999999999999999999":             maxRetryAfter,
		"-5":                               0,
		"1.5":                              1500 * time.Millisecond, // X10, and those below
		" 120 ":                            2 * time.Minute,
		"1.2.3":                            0,
		"Sat, 21 Nov 2026 12:01:00 +0000":  time.Minute,
		"Sat, 21 Nov 2026 13:01:00 +0100":  time.Minute,
		"2026-11-21T12:01:00Z":             time.Minute,
		"2026-11-21T13:01:00+01:00":        time.Minute,
		"2026-11-21 12:01:00":              time.Minute,
		"soon":                             0,
		"120s":                             2 * time.Minute,
		"120 seconds":                      2 * time.Minute,
		"2 minutes":                        2 * time.Minute,
		"1h":                               time.Hour,
		"120000ms":                         2 * time.Minute,
		"1 day":                            24 * time.Hour,
		"\"120\"":                          2 * time.Minute,
		"120, 120":                         2 * time.Minute,
		"120;":                             2 * time.Minute,
		"120x":                             0,
		"1e2":                              0,
		"-120s":                            0,
		"10:00":                            0,
		fmt.Sprint(now.Unix() + 60):        time.Minute,
		fmt.Sprint(now.UnixMilli() + 60e3): time.Minute,
		fmt.Sprint(now.Unix() - 60):        0,
		"Sat Nov 21 12:01:00 UTC 2026":     time.Minute,
		"Sat, 21 November 2026 12:01 GMT":  time.Minute,
		"Sat, 21 Nov 2026 13:01:00 CET":    time.Minute,
		"Sat Nov 21 2026 12:01:00 GMT+0000 (Coordinated Universal Time)": time.Minute,
		"Sat, 21 Nov 2026 12:01:00 GMT":                                  time.Minute,
		"Saturday, 21-Nov-26 12:01:00 GMT":                               time.Minute,
		"Sat Nov 21 12:01:00 2026":                                       time.Minute,
		"Sat, 21 Nov 2026 11:00:00 GMT":                                  0,
		"Sat, 21 Nov 2099 11:00:00 GMT":                                  maxRetryAfter,
	} {
		if got := RetryAfter(value, now); got != want {
			t.Errorf("RetryAfter(%q) = %v, want %v", value, got, want)
		}
	}
}

// FuzzX10RetryAfter checks that every value is within the bounds, that what surrounds it does not count, and that a
// later time leaves no longer pause.
func FuzzX10RetryAfter(f *testing.F) {
	for _, value := range []string{"120", "1.5", ".5 s", "2 minutes", "120, 60", "99999999999999999999", "1795694520000",
		"Sat, 21 Nov 2026 12:01:00 GMT", "2026-11-21T13:01:00+01:00", "Sat Nov 21 2026 12:01 GMT+0000 (x)", "1e9", "NaN"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		wait := RetryAfter(value, now)
		if wait < 0 || wait > maxRetryAfter {
			t.Errorf("%q is %v", value, wait)
		}
		if quoted := RetryAfter("\t\""+value+"\" ", now); quoted != wait {
			t.Errorf("%q in quotes is %v, not %v", value, quoted, wait)
		}
		if later := RetryAfter(value, now.Add(time.Hour)); later > wait {
			t.Errorf("%q is %v, and %v an hour later", value, wait, later)
		}
	})
}
