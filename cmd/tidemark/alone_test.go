package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// TestF4StartNeedsNothing runs the real app by default settings with nothing on the PATH: no
// Node.js, no Azurite, no service. All its state is in the data folder.
func TestF4StartNeedsNothing(t *testing.T) {
	appDir := filepath.Join(t.TempDir(), "app")
	build := exec.Command("make", "-C", filepath.Join("..", ".."), "app", "APP="+appDir)
	build.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	if b, err := build.CombinedOutput(); err != nil {
		t.Fatalf("make app: %v\n%s", err, b)
	}
	for _, name := range []string{"PATH", "STORAGE", "AzureWebJobsStorage"} {
		t.Setenv(name, "")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := startOptions{app: appDir, port: freePort(t), emulatorOptions: emulatorOptions{portBase: 1, data: t.TempDir()}}
	well := 0
	out, errOut := &watchfulBuffer{interrupt: func() {
		defer cancel()
		resp, err := http.Get("http://localhost:" + strconv.Itoa(o.port) + "/api/health")
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
		well = resp.StatusCode
	}}, &bytes.Buffer{}
	p := &program{out: out, err: errOut, getenv: os.Getenv}
	if err := runStart(ctx, p, o, realParts()); err != nil {
		t.Error(err)
	}
	if well != http.StatusOK || errOut.Len() > 0 {
		t.Errorf("health %d, stdout %q, stderr %q", well, out, errOut)
	}
	for name, want := range map[string]bool{"store/state.db": true, "index.db": true, "azurite": false} {
		if have := exists(filepath.Join(o.data, name)); have != want {
			t.Errorf("%s is there: %t, want %t", name, have, want)
		}
	}
}
