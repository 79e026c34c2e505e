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
	"github.com/tidemark/tidemark/pkg/fault"
)

func TestConformanceProcess(t *testing.T) {
	t.Parallel()
	t.Run("H01 environment, arguments and directory", func(t *testing.T) {
		r := started(t, queueApp.with(files{"host.json": `{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"handler","arguments":["-a","%SET%","x%UNSET%y","\"two words\""]}}}`}),
			with(func(o *Options) { o.Env = append(o.Env, "SET=value") }))
		s := r.waitStarts(t, 1)[0]
		if diff := cmp.Diff([]string{"-a", "value", "xy", "two words"}, s.Args); diff != "" {
			t.Errorf("H03 arguments: %s", diff)
		}
		root, _ := filepath.EvalSymlinks(r.host.opt.AppDir)
		if s.Dir != root {
			t.Errorf("directory: have %s, want %s", s.Dir, root)
		}
		checkHandlerEnv(t, newEnviron(s.Env), r.host.opt.AppDir)
	})
	t.Run("H03 executable below the root although the working directory is elsewhere", func(t *testing.T) {
		r := started(t, queueApp.with(files{"sub/x": "", "host.json": `{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"handler","workingDirectory":"sub"}}}`}))
		if s := r.waitStarts(t, 1)[0]; filepath.Base(s.Dir) != "sub" {
			t.Errorf("directory %s", s.Dir)
		}
	})
	t.Run("H02 any status means ready", func(t *testing.T) {
		started(t, queueApp, withStart(func(int) startOrder { return startOrder{Root: 500} }))
	})
	t.Run("H02 silence counts as a crash", func(t *testing.T) {
		r := newRig(t, queueApp, withStart(func(int) startOrder { return startOrder{Mute: true} }),
			with(func(o *Options) { o.InitTimeout = 150 * time.Millisecond }))
		<-r.done
		if starts, _, _ := r.snapshot(); len(starts) > 3 || !fault.Is(r.err, fault.Unavailable) {
			t.Errorf("%d starts, error %v", len(starts), r.err)
		}
	})
	t.Run("H22 third crash stops the host", func(t *testing.T) {
		r := newRig(t, queueApp, withStart(func(int) startOrder { return startOrder{Exit: ptr(3), Stderr: "boom\n"} }))
		<-r.done
		if starts, _, _ := r.snapshot(); len(starts) != 3 {
			t.Errorf("%d starts, want 3", len(starts))
		}
		if r.err == nil || !strings.Contains(r.err.Error(), "code 3") || !strings.Contains(r.err.Error(), "boom") {
			t.Errorf("error %v", r.err)
		}
	})
	t.Run("H22 exit 0 is not restarted", func(t *testing.T) {
		r := started(t, helloApp, withCall(func(int, call) reply { return reply{Exit: ptr(0)} }))
		r.request("GET", "/api/hello", "")
		eventually(t, "the exit is noticed", func() bool { return r.log.has("exited with code 0") })
		if resp, _ := r.request("GET", "/api/hello", ""); resp.StatusCode != 502 {
			t.Errorf("status %d, want 502", resp.StatusCode)
		}
		if starts, _, _ := r.snapshot(); len(starts) != 1 {
			t.Errorf("%d starts, want 1", len(starts))
		}
	})
	t.Run("H22 exit 200 restarts and is no crash", func(t *testing.T) {
		r := newRig(t, queueApp, withStart(func(n int) startOrder {
			if n < 5 {
				return startOrder{Exit: ptr(200)}
			}
			return startOrder{}
		}))
		r.waitReady()
	})
	t.Run("H36 console levels", func(t *testing.T) {
		r := started(t, queueApp, withStart(func(int) startOrder {
			return startOrder{Stdout: "all is well\n", Stderr: "it broke\nWarning: old\nno newline"}
		}))
		r.stop()
		for _, want := range [][]string{{"INFO", "all is well"}, {"ERROR", "it broke"}, {"WARN", "Warning: old"}, {"ERROR", "no newline"}} {
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
	want := []string{"FUNCTIONS_APP_ROOT_PATH", "FUNCTIONS_CUSTOMHANDLER_PORT", "FUNCTIONS_CUSTOMHANDLER_WORKER_ID", "FUNCTIONS_HTTPWORKER_ID", "FUNCTIONS_HTTPWORKER_PORT"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if env["FUNCTIONS_CUSTOMHANDLER_PORT"] != env["FUNCTIONS_HTTPWORKER_PORT"] || env["FUNCTIONS_CUSTOMHANDLER_WORKER_ID"] != env["FUNCTIONS_HTTPWORKER_ID"] {
		t.Errorf("the two spellings differ: %v", env)
	}
	if env["FUNCTIONS_APP_ROOT_PATH"] != root || env["AzureWebJobsScriptRoot"] != root {
		t.Errorf("root %s, want %s", env["FUNCTIONS_APP_ROOT_PATH"], root)
	}
	if env["AZURE_FUNCTIONS_ENVIRONMENT"] != "Development" || !strings.HasPrefix(env["WEBSITE_HOSTNAME"], "localhost:") {
		t.Errorf("H35 environment %q, hostname %q", env["AZURE_FUNCTIONS_ENVIRONMENT"], env["WEBSITE_HOSTNAME"])
	}
}

func TestConformanceShutdown(t *testing.T) {
	t.Parallel()
	t.Run("H37 work in flight is waited for", func(t *testing.T) {
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
	t.Run("H37 then it is cut off and released", func(t *testing.T) {
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
	t.Run("fixed handler port in use", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		_, port, _ := net.SplitHostPort(ln.Addr().String())
		r := newRig(t, queueApp, with(func(o *Options) { o.Env = append(o.Env, "AzureFunctionsJobHost__customHandler__port="+port) }))
		<-r.done
		if r.err == nil || !strings.Contains(r.err.Error(), "unable to bind to port "+port) {
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
		{"missing names folder and make target", "make app", func() {}},
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
