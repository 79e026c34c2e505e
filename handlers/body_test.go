package handlers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// likeTheHost is a connection that sends a whole request before it reads the answer, as the Functions host does.
type likeTheHost struct {
	t *testing.T
	net.Conn
	*bufio.Reader
}

func newLikeTheHost(t *testing.T, h http.Handler) likeTheHost {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return likeTheHost{t, conn, bufio.NewReader(conn)}
}

// ask sends a request with these headers, and send bytes of its body.
func (c likeTheHost) ask(path, headers string, send int64) (status int, p api.Problem) {
	c.t.Helper()
	_, err := fmt.Fprintf(c.Conn, "POST %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", path, headers)
	must(c.t, err)
	if _, err := io.CopyN(c.Conn, spaces{}, send); err != nil {
		c.t.Fatalf("the handler does not take the body: %v", err)
	}
	if strings.Contains(headers, "chunked") {
		_, err = io.WriteString(c.Conn, "\r\n0\r\n\r\n")
		must(c.t, err)
	}
	resp, err := http.ReadResponse(c.Reader, nil)
	must(c.t, err)
	text, err := io.ReadAll(resp.Body)
	must(c.t, err)
	if ct := resp.Header.Get("Content-Type"); ct != api.ProblemType || json.Unmarshal(text, &p) != nil ||
		p.Status != resp.StatusCode {
		c.t.Errorf("%d %s %s", resp.StatusCode, ct, text)
	}
	return resp.StatusCode, p
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestS8TooLargeBodiesAreTakenAndRefused checks that a large body is received and refused. The host turns an unread
// body into an empty 500.
func TestS8TooLargeBodiesAreTakenAndRefused(t *testing.T) {
	length := func(n int64) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }
	const mega = 1 << 20
	c := newLikeTheHost(t, newRig(t)) // one connection for all requests: it stays open
	for _, tt := range []struct {
		name, path, headers string
		send                int64
		status              int
	}{
		{"nothing to speak of", "/api/normalize/email", length(10), 10, http.StatusBadRequest},
		{"to the limit", "/api/normalize/email", length(wire.MaxBody), wire.MaxBody, http.StatusBadRequest},
		{"one too many", "/api/normalize/email", length(wire.MaxBody + 1), wire.MaxBody + 1,
			http.StatusRequestEntityTooLarge},
		{"more than sockets hold", "/api/normalize/email", length(22 * mega), 22 * mega, http.StatusRequestEntityTooLarge},
		{"as much as the host takes", "/api/AddUrlDocument", length(hostMaxBody), hostMaxBody,
			http.StatusRequestEntityTooLarge},
		{"chunked", "/api/normalize/email", fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x", 22*mega), 22 * mega,
			http.StatusRequestEntityTooLarge},
		{"nobody reads it", "/api/nothing", length(22 * mega), 22 * mega, http.StatusNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.t = t
			status, p := c.ask(tt.path, tt.headers, tt.send)
			if status != tt.status || status == http.StatusRequestEntityTooLarge && !strings.Contains(p.Detail, "4194304") {
				t.Errorf("%d %s, want %d", status, p.Detail, tt.status)
			}
		})
	}
}

// TestS8BodiesThatStopAreAnswered checks that a body which never arrives does not hold an invocation until the host
// kills the process.
func TestS8BodiesThatStopAreAnswered(t *testing.T) {
	r := newRig(t)
	for path, want := range map[string]int{"/api/normalize/email": http.StatusBadRequest,
		"/api/nothing": http.StatusNotFound} {
		c := newLikeTheHost(t, New(Options{Open: r.open, BodyTime: 50 * time.Millisecond}))
		if status, p := c.ask(path, "Content-Length: 1000\r\n", 10); status != want || want == 400 &&
			!strings.Contains(p.Detail, "50ms") {
			t.Errorf("%s: %d %s, want %d", path, status, p.Detail, want)
		}
	}
}
