package fetch

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/robots"
)

func TestRobots(t *testing.T) { // A11
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/robots.txt": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("ETag", `"1"`)
			w.Header().Set("Last-Modified", "Sat, 21 Nov 2026 12:00:00 GMT")
			w.Header()["Cache-Control"] = []string{"public", "max-age=600"}
			w.Write([]byte("User-agent: *\nDisallow: /a"))
		},
	})
	want := robots.Reply{
		Status: 200, Body: []byte("User-agent: *\nDisallow: /a"), ETag: `"1"`,
		LastModified: "Sat, 21 Nov 2026 12:00:00 GMT", CacheControl: "public,max-age=600",
	}
	for _, origin := range []string{base, base + "/", base + "/a/b?c#d"} {
		got, err := c.Robots(t.Context(), RobotsRequest{Origin: origin})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", origin, diff)
		}
	}
	if got, err := c.Robots(t.Context(), RobotsRequest{Origin: base, ETag: `"1"`}); err != nil || got.Status != 304 ||
		got.Failed {
		t.Errorf("have %+v, %v, want 304", got, err)
	}
}

// TestRobotsVerdicts checks that a failure to get robots.txt is a reply with the meaning of RFC 9309 §2.3.1.
func TestRobotsVerdicts(t *testing.T) {
	rules := "User-agent: *\nDisallow: /a\n"
	huge := rules + strings.Repeat("# a comment of some length\n", 100_000)
	for _, tc := range []struct {
		name  string
		paths map[string]http.HandlerFunc
		want  robots.Verdict
	}{
		{"found", map[string]http.HandlerFunc{"/robots.txt": text(rules)}, robots.UseBody},
		{"missing", nil, robots.AllowAll},
		{"forbidden", map[string]http.HandlerFunc{"/robots.txt": status(403)}, robots.AllowAll},
		{"overrun", map[string]http.HandlerFunc{"/robots.txt": status(429)}, robots.DisallowAll},
		{"down", map[string]http.HandlerFunc{"/robots.txt": status(503)}, robots.DisallowAll},
		{"five redirects", chain(5, rules), robots.UseBody},
		{"six redirects", chain(6, rules), robots.AllowAll},
		{"a loop", map[string]http.HandlerFunc{"/robots.txt": to(301, "/robots.txt")}, robots.AllowAll},
		{"a redirect without a target", map[string]http.HandlerFunc{"/robots.txt": to(302, "")}, robots.AllowAll},
		{"a redirect into the private network", map[string]http.HandlerFunc{"/robots.txt": to(302,
			"http://10.0.0.1/robots.txt")}, robots.DisallowAll},
		{"a broken body", map[string]http.HandlerFunc{"/robots.txt": truncated}, robots.DisallowAll},
		{"broken gzip", map[string]http.HandlerFunc{"/robots.txt": coded("gzip", encode("gzip", []byte(rules))[:20])},
			robots.DisallowAll},
		{"an unknown encoding", map[string]http.HandlerFunc{"/robots.txt": coded("tide", zeros("raw", 999))},
			robots.DisallowAll},
		{"an unknown encoding over text", map[string]http.HandlerFunc{"/robots.txt": coded("UTF-8", []byte(rules))},
			robots.UseBody},
		{"gzip called by another name", map[string]http.HandlerFunc{"/robots.txt": coded("UTF-8",
			encode("gzip", []byte(rules)))}, robots.UseBody},
		{"gzip that is not declared", map[string]http.HandlerFunc{"/robots.txt": coded("", encode("gzip", []byte(rules)))},
			robots.UseBody},
		{"304 without being asked", map[string]http.HandlerFunc{"/robots.txt": status(304)}, robots.DisallowAll},
		{"more than is read", map[string]http.HandlerFunc{"/robots.txt": text(huge)}, robots.UseBody},
		{"more than is read, packed", map[string]http.HandlerFunc{"/robots.txt": coded("gzip", encode("gzip", []byte(huge)))},
			robots.UseBody},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, base := serve(t, Config{MaxRedirects: 1}, tc.paths)
			reply, err := c.Robots(t.Context(), RobotsRequest{Origin: base})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := robots.Decide(reply, robots.State{}, now)
			if got.Verdict != tc.want || (reply.Failed || reply.TooManyRedirects) != (reply.Problem != "") {
				t.Errorf("have %s (%s, %s), want %s", got.Verdict, got.Reason, reply.Problem, tc.want)
			}
			if got.Verdict == robots.UseBody && (len(reply.Body) > robotsBytes || robots.Parse(reply.Body).Allowed("x", "/a")) {
				t.Errorf("the body of %d bytes does not hold the rules", len(reply.Body))
			}
		})
	}
}

// TestRobotsCutOnTheWire checks that an incompressible body is cut on the wire, and that the part that can be decoded
// is used.
func TestRobotsCutOnTheWire(t *testing.T) {
	var file strings.Builder
	file.WriteString("User-agent: *\nDisallow: /a\n")
	for i := range uint64(80_000) {
		fmt.Fprintf(&file, "# %016x\n", i*0x9E3779B97F4A7C15)
	}
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{"/robots.txt": coded("gzip",
		encode("gzip", []byte(file.String())))})
	reply, err := c.Robots(t.Context(), RobotsRequest{Origin: base})
	if err != nil || reply.Failed || robots.Parse(reply.Body).Allowed("x", "/a") {
		t.Errorf("have %d bytes, %q, %v", len(reply.Body), reply.Problem, err)
	}
}

func TestRobotsErrors(t *testing.T) {
	c, base := serve(t, Config{}, map[string]http.HandlerFunc{
		"/robots.txt": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	})
	_, err := c.Robots(t.Context(), RobotsRequest{Origin: "ftp://site.example"})
	wantKind(t, err, fault.Blocked, "scheme")
	_, err = c.Robots(t.Context(), RobotsRequest{Origin: "site.example"})
	wantKind(t, err, fault.Invalid, "scheme")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = c.Robots(ctx, RobotsRequest{Origin: base})
	wantKind(t, err, fault.Unavailable, "robots.txt")
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func coded(encoding string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		w.Write(body)
	}
}

func truncated(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	w.Write([]byte("User-agent: *\n"))
}

// chain redirects from /robots.txt to the rules in n steps.
func chain(n int, rules string) map[string]http.HandlerFunc {
	paths := map[string]http.HandlerFunc{}
	from := "/robots.txt"
	for i := range n {
		next := fmt.Sprintf("/step/%d", i)
		paths[from] = to(302, next)
		from = next
	}
	paths[from] = text(rules)
	return paths
}
