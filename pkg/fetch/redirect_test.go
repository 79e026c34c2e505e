package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// to returns a handler that redirects to location, unchanged.
func to(status int, location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Location"] = []string{location}
		w.WriteHeader(status)
		io.WriteString(w, "moved")
	}
}

func TestRedirectChain(t *testing.T) { // A8
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/a":     to(301, "/b"),
		"/b":     to(308, "dir/c?x=1#frag"),
		"/dir/c": text("end"),
		"/t":     to(302, "/b"),
		"/s":     to(303, "../b"),
		"/u":     to(307, "/ä b%zz"),
	})
	res, err := c.Get(t.Context(), Request{URL: base + "/a"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Redirect{
		{URL: base + "/a", Status: 301, Location: base + "/b"},
		{URL: base + "/b", Status: 308, Location: base + "/dir/c?x=1"},
	}
	if diff := cmp.Diff(want, res.Redirects); diff != "" {
		t.Error(diff)
	}
	if res.FinalURL != base+"/dir/c?x=1" || !res.Permanent || string(res.Body) != "end" {
		t.Errorf("have %+v", res)
	}
	for _, path := range []string{"/t", "/s"} {
		if res, err := c.Get(t.Context(), Request{URL: base + path}); err != nil || res.Permanent ||
			string(res.Body) != "end" {
			t.Errorf("%s: have %+v, %v", path, res, err)
		}
	}
	if res, err := c.Get(t.Context(), Request{URL: base + "/u"}); err != nil || res.FinalURL != base+"/%C3%A4%20b%25zz" {
		t.Errorf("have %s, %v", res.FinalURL, err)
	}
}

func TestRedirectsEnd(t *testing.T) {
	c, base := serve(t, Config{MaxRedirects: 3}, map[string]http.HandlerFunc{
		"/n/{n}": func(w http.ResponseWriter, r *http.Request) {
			var n int
			fmt.Sscan(r.PathValue("n"), &n)
			if n == 0 {
				io.WriteString(w, "end")
				return
			}
			http.Redirect(w, r, fmt.Sprint("/n/", n-1), http.StatusFound)
		},
		"/self":  to(302, "/self#again"),
		"/ping":  to(302, "/pong"),
		"/pong":  to(302, "/ping"),
		"/empty": to(302, ""),
	})
	if res, err := c.Get(t.Context(), Request{URL: base + "/n/3"}); err != nil || len(res.Redirects) != 3 {
		t.Errorf("have %+v, %v", res, err)
	}
	res, err := c.Get(t.Context(), Request{URL: base + "/n/4"})
	wantKind(t, err, fault.TooLarge, "more than 3")
	if len(res.Redirects) != 4 || res.FinalURL != base+"/n/1" {
		t.Errorf("the chain is not told: %+v", res)
	}
	for _, path := range []string{"/self", "/ping"} {
		_, err := c.Get(t.Context(), Request{URL: base + path})
		wantKind(t, err, fault.TooLarge, "a loop")
	}
	if res, err := c.Get(t.Context(), Request{URL: base + "/empty"}); err != nil || res.Status != 302 ||
		string(res.Body) != "moved" {
		t.Errorf("a redirect without a location: have %+v, %v", res, err)
	}
}

func TestRedirectsToRefusedPlaces(t *testing.T) {
	hit := false
	_, secret := serve(t, Config{}, map[string]http.HandlerFunc{"/": func(http.ResponseWriter,
		*http.Request) {
		hit = true
	}})
	for name, location := range map[string]string{
		"another port of this machine": secret + "/",
		"loopback by name":             "http://localhost/",
		"loopback in six":              "http://[::1]/",
		"loopback mapped":              "http://[::ffff:127.0.0.1]/",
		"metadata":                     "http://169.254.169.254/metadata/instance",
		"the host agent":               "http://168.63.129.16/machine",
		"a private network":            "http://10.0.0.1/",
		"another port":                 "http://site.example:22/",
		"another scheme":               "file:///etc/passwd",
		"a script":                     "javascript:alert(1)",
		"userinfo":                     "http://user:hunter2@10.0.0.1/",
		"no host":                      "http://",
		"garbage":                      "http://[::1",
		"a location without end":       "/" + strings.Repeat("x", maxURL),
	} {
		t.Run(name, func(t *testing.T) {
			c, base := serve(t, Config{}, map[string]http.HandlerFunc{"/": to(302, location)})
			res, err := c.Get(t.Context(), Request{URL: base + "/"})
			wantKind(t, err, fault.Blocked, "")
			if strings.Contains(fmt.Sprint(err, res.Redirects), "hunter2") {
				t.Errorf("a password is told: %v %v", err, res.Redirects)
			}
			if len(res.Redirects) != 1 {
				t.Errorf("the step is not recorded: %+v", res)
			}
		})
	}
	if hit {
		t.Error("a refused server was reached")
	}
}

func TestGateIsAskedBeforeEveryRedirect(t *testing.T) {
	other := "" // the same server under another name
	c, base := serve(t, Config{AllowHosts: []string{"localhost"}}, map[string]http.HandlerFunc{
		"/a":   func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/b", 302) },
		"/b":   func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other+"/end", 302) },
		"/end": text("end"),
	})
	other = strings.Replace(base, "127.0.0.1", "localhost", 1)
	var asked []string
	gate := func(_ context.Context, target string) error {
		asked = append(asked, target)
		return nil
	}
	if _, err := c.Get(t.Context(), Request{URL: base + "/a", Gate: gate}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{base + "/b", other + "/end"}, asked); diff != "" {
		t.Error(diff)
	}
	closed := func(_ context.Context, target string) error {
		if strings.HasPrefix(target, base) {
			return nil
		}
		return fault.After(5, "host is paused")
	}
	res, err := c.Get(t.Context(), Request{URL: base + "/a", Gate: closed})
	wantKind(t, err, fault.Throttled, "host is paused")
	if fault.RetryAfter(err) != 5 || len(res.Redirects) != 2 {
		t.Errorf("have %v, %+v", err, res)
	}
}

func TestCredentialsStayWithTheirOrigin(t *testing.T) {
	var got []string
	note := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			got = append(got, r.Host[:9]+" "+r.Header.Get("Authorization")+r.Header.Get("Cookie"))
			w.Header().Set("Set-Cookie", "session=1; Path=/")
			next(w, r)
		}
	}
	here, there := "", ""
	c, base := serve(t, Config{AllowHosts: []string{"localhost"}}, map[string]http.HandlerFunc{
		"/a": note(to(302, "/b")),
		"/b": note(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, there+"/c", 302) }),
		"/c": note(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, here+"/d", 302) }),
		"/d": note(text("end")),
	})
	here, there = base, strings.Replace(base, "127.0.0.1", "localhost", 1)
	if _, err := c.Get(t.Context(), Request{URL: base + "/a",
		Secret: http.Header{"Authorization": {"Bearer x"}}}); err != nil {
		t.Fatal(err)
	}
	want := []string{"127.0.0.1 Bearer x", "127.0.0.1 Bearer xsession=1", "localhost ", "127.0.0.1 session=1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
