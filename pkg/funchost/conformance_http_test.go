package funchost

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestConformanceProxy(t *testing.T) {
	t.Parallel()
	t.Run("H28 request and response pass as they are", func(t *testing.T) {
		r := started(t, helloApp, withCall(func(int, call) reply {
			return reply{Status: 418, Header: map[string]string{"X-Answer": "yes", "Content-Type": "text/x"}, Body: "I am a teapot"}
		}))
		resp, body := r.request("POST", "/api/hello/b%2Fob?x=1&x=2&flag", "raw bytes \x00\xff", "Content-Encoding", "gzip", "User-Agent", "test/1", headerInvocation, "spoofed")
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
		if len(id) != 36 || c.Header.Get("X-Ms-Invocation-Id") != id || len(c.Header.Values(headerInvocation)) != 1 || c.Header.Get(headerVersion) == "" {
			t.Errorf("invocation headers %v", c.Header)
		}
		if !strings.HasPrefix(c.Host, "127.0.0.1:") || c.Header.Get("X-Forwarded-Host") != r.host.Addr() || c.Header.Get("X-Forwarded-Proto") != "http" || c.Header.Get("X-Forwarded-For") == "" {
			t.Errorf("host %s, headers %v", c.Host, c.Header)
		}
	})
	t.Run("H28 chunked request works", func(t *testing.T) {
		r := started(t, helloApp)
		resp, err := http.Post(r.url("/api/hello"), "text/plain", io.MultiReader(strings.NewReader("a"), strings.NewReader("b")))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if c := r.waitCalls(t, 1)[0]; string(c.Body) != "ab" || !c.Chunked {
			t.Errorf("have %q, chunked %v", c.Body, c.Chunked)
		}
	})
	t.Run("H28 events arrive before the end", func(t *testing.T) {
		r := started(t, helloApp, withCall(func(int, call) reply {
			return reply{Header: map[string]string{"Content-Type": "text/event-stream"}, Chunks: []string{"data: 1\n", "data: 2\n"}, Pause: time.Hour}
		}))
		// The second event never comes, so the first can be read only if it was not held back.
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
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
	})
	t.Run("H28 client that hangs up cancels the handler's request", func(t *testing.T) {
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
	})
	t.Run("functionTimeout kills the handler", func(t *testing.T) {
		r := started(t, helloApp, withCall(func(int, call) reply { return reply{Sleep: time.Minute} }),
			with(func(o *Options) { o.Timeout = 200 * time.Millisecond }))
		if resp, _ := r.request("GET", "/api/hello", ""); resp.StatusCode != 502 {
			t.Errorf("status %d, want 502", resp.StatusCode)
		}
		r.waitStarts(t, 2)
	})
	t.Run("cross-origin POST is refused while keys are off", func(t *testing.T) {
		r := started(t, helloApp)
		if resp, _ := r.request("POST", "/api/hello", "", "Origin", "https://evil.example"); resp.StatusCode != 403 {
			t.Errorf("status %d, want 403", resp.StatusCode)
		}
		if resp, _ := r.request("POST", "/api/hello", "", "Origin", "http://"+r.host.Addr()); resp.StatusCode != 200 {
			t.Errorf("same origin: status %d, want 200", resp.StatusCode)
		}
	})
	t.Run("body beyond the limit is refused", func(t *testing.T) {
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
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestConformanceEnvelope(t *testing.T) {
	t.Parallel()
	t.Run("H29 two outputs use the envelope even with proxying", func(t *testing.T) {
		r := started(t, orderApp)
		r.request("POST", "/api/order?x=1&x=2&code=secret", `{"sku":5}`, "Content-Type", "application/json", "X-Two", "a")
		c := r.waitCalls(t, 1)[0]
		if c.Method != "POST" || c.URI != "/Order" || c.Header.Get("X-Two") != "" {
			t.Errorf("have %s %s %v", c.Method, c.URI, c.Header)
		}
		e := c.envelope(t)
		var req httpRequest
		if err := json.Unmarshal(e.Data["req"], &req); err != nil {
			t.Fatal(err)
		}
		if req.Method != "POST" || req.Query["x"] != "1,2" || req.Headers["X-Two"][0] != "a" || req.Body == nil || *req.Body != `{"sku":5}` {
			t.Errorf("have %+v", req)
		}
		if want := "http://" + r.host.Addr() + "/api/order?x=1&x=2&code=secret"; req.Url != want {
			t.Errorf("have %s, want %s", req.Url, want)
		}
		for k, want := range map[string]string{"sku": `"\"5\""`, "x": `"\"1,2\""`, "code": ""} {
			if have := string(e.Metadata[k]); have != want {
				t.Errorf("metadata %s: have %s, want %s", k, have, want)
			}
		}
	})
	t.Run("H30 outputs become response and messages", func(t *testing.T) {
		r := started(t, orderApp, withCall(func(int, call) reply {
			return reply{Body: `{"outputs":{"RES":{"statusCode":201,"body":{"a":1},"headers":{"content-type":"application/json"}},"out":["m1","m2"]}}`}
		}))
		resp, body := r.request("POST", "/api/Order", "")
		if resp.StatusCode != 201 || body != "{\n  \"a\": 1\n}" || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("have %d %q %v", resp.StatusCode, body, resp.Header)
		}
		if diff := cmp.Diff([]string{"m1", "m2"}, r.bodies("outbox")); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("H30 failure is 500, empty, and sends nothing", func(t *testing.T) {
		r := started(t, orderApp, withCall(func(int, call) reply {
			return reply{Status: 500, Body: `{"Outputs":{"out":["m1"]}}`}
		}))
		if resp, body := r.request("POST", "/api/Order", ""); resp.StatusCode != 500 || body != "" {
			t.Errorf("have %d %q", resp.StatusCode, body)
		}
		if n := r.length("outbox"); n > 0 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestConformanceHTTPAnswers(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, result string
		binding      string
		status       int
		body         string
	}{
		{"status as text", `{"Outputs":{"res":{"status":"204"}}}`, "res", 204, ""},
		{"body text as it is", `{"Outputs":{"res":{"body":"hi"}}}`, "res", 200, "hi"},
		{"object in a string", `{"Outputs":{"res":"{\"body\":\"hi\"}"}}`, "res", 200, "hi"},
		{"H30 outputs without the binding", `{"Outputs":{}}`, "res", 200, "{}"},
		{"H30 no outputs", `{}`, "res", 200, ""},
		{"ReturnValue is spread", `{"ReturnValue":{"res":{"statusCode":202}}}`, "res", 202, ""},
		{"$return", `{"ReturnValue":{"statusCode":203}}`, "$return", 203, ""},
		{"$return text is the body", `{"ReturnValue":"hello, you"}`, "$return", 200, "hello, you"},
		{"plain text is refused", `{"Outputs":{"res":"hello"}}`, "res", 0, ""},
		{"status out of range is refused", `{"Outputs":{"res":{"status":99}}}`, "res", 0, ""},
		{"headers that are a list are refused", `{"Outputs":{"res":{"headers":[]}}}`, "res", 0, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			b := binding{name: row.binding, kind: httpOutput}
			f := &function{outputs: []binding{b}, http: &b}
			r, err := parseResult(200, "application/json", []byte(row.result))
			if err != nil {
				t.Fatal(err)
			}
			a, err := newHTTPAnswer(f, r)
			if row.status == 0 {
				if err == nil {
					t.Errorf("have %+v, want an error", a)
				}
				return
			}
			if err != nil || a.status != row.status || string(a.body) != row.body {
				t.Errorf("have %d %q (%v), want %d %q", a.status, a.body, err, row.status, row.body)
			}
		})
	}
}

func TestConformanceBody(t *testing.T) {
	t.Parallel()
	f := &function{name: "F", trigger: binding{name: "req"}}
	rows := []struct {
		name, media string
		length      int64
		want        string
	}{
		{"text", "text/plain", 2, "hi"},
		{"octet-stream is base64", "application/octet-stream", 2, "aGk="},
		{"multipart is base64", "multipart/form-data; boundary=x", 2, "aGk="},
		{"H12 chunked body is absent", "text/plain", -1, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r, _ := http.NewRequest("POST", "http://h/x", bytes.NewReader([]byte("hi")))
			r.Header.Set("Content-Type", row.media)
			r.ContentLength = row.length
			req := httpEnvelope(f, r, nil, []byte("hi"), time.Now()).Data["req"].(httpRequest)
			have := ""
			if req.Body != nil {
				have = *req.Body
			}
			if have != row.want {
				t.Errorf("have %q, want %q", have, row.want)
			}
		})
	}
}
