package funchost

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// slowly sends a request whose Content-Length is size, one part after the other, and reads the answer.
func (r *rig) slowly(path string, size int, pause time.Duration, parts ...int) (int, string) {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.host.Addr())
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(2 * time.Minute))
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", path, size)
	for _, n := range parts {
		conn.Write(bytes.Repeat([]byte(" "), n))
		time.Sleep(pause)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		r.t.Fatalf("%s: %v", path, err)
	}
	text, _ := io.ReadAll(resp.Body)
	var p api.Problem
	if resp.StatusCode >= 400 && (resp.Header.Get("Content-Type") != api.ProblemType || json.Unmarshal(text, &p) != nil ||
		p.Status != resp.StatusCode) {
		r.t.Errorf("%s: %d %v %s", path, resp.StatusCode, resp.Header, text)
	}
	return resp.StatusCode, string(text)
}

// A body that stalls must not hold its connection; one that keeps moving is accepted.
func TestS5HalfSentBodiesAreAnswered(t *testing.T) {
	t.Parallel()
	r := started(t, helloApp, with(func(o *Options) { o.BodyIdle = 500 * time.Millisecond }))
	for path, want := range map[string]int{
		"/api/hello": 408, "/admin/functions/Hello": 408, "/api/nothing": 404, "/admin/nothing": 404,
	} {
		if have, text := r.slowly(path, 1000, 0, 10); have != want {
			t.Errorf("%s: %d %s, want %d", path, have, text, want)
		}
	}
	slow := make([]int, 15)
	for i := range slow {
		slow[i] = 1000
	}
	if have, text := r.slowly("/api/hello", 15000, 60*time.Millisecond, slow...); have != 200 {
		t.Errorf("slow but moving: %d %s", have, text)
	}
}

func TestS5Patience(t *testing.T) {
	t.Parallel()
	const idle = 30 * time.Second
	for _, tt := range []struct {
		name   string
		read   int64
		waited time.Duration
		want   time.Duration
	}{
		{"at first", 0, 0, idle},
		{"nothing came", 0, 20 * time.Second, 10 * time.Second},
		{"a trickle", 240, 30 * time.Second, time.Second},
		{"a trickle for too long", 240, time.Minute, -29 * time.Second},
		{"100 MB at 1 MB a second", 100 << 20, 100 * time.Second, idle},
	} {
		if have := patience(idle, tt.read, tt.waited); have != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, have, tt.want)
		}
	}
}

// Errors of the host itself have the same form as those of the app (RFC 9457).
func TestS5HostsRefusalsAreProblems(t *testing.T) {
	t.Parallel()
	r := started(t, helloApp)
	for _, tt := range []struct {
		method, path string
		header       []string
		status       int
	}{
		{"POST", "/api/hello", []string{"Origin", "https://evil.example"}, 403},
		{"GET", "/api/nothing", nil, 404},
		{"DELETE", "/api/hello", nil, 404},
		{"GET", "/admin/nothing", nil, 404},
		{"GET", "/admin/host/nothing", nil, 404},
		{"GET", "/admin/functions/Nothing", nil, 404},
		{"DELETE", "/admin/functions/Hello", nil, 404},
	} {
		resp, text := r.request(tt.method, tt.path, "", tt.header...)
		var p api.Problem
		if resp.StatusCode != tt.status || resp.Header.Get("Content-Type") != api.ProblemType ||
			json.Unmarshal([]byte(text), &p) != nil || p.Status != tt.status || p.Detail == "" {
			t.Errorf("%s %s: %d %v %s", tt.method, tt.path, resp.StatusCode, resp.Header, text)
		}
	}
}
