package devtools

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// browserOf answers calls as a browser does: echo returns its parameters, refuse is refused, and silence has no answer.
func browserOf(raw []byte) []byte {
	var m Message
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	out := Message{ID: m.ID, Session: m.Session}
	switch m.Method {
	case "echo":
		out.Result = m.Params
	case "refuse":
		out.Error = &CallError{Code: UnknownMethod, Message: "not here"}
	default:
		return nil
	}
	answer, _ := json.Marshal(out)
	return answer
}

// pair returns a pipe to a browser in this process, which answers until the pipe ends.
func pair(t *testing.T) (p *pipe, browser *os.File) {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	far := newPipe(theirIn, theirOut)
	go func() {
		for {
			raw, err := far.Receive()
			if err != nil {
				_ = theirOut.Close()
				return
			}
			if answer := browserOf(raw); answer != nil {
				_ = far.Send(answer)
			}
		}
	}()
	return newPipe(ourIn, ourOut), theirOut
}

// TestR1Calls checks calls, events, refusals and the end of a connection by pipe (R1).
func TestR1Calls(t *testing.T) {
	w, browser := pair(t)
	events := make(chan Message, 1)
	c := New(w, func(m Message) { events <- m })
	var out struct{ A string }
	if err := c.Call(t.Context(), "s", "echo", map[string]string{"A": strings.Repeat("ä", 1<<20)}, &out); err != nil ||
		len(out.A) != 2<<20 {
		t.Errorf("have %d bytes, %v", len(out.A), err)
	}
	var refused *CallError
	if err := c.Call(t.Context(), "", "refuse", nil, nil); !errors.As(err, &refused) || refused.Code != UnknownMethod {
		t.Errorf("have %v", err)
	}
	if _, err := browser.WriteString(`not JSON` + "\x00" + `{"method":"happened"}` + "\x00"); err != nil {
		t.Fatal(err)
	}
	if m := <-events; m.Method != "happened" {
		t.Errorf("have %+v", m)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Call(ctx, "", "silence", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("have %v", err)
	}
	p := c.Start("gone", "silence", nil)
	c.Abandon("gone")
	if err := p.Wait(t.Context(), nil); !errors.As(err, &refused) || refused.Code != UnknownSession {
		t.Errorf("have %v", err)
	}
	p = c.Start("", "silence", nil)
	_ = browser.Close()
	var lost *LostError
	if err := p.Wait(t.Context(), nil); !errors.As(err, &lost) || c.IsOpen() {
		t.Errorf("have %v", err)
	}
	if len(c.waiting) > 0 {
		t.Errorf("%d calls wait still", len(c.waiting))
	}
	_ = c.Close()
}

// TestR1LargeMessages checks that a message above the bound is passed over, and the next one read.
func TestR1LargeMessages(t *testing.T) {
	r, w := io.Pipe()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(out, r); _ = out.Close() }()
	p := newPipe(in, out)
	p.max = 3 << 20
	go func() {
		_, _ = io.WriteString(w, strings.Repeat("a", 5<<20)+"\x00"+"next"+"\x00")
		_ = w.Close()
	}()
	if _, err := p.Receive(); !errors.Is(err, errOversize) {
		t.Errorf("have %v", err)
	}
	if m, err := p.Receive(); string(m) != "next" || err != nil {
		t.Errorf("have %q, %v", m, err)
	}
	if _, err := p.Receive(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("have %v", err)
	}
}

// TestR1Sweep checks that what a killed process has left is removed, below its folder and in that for temporary files,
// and nothing of other folders (R1).
func TestR1Sweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ours, other := t.TempDir(), t.TempDir()
	var left []string
	for _, folder := range []string{ours, other} {
		for in, pattern := range map[string]string{folder: "chromium-", "": tempPattern(folder)} {
			made, err := os.MkdirTemp(in, pattern)
			if err == nil {
				err = os.WriteFile(filepath.Join(made, "SingletonSocket"), nil, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, made)
		}
	}
	Sweep(ours)
	for i, made := range left {
		if _, err := os.Stat(made); (err == nil) != (i >= 2) {
			t.Errorf("%s: %v", made, err)
		}
	}
}

// TestR1Endpoint checks that a browser elsewhere is found by its address, by its debugger's address, and by a name,
// which Chromium refuses in the Host header (R1).
func TestR1Endpoint(t *testing.T) {
	var mu sync.Mutex
	var hosts []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hosts = append(hosts, r.Host)
		mu.Unlock()
		if r.Host == "chrome.internal" {
			http.Error(w, "Host header is specified and is not an IP address or localhost.", 500)
			return
		}
		if r.URL.Path == "/json/version" {
			_, _ = io.WriteString(w, `{"webSocketDebuggerUrl": "ws://0.0.0.0/devtools/browser/1"}`)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil || r.URL.Path != "/devtools/browser/1" {
			return
		}
		for {
			_, raw, err := conn.Read(r.Context())
			if err != nil {
				return
			}
			_ = conn.Write(r.Context(), websocket.MessageText, browserOf(raw))
		}
	}))
	defer s.Close()
	debugger := "ws" + strings.TrimPrefix(s.URL, "http") + "/devtools/browser/1"
	for _, address := range []string{s.URL, s.URL + "/", debugger} {
		w, err := Dial(t.Context(), address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		c := New(w, func(Message) {})
		var out struct{ A string }
		if err := c.Call(t.Context(), "", "echo", map[string]string{"A": "b"}, &out); err != nil || out.A != "b" {
			t.Errorf("%s: %v", address, err)
		}
		_ = c.Close()
	}
	u, _ := url.Parse(s.URL)
	_, err := dialAs(t.Context(), *u, "chrome.internal")
	if err == nil || !strings.Contains(err.Error(), "Host header") {
		t.Errorf("a name is not refused: %v", err)
	}
	hosts = nil
	w, err := dialAs(t.Context(), *u, "localhost")
	if err != nil || len(hosts) != 2 || hosts[0] != "localhost" || hosts[1] != "localhost" {
		t.Fatalf("asked as %v: %v", hosts, err)
	}
	_ = w.Close()
	if _, err := Dial(t.Context(), "http://127.0.0.1:9"); err == nil {
		t.Error("nobody answers, and it is no error")
	}
	for _, bad := range []string{"", "chrome", "chrome:9222", "ftp://chrome/", "http://", "http://:9222", "http://a b/",
		"http://chrome:0", "http://chrome:99999"} {
		if CheckEndpoint(bad) == nil {
			t.Errorf("%q is taken for an address", bad)
		}
	}
}
