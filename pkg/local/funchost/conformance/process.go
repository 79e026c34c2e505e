package conformance

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startWithin is the time limit within which a handler must open its port. It is generous because test machines are
// busy; the host allows 30 s.
const startWithin = 20 * time.Second

// process is the handler under test.
type process struct {
	base   string
	client *http.Client
	limit  time.Duration
}

// startProcess runs the executable as a host would. The process is killed without notice when t ends.
func startProcess(t *testing.T, a app, o Options) *process {
	t.Helper()
	port := freePort(t)
	var out output
	cmd := exec.Command(a.executable)
	cmd.Dir = a.dir
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(append([]string{}, o.Env...),
		"FUNCTIONS_CUSTOMHANDLER_PORT="+port, "FUNCTIONS_HTTPWORKER_PORT="+port,
		"FUNCTIONS_CUSTOMHANDLER_WORKER_ID=conformance", "FUNCTIONS_HTTPWORKER_ID=conformance",
		"FUNCTIONS_APP_ROOT_PATH="+a.dir)
	if err := cmd.Start(); err != nil {
		t.Fatalf("start handler: %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("handler printed:\n%s", out.String())
		}
	})
	return &process{
		base: "http://127.0.0.1:" + port, limit: o.AnswerWithin,
		client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
}

// checkReady polls GET / as the host does. Only a refused connection means "not yet": once the port is open, the
// answer must arrive.
func (p *process) checkReady(t *testing.T, within time.Duration) {
	t.Helper()
	limit := p.limit
	p.limit = within
	defer func() { p.limit = limit }()
	for end := time.Now().Add(startWithin); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		got, err := p.do(http.MethodGet, "/", nil, false)
		if err == nil {
			t.Logf("ready: %d", got.Status)
			return
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("GET / on an open port: %v", err)
		}
	}
	t.Fatalf("port not open after %v", startWithin)
}

// do sends one request, whose body is chunked or has a Content-Length.
func (p *process) do(method, path string, body []byte, chunked bool) (Answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	if chunked {
		req.ContentLength = -1
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	req.Header.Set("X-Azure-Functions-InvocationId", "00000000-0000-0000-0000-000000000001")
	resp, err := p.client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<26))
	return Answer{Status: resp.StatusCode, Header: resp.Header, Body: b}, err
}

func (p *process) get(t *testing.T, path string) Answer {
	t.Helper()
	got, err := p.do(http.MethodGet, path, nil, false)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return got
}

// output collects the handler's output.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
