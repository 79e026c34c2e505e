package funchost

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestConformanceProxy(t *testing.T) {
	t.Parallel()
	t.Run("request and response pass as they are", proxyAsItIs)
	t.Run("compressed answer passes as it is", proxyCompressed)
	t.Run("chunked request works", proxyChunked)
	t.Run("events arrive before the end", proxyEvents)
	t.Run("client that hangs up cancels the handler's request", proxyHangUp)
	t.Run("functionTimeout kills the handler", proxyTimeout)
	t.Run("cross-origin POST is refused while keys are off", proxyCrossOrigin)
	t.Run("body beyond the limit is refused", proxyTooLarge)
}

func proxyAsItIs(t *testing.T) {
	r := started(t, helloApp, withCall(func(int, call) reply {
		return reply{Status: 418, Header: map[string]string{"X-Answer": "yes", "Content-Type": "text/x"},
			Body: "I am a teapot"}
	}))
	resp, body := r.request("POST", "/api/hello/b%2Fob?x=1&x=2&flag", "raw bytes \x00\xff", "Content-Encoding", "gzip",
		"User-Agent", "test/1", headerInvocation, "spoofed")
	if resp.StatusCode != 418 || body != "I am a teapot" || resp.Header.Get("X-Answer") != "yes" {
		t.Errorf("have %d %q %v", resp.StatusCode, body, resp.Header)
	}
	c := r.waitCalls(t, 1)[0]
	if c.URI != "/api/hello/b%2Fob?x=1&x=2&flag" || string(c.Body) != "raw bytes \x00\xff" {
		t.Errorf("have %s %q", c.URI, c.Body)
	}
	if c.Header.Get("Content-Encoding") != "gzip" || c.Header.Get("User-Agent") != "test/1" {
		t.Errorf("headers %v", c.Header)
	}
	id := c.Header.Get(headerInvocation)
	if len(id) != 36 || c.Header.Get("X-Ms-Invocation-Id") != id || len(c.Header.Values(headerInvocation)) != 1 ||
		c.Header.Get(headerVersion) == "" {
		t.Errorf("invocation headers %v", c.Header)
	}
	if !strings.HasPrefix(c.Host, "127.0.0.1:") || c.Header.Get("X-Forwarded-Host") != r.host.Addr() ||
		c.Header.Get("X-Forwarded-Proto") != "http" || !slices.Equal(c.Header.Values(forwardedFor), []string{"127.0.0.1"}) {
		t.Errorf("host %s, headers %v", c.Host, c.Header)
	}
}

// proxyCompressed checks that the handler learns what the client accepts, and that its answer is not decoded on the
// way.
func proxyCompressed(t *testing.T) {
	r := started(t, helloApp, withCall(func(_ int, c call) reply {
		return reply{Body: "packed for " + c.Header.Get("Accept-Encoding"),
			Header: map[string]string{"Content-Encoding": "gzip", "Vary": "Accept-Encoding", "ETag": `"1-gzip"`}}
	}))
	for _, accept := range []string{"gzip", "br;q=1, gzip;q=.5"} {
		resp, body := r.request("GET", "/api/hello", "", "Accept-Encoding", accept)
		if body != "packed for "+accept || resp.Header.Get("Content-Encoding") != "gzip" ||
			resp.Header.Get("Vary") != "Accept-Encoding" || resp.Header.Get("ETag") != `"1-gzip"` {
			t.Errorf("%q %v", body, resp.Header)
		}
	}
}

func proxyChunked(t *testing.T) {
	r := started(t, helloApp)
	resp, err := http.Post(r.url("/api/hello"), "text/plain",
		io.MultiReader(strings.NewReader("a"), strings.NewReader("b")))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if c := r.waitCalls(t, 1)[0]; string(c.Body) != "ab" || !c.Chunked {
		t.Errorf("have %q, chunked %v", c.Body, c.Chunked)
	}
}

func proxyEvents(t *testing.T) {
	r := started(t, helloApp, withCall(func(int, call) reply {
		return reply{Header: map[string]string{"Content-Type": "text/event-stream"},
			Chunks: []string{"data: 1\n", "data: 2\n"}, Pause: time.Hour}
	}))
	// The second event never comes, so the test reads the first only if it was passed on at once.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", r.url("/api/hello"), nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	line, err := bufio.NewReader(resp.Body).ReadString('\n')
	if line != "data: 1\n" || err != nil {
		t.Errorf("have %q, %v", line, err)
	}
}

func proxyHangUp(t *testing.T) {
	r := started(t, helloApp, withCall(func(int, call) reply { return reply{Sleep: time.Minute} }))
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "GET", r.url("/api/hello"), nil)
	go func() {
		r.waitCalls(t, 1)
		cancel()
	}()
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Error("want an error")
	}
	eventually(t, "the handler notices", func() bool { _, _, n := r.snapshot(); return n == 1 })
	if starts, _, _ := r.snapshot(); len(starts) != 1 {
		t.Error("handler was restarted")
	}
}

func proxyTimeout(t *testing.T) {
	r := started(t, helloApp, withCall(func(int, call) reply { return reply{Sleep: time.Minute} }),
		with(func(o *Options) { o.Timeout = 200 * time.Millisecond }))
	if resp, body := r.request("GET", "/api/hello", ""); resp.StatusCode != 500 || body != "" {
		t.Errorf("status %d %q, want 500 and nothing", resp.StatusCode, body)
	}
	r.waitStarts(t, 2)
}

func proxyCrossOrigin(t *testing.T) {
	r := started(t, helloApp)
	if resp, _ := r.request("POST", "/api/hello", "", "Origin", "https://evil.example"); resp.StatusCode != 403 {
		t.Errorf("status %d, want 403", resp.StatusCode)
	}
	if resp, _ := r.request("POST", "/api/hello", "", "Origin", "http://"+r.host.Addr()); resp.StatusCode != 200 {
		t.Errorf("same origin: status %d, want 200", resp.StatusCode)
	}
}

func proxyTooLarge(t *testing.T) {
	r := started(t, helloApp)
	req, _ := http.NewRequest("POST", r.url("/api/hello"), io.LimitReader(zeros{}, maxBody+1))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 413 {
		t.Errorf("status %d, want 413", resp.StatusCode)
	}
}

// The real host sends a body to its end before it reads the answer, and fails if it cannot.
func TestS8BodyThatIsNotTakenFails(t *testing.T) {
	t.Parallel()
	r := started(t, helloApp, withStart(func(int) startOrder { return startOrder{Deaf: true} }))
	for _, size := range []int64{100, 22 << 20} {
		for name, body := range map[string]io.Reader{"chunked": io.LimitReader(zeros{}, size),
			"length": bytes.NewReader(make([]byte, size))} {
			resp, err := http.Post(r.url("/api/hello"), "text/plain", body)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			want, wantText := 413, "too large"
			if size > 1<<20 {
				want, wantText = 500, ""
			}
			if resp.StatusCode != want || string(text) != wantText {
				t.Errorf("%s, %d bytes: have %d %q, want %d", name, size, resp.StatusCode, text, want)
			}
		}
	}
	if !r.log.has("invocation failed", "body was not taken") {
		t.Error("the log does not say why")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
