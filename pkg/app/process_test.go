package app

import (
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// role is an environment variable that makes the test's executable the handler, or a host that starts a handler and
// prints its process id.
const role = "TIDEMARK_TEST_ROLE"

// playRole runs the role that the environment gives this process. It reports whether there was one.
func playRole() bool {
	switch os.Getenv(role) {
	case "handler":
		Serve(NoExport)
	case "host":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), role+"=handler")
		if err := cmd.Start(); err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString(strconv.Itoa(cmd.Process.Pid) + "\n")
		time.Sleep(time.Hour)
	default:
		return false
	}
	return true
}

// process is a command that runs the test's executable in a role, with a port for the handler.
func process(t *testing.T, as string) (cmd *exec.Cmd, port string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+as, "STORAGE=embedded", "TIDEMARK_DATA="+t.TempDir(),
		"FUNCTIONS_CUSTOMHANDLER_PORT="+port)
	return cmd, port
}

// answers waits until the handler answers or, if want is false, until it does not.
func answers(t *testing.T, port string, want bool) {
	t.Helper()
	for range 600 {
		resp, err := http.Get("http://127.0.0.1:" + port + "/")
		if err == nil {
			_ = resp.Body.Close()
		}
		if (err == nil) == want {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the handler answers: still not %t", want)
}

// The host restarts a handler that ended with any code but 0, and counts a crash unless the code is 200.
func TestS9StopEndsWithTheCodeForAnotherStart(t *testing.T) {
	for _, signal := range stopSignals {
		cmd, port := process(t, "handler")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		answers(t, port, true)
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		exit, ok := errors.AsType[*exec.ExitError](cmd.Wait())
		if !ok || exit.ExitCode() != 200 {
			t.Errorf("%v: it ended with %v, want 200", signal, exit)
		}
	}
}

// A handler whose host was killed ends by itself, because nothing else would end it.
func TestS9HandlerEndsWithItsHost(t *testing.T) {
	host, port := process(t, "host")
	said, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 20)
	n, err := said.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	answers(t, port, true)
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait()
	t.Cleanup(func() {
		if t.Failed() {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
	})
	answers(t, port, false)
}

// The process answers its host only, and only on loopback.
func TestS4ProcessAnswersItsHostAlone(t *testing.T) {
	cmd, port := process(t, "handler")
	cmd.Env = append(cmd.Env, api.HostSecretVar+"=known to the host")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	answers(t, port, true)
	for _, tt := range []struct {
		host, secret string
		status       int
	}{{"127.0.0.1:" + port, "known to the host", 200}, {"127.0.0.1:" + port, "", 403}, {"evil.example:" + port,
		"known to the host", 421}} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1:"+port+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		req.Header.Set(api.HostSecretHeader, tt.secret)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tt.status {
			t.Errorf("host %s, secret %q: %d, want %d", tt.host, tt.secret, resp.StatusCode, tt.status)
		}
	}
}
