package funchost

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

func TestConformanceProcess(t *testing.T) {
	t.Parallel()
	t.Run("environment and directory, no arguments", func(t *testing.T) {
		r := started(t, queueApp)
		s := r.waitStarts(t, 1)[0]
		root, _ := filepath.EvalSymlinks(r.host.opt.AppDir)
		if s.Dir != root || len(s.Args) != 0 {
			t.Errorf("directory: have %s, want %s; arguments %q", s.Dir, root, s.Args)
		}
		checkHandlerEnv(t, newEnviron(s.Env), r.host.opt.AppDir)
	})
	t.Run("any status means ready", func(t *testing.T) {
		started(t, queueApp, withStart(func(int) startOrder { return startOrder{Root: 500} }))
	})
	t.Run("silence counts as a crash", func(t *testing.T) {
		r := newRig(t, queueApp, withStart(func(int) startOrder { return startOrder{Mute: true} }),
			with(func(o *Options) { o.InitTimeout = 150 * time.Millisecond }))
		<-r.done
		if starts, _, _ := r.snapshot(); len(starts) > 3 || !fault.Is(r.err, fault.Unavailable) {
			t.Errorf("%d starts, error %v", len(starts), r.err)
		}
	})
	t.Run("third crash stops the host", func(t *testing.T) {
		r := newRig(t, queueApp, withStart(func(int) startOrder { return startOrder{Exit: ptr(3), Stderr: "boom\n"} }))
		<-r.done
		if starts, _, _ := r.snapshot(); len(starts) != 3 {
			t.Errorf("%d starts, want 3", len(starts))
		}
		if r.err == nil || !strings.Contains(r.err.Error(), "code 3") || !strings.Contains(r.err.Error(), "boom") {
			t.Errorf("error %v", r.err)
		}
	})
	t.Run("exit 0 is not restarted", func(t *testing.T) {
		r := started(t, helloApp, withCall(func(int, call) reply { return reply{Exit: ptr(0)} }))
		r.request("GET", "/api/hello", "")
		eventually(t, "the exit is noticed", func() bool { return r.log.has("exited with code 0") })
		if resp, _ := r.request("GET", "/api/hello", ""); resp.StatusCode != 500 {
			t.Errorf("status %d, want 500", resp.StatusCode)
		}
		if starts, _, _ := r.snapshot(); len(starts) != 1 {
			t.Errorf("%d starts, want 1", len(starts))
		}
	})
	t.Run("exit 200 restarts and is no crash", func(t *testing.T) {
		r := newRig(t, queueApp, withStart(func(n int) startOrder {
			if n < 5 {
				return startOrder{Exit: ptr(200)}
			}
			return startOrder{}
		}))
		r.waitReady()
	})
	t.Run("console levels", func(t *testing.T) {
		r := started(t, queueApp, withStart(func(int) startOrder {
			return startOrder{Stdout: "all is well\n", Stderr: "it broke\nWarning: old\nno newline"}
		}))
		r.stop()
		for _, want := range [][]string{{"INFO", "all is well"}, {"ERROR", "it broke"}, {"WARN", "Warning: old"},
			{"ERROR", "no newline"}} {
			if !r.log.has(want...) {
				t.Errorf("no line with %v", want)
			}
		}
	})
}

