package azurite_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/local/azurite"
)

func TestStartAnswersAndStops(t *testing.T) {
	data := t.TempDir()
	s, err := azurite.Start(t.Context(), azurite.Options{ToolDir: treetest.Tools(t), DataDir: data})
	if err != nil {
		t.Fatal(err)
	}
	for _, port := range []string{"BlobEndpoint=", "QueueEndpoint=", "TableEndpoint="} {
		_, endpoint, _ := strings.Cut(s.ConnectionString(), port)
		endpoint, _, _ = strings.Cut(endpoint, ";")
		resp, err := http.Get(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !strings.HasPrefix(resp.Header.Get("Server"), "Azurite") {
			t.Errorf("%s: have server %q, want Azurite", endpoint, resp.Header.Get("Server"))
		}
	}
	// The same ports again: the error names the setting to change.
	_, err = azurite.Start(t.Context(), azurite.Options{ToolDir: treetest.Tools(t), PortBase: s.Ports.Blob})
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "AZURITE_PORT_BASE") {
		t.Errorf("start on a port in use: have %v, want Invalid that names AZURITE_PORT_BASE", err)
	}
	s.Stop()
	s.Stop()
	select {
	case <-s.Done():
	default:
		t.Error("stopped, and not done")
	}
	if files, _ := filepath.Glob(filepath.Join(data, "__azurite_db_*")); len(files) == 0 {
		t.Error("no data was written to the data directory")
	}
	if l, err := net.Listen("tcp", strings.TrimPrefix(endpointOf(s), "http://")); err != nil {
		t.Errorf("the port is still in use: %v", err)
	} else {
		l.Close()
	}
}

func endpointOf(s *azurite.Server) string {
	_, e, _ := strings.Cut(s.ConnectionString(), "BlobEndpoint=")
	e, _, _ = strings.Cut(e, "/"+azurite.Account)
	return e
}

func TestStartEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := azurite.Start(ctx, azurite.Options{ToolDir: treetest.Tools(t)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("have %v, want context.Canceled", err)
	}
}

// TestInstall runs with a substitute for npm that counts its calls.
func TestInstall(t *testing.T) {
	bin, tools := t.TempDir(), filepath.Join(t.TempDir(), "tools")
	counter := filepath.Join(bin, "count")
	script(t, bin, "node", "exit 0")
	script(t, bin, "npm", `echo asked >> `+counter+`
sleep 0.2
mkdir -p "$3/node_modules/.bin" && echo "$4" > "$3/node_modules/.bin/azurite"`)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			exe, err := azurite.Install(t.Context(), tools, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if b, _ := os.ReadFile(exe); strings.TrimSpace(string(b)) != "azurite@"+azurite.Version {
				t.Errorf("have %q installed, want the pinned version", b)
			}
		})
	}
	wg.Wait()
	if b, _ := os.ReadFile(counter); string(b) != "asked\n" {
		t.Errorf("npm ran as %q, want once", b)
	}
	if left, _ := filepath.Glob(filepath.Join(tools, "azurite-*")); len(left) != 2 {
		t.Errorf("have %v, want the installation and its lock", left)
	}
}

func TestInstallSaysWhatFailed(t *testing.T) {
	t.Run("npm fails", func(t *testing.T) {
		bin := t.TempDir()
		script(t, bin, "node", "exit 0")
		script(t, bin, "npm", "echo no such version >&2; exit 1")
		t.Setenv("PATH", bin+":/bin:/usr/bin")
		tools := t.TempDir()
		_, err := azurite.Install(t.Context(), tools, nil)
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "no such version") {
			t.Errorf("have %v, want Unavailable with what npm printed", err)
		}
		if left, _ := filepath.Glob(filepath.Join(tools, "azurite-*", "node_modules")); len(left) != 0 {
			t.Errorf("a failed installation left %v", left)
		}
	})
	t.Run("no node", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := azurite.Install(t.Context(), t.TempDir(), nil)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "node") {
			t.Errorf("have %v, want Invalid that names node", err)
		}
	})
	t.Run("no npm", func(t *testing.T) {
		bin := t.TempDir()
		script(t, bin, "node", "exit 0")
		t.Setenv("PATH", bin)
		_, err := azurite.Install(t.Context(), t.TempDir(), nil)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "npm") {
			t.Errorf("have %v, want Invalid that names npm", err)
		}
	})
	t.Run("another process installs", func(t *testing.T) {
		bin, tools := t.TempDir(), t.TempDir()
		script(t, bin, "node", "exit 0")
		begun := filepath.Join(t.TempDir(), "begun")
		script(t, bin, "npm", "touch "+begun+"; sleep 5")
		t.Setenv("PATH", bin+":/bin:/usr/bin")
		first, cancelFirst := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { azurite.Install(first, tools, nil) })
		defer wg.Wait()
		defer cancelFirst()
		for range 3000 {
			if _, err := os.Stat(begun); err == nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := azurite.Install(ctx, tools, nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("have %v, want a wait that ends with its context", err)
		}
	})
}

func script(t *testing.T, dir, name, body string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestDiesWithItsParent runs this test's executable as a process that starts a server and ends without stopping it.
func TestDiesWithItsParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a child that its parent died")
	}
	if os.Getenv("AZURITE_TEST_PARENT") != "" {
		s, err := azurite.Start(t.Context(), azurite.Options{ToolDir: treetest.Tools(t)})
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("\n" + strings.TrimPrefix(endpointOf(s), "http://") + "\n")
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDiesWithItsParent$")
	cmd.Env = append(os.Environ(), "AZURITE_TEST_PARENT=1")
	out, err := cmd.Output()
	lines := strings.Fields(string(out))
	if err != nil || len(lines) == 0 {
		t.Fatalf("have %q (%v)", out, err)
	}
	address := lines[len(lines)-1]
	for range 2400 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		conn.Close()
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("a server answers at %s, and its parent is gone", address)
}
