package fetch

import (
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// TestX6Locations checks that a Location is resolved as browsers resolve it (X6).
func TestX6Locations(t *testing.T) {
	for location, want := range map[string]string{
		`\new\place`:                  "/new/place",
		`..\b\c`:                      "/b/c",
		"\t/tab\t/line":               "/tab/line",
		"%2e%2e/up":                   "/up",
		"/dir/%2E%2E/%2e/x":           "/x",
		" /blanks ":                   "/blanks",
		"/fl\xf6te":                   "/fl%F6te",
		"/a?b=ü#c":                    "/a?b=%C3%BC",
		"/a?sig=1&sv=2&se=3&X-Amz-A=": "/a?sig=1&sv=2&se=3&X-Amz-A=",
		"http:/slash":                 "/slash",
		"///{host}/x":                 "/x",
		`\\{host}\x`:                  "/x",
		"http:{host}/x":               "/a/{host}/x",
		"http://u:p@{host}/x":         "/x",
		"http://@{host}/x":            "/x",
		`http://{host}\x`:             "/x",
	} {
		c, base := serve(t, Config{}, map[string]http.HandlerFunc{
			"/a/b": func(w http.ResponseWriter, r *http.Request) {
				to(302, strings.ReplaceAll(location, "{host}", r.Host))(w, r)
			},
			"/": func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "" {
					t.Errorf("%q: userinfo was sent", location)
				}
				io.WriteString(w, r.RequestURI)
			},
		})
		want = strings.ReplaceAll(want, "{host}", strings.TrimPrefix(base, "http://"))
		res, err := c.Get(t.Context(), Request{URL: base + "/a/b"})
		if err != nil || string(res.Body) != want {
			t.Errorf("%q: have %q, %v, want %q", location, res.Body, err, want)
		}
	}
}

// TestX6HostsOfLocations checks that the guard judges the address that a Location resolves to (X6).
func TestX6HostsOfLocations(t *testing.T) {
	for _, location := range []string{"http://2130706433/", "http://0x7f.1/", "http://%31%32%37.0.0.1/",
		"http://１２７.0.0.1/",
		`\\10.0.0.1\x`, "http:\\\\169.254.169.254/", "///0251.0376.0251.0376/", "http://[::ffff:7f00:1]/", "http://127。0。0。1/",
		"h\tttp://10.0.0.1/", "//u:p@10.0.0.1/"} {
		c, base := serve(t, Config{}, map[string]http.HandlerFunc{"/": to(302, location)})
		_, err := c.Get(t.Context(), Request{URL: base + "/"})
		wantKind(t, err, fault.Blocked, "redirect refused")
	}
}

// TestX9Cookies checks that cookies live within one chain of redirects, so that sites that set one and redirect can be
// read, and that they are bounded (X9).
func TestX9Cookies(t *testing.T) {
	visits := 0
	many := func(w http.ResponseWriter, r *http.Request) {
		for i := range 30 {
			http.SetCookie(w, &http.Cookie{Name: "c" + string(rune('a'+i)), Value: "x"})
		}
		http.Redirect(w, r, "/count", 302)
	}
	needs := func(next, else_ http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if _, err := r.Cookie("seen"); err == nil {
				next(w, r)
				return
			}
			else_(w, r)
		}
	}
	set := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
			next(w, r)
		}
	}
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/self":  needs(text("page"), set(to(302, "/self"))),
		"/bound": needs(text("page"), to(302, "/set")),
		"/set":   set(to(302, "/bound")),
		"/early": set(to(302, "/late")),
		"/late":  needs(text("page"), text("Please enable cookies")),
		"/twice": func(w http.ResponseWriter, r *http.Request) {
			if visits++; visits > 1 {
				io.WriteString(w, "page")
				return
			}
			to(302, "/twice")(w, r)
		},
		"/many": many,
		"/count": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, strings.Repeat("x", len(r.Cookies())))
		},
		"/large": func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "large", Value: strings.Repeat("x", maxCookieBytes)})
			to(302, "/count")(w, r)
		},
		"/endless": set(to(302, "/endless")),
	})
	for path, want := range map[string]string{"/self": "page", "/bound": "page", "/early": "page", "/twice": "page",
		"/late": "Please enable cookies", "/many": strings.Repeat("x", maxCookies), "/large": ""} {
		res, err := c.Get(t.Context(), Request{URL: base + path})
		if err != nil || string(res.Body) != want {
			t.Errorf("%s: have %q, %v", path, res.Body, err)
		}
	}
	_, err := c.Get(t.Context(), Request{URL: base + "/endless"})
	wantKind(t, err, fault.TooLarge, "too many redirects")
	res, err := c.Get(t.Context(), Request{URL: base + "/count", Secret: http.Header{"Cookie": {"own=1"}}})
	if err != nil || string(res.Body) != "x" {
		t.Errorf("a cookie of another chain was sent: %q, %v", res.Body, err)
	}
}

// TestX8Statuses checks which answers hold the whole content (X8).
func TestX8Statuses(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	for _, row := range []struct {
		status int
		header http.Header
		want   bool
	}{
		{200, header("Retry-After", "5"), true}, {203, nil, true}, {201, nil, true}, {202, nil, true}, {204, nil, false},
		{206, nil, false}, {206, header("Content-Range", "bytes 0-9/10"), true},
		{206, header("Content-Range", "bytes 0-8/10"), false}, {206, header("Content-Range", "bytes 1-9/10"), false},
		{206, header("Content-Range", "bytes 0-9/*"), false}, {202, header("Retry-After", "5"), false},
		{202, header("Refresh", "5"), false}, {202, header("Cf-Mitigated", "challenge"), false},
		{202, header("X-Amzn-Waf-Action", "challenge"), false}, {201, header("Location", "/x"), false}, {404, nil, false},
	} {
		if have := (Response{Status: row.status, Header: row.header}).OK(); have != row.want {
			t.Errorf("%d %v: %v", row.status, row.header, have)
		}
	}
}

// FuzzX6Locations checks that a location gives an address that the guard allows, without userinfo or fragment, which
// means itself; or an error.
func FuzzX6Locations(f *testing.F) {
	for _, location := range []string{`\new`, `..\b`, "http:/p", "///h/x", "http://u:p@h/", "//2130706433/", "/%2e%2e/x#f",
		"h\tttp://h/", "http://h:80x/", "?", "#", "https://[::ffff:7f00:1]/", "http://１２７.0.0.1/"} {
		f.Add(location)
	}
	c, err := New(Config{UserAgent: "x/1"})
	if err != nil {
		f.Fatal(err)
	}
	from, _ := url.Parse("https://port.example/a/b")
	f.Fuzz(func(t *testing.T, location string) {
		to, err := c.guard.resolve(from, location)
		if err != nil {
			return
		}
		if to.User != nil || to.Fragment != "" || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
			t.Errorf("%q is %q", location, to)
		}
		if addr, err := netip.ParseAddr(to.Hostname()); err == nil && (addr.IsPrivate() || addr.IsLoopback()) {
			t.Errorf("%q is %q", location, to)
		}
		if again, err := c.guard.resolve(from, to.String()); err != nil || again.String() != to.String() {
			t.Errorf("%q is %q, and that is %q, %v", location, to, again, err)
		}
	})
}