func checkHandlerEnv(t *testing.T, env environ, root string) {
	t.Helper()
	var names []string
	for name := range env {
		if strings.HasPrefix(name, "FUNCTIONS_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	want := []string{"FUNCTIONS_APP_ROOT_PATH", "FUNCTIONS_CUSTOMHANDLER_PORT", "FUNCTIONS_CUSTOMHANDLER_WORKER_ID",
		"FUNCTIONS_HTTPWORKER_ID", "FUNCTIONS_HTTPWORKER_PORT"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if env["FUNCTIONS_CUSTOMHANDLER_PORT"] != env["FUNCTIONS_HTTPWORKER_PORT"] ||
		env["FUNCTIONS_CUSTOMHANDLER_WORKER_ID"] != env["FUNCTIONS_HTTPWORKER_ID"] {
		t.Errorf("the two spellings differ: %v", env)
	}
	if env["FUNCTIONS_APP_ROOT_PATH"] != root || env["AzureWebJobsScriptRoot"] != root {
		t.Errorf("root %s, want %s", env["FUNCTIONS_APP_ROOT_PATH"], root)
	}
	if env["AZURE_FUNCTIONS_ENVIRONMENT"] != "Development" || !strings.HasPrefix(env["WEBSITE_HOSTNAME"], "localhost:") {
		t.Errorf("environment %q, hostname %q", env["AZURE_FUNCTIONS_ENVIRONMENT"], env["WEBSITE_HOSTNAME"])
	}
}

func TestConformanceShutdown(t *testing.T) {
	t.Parallel()
	t.Run("work in flight is waited for", func(t *testing.T) {
		r := started(t, queueApp, withCall(func(int, call) reply { return reply{Sleep: 300 * time.Millisecond} }))
		r.send("jobs", "slow")
		pid := r.waitCalls(t, 1)[0].Pid
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		if n := r.length("jobs"); n != 0 {
			t.Errorf("%d messages left, want 0", n)
		}
		if err := syscall.Kill(pid, 0); err == nil {
			t.Error("handler still runs")
		}
	})
	t.Run("work that takes longer is cut off and its message released", func(t *testing.T) {
		r := started(t, queueApp, withCall(func(int, call) reply { return reply{Sleep: time.Minute} }),
			with(func(o *Options) { o.DrainWait = 100 * time.Millisecond }))
		r.send("jobs", "endless")
		r.waitCalls(t, 1)
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"endless"}, r.bodies("jobs")); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("port in use names port and setting", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		addr := ln.Addr().String()
		r := newRig(t, queueApp, with(func(o *Options) { o.Addr = addr }))
		<-r.done
		_, port, _ := net.SplitHostPort(addr)
		if r.err == nil || !strings.Contains(r.err.Error(), port) || !strings.Contains(r.err.Error(), "PORT") {
			t.Errorf("error %v", r.err)
		}
	})
}

func TestHandlerNotExecutable(t *testing.T) {
	t.Parallel()
	dir := writeRoot(t, queueApp)
	path := filepath.Join(dir, "handler")
	os.Remove(path)
	rows := []struct {
		name, want string
		prepare    func()
	}{
		{"missing names folder and command", "tidemark app", func() {}},
		{"without the bit names chmod", "chmod", func() { os.WriteFile(path, []byte("x"), 0o644) }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			row.prepare()
			_, err := New(Options{AppDir: dir, Env: []string{}, Store: malformed{}})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A service manager that stops a service sends its signal to the handler as well as to the host.
func TestS9HostStopsWhileTheHandlerAsksForAnotherStart(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	r := started(t, helloApp, withCall(func(n int, _ call) reply {
		if n > 1 {
			close(begun)
			return reply{Sleep: 300 * time.Millisecond}
		}
		return reply{Exit: ptr(200)}
	}))
	r.request("GET", "/api/hello", "")
	r.waitStarts(t, 2)
	answered := make(chan int, 1)
	go func() {
		resp, _ := r.request("GET", "/api/hello", "")
		answered <- resp.StatusCode
	}()
	<-begun
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if status := <-answered; status != 200 {
		t.Errorf("the request in flight got %d", status)
	}
	if r.log.has("handler crashed") {
		t.Error("a crash was counted")
	}
	for _, s := range r.waitStarts(t, 2) {
		if syscall.Kill(s.Pid, 0) == nil {
			t.Errorf("handler %d still runs", s.Pid)
		}
	}
}

// The handler can distinguish its host from other programs of the machine, whatever a caller sends.
func TestS4HostSaysASecret(t *testing.T) {
	t.Parallel()
	r := started(t, helloApp.with(files{"Q/function.json": queueJSON}),
		with(func(o *Options) { o.Env = append(o.Env, api.HostSecretVar+"=of an outer host") }))
	r.request("GET", "/api/hello", "", api.HostSecretHeader, "a guess")
	r.send("jobs", "work")
	secret := newEnviron(r.waitStarts(t, 1)[0].Env)[api.HostSecretVar]
	if len(secret) < 26 || secret == "of an outer host" {
		t.Errorf("secret %q", secret)
	}
	for _, c := range r.waitCalls(t, 2) {
		if said := c.Header.Values(api.HostSecretHeader); len(said) != 1 || said[0] != secret {
			t.Errorf("%s: said %q, want %q", c.URI, said, secret)
		}
	}
	other := started(t, helloApp)
	if newEnviron(other.waitStarts(t, 1)[0].Env)[api.HostSecretVar] == secret {
		t.Error("two hosts have the same secret")
	}
}
