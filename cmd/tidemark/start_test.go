package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// appFolder makes a folder that start accepts as an assembled app.
func appFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "host.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// idOf returns the id that a server gives a URL.
func idOf(t *testing.T, url string) string {
	t.Helper()
	src, err := source.DefaultRules().ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	return string(src.ID())
}

// freePortBase returns the first of three ports that nothing listens on.
func freePortBase(t *testing.T) string {
	t.Helper()
	for range 100 {
		base, free := foldertest.FreePort(t), true
		for port := base; port < base+3; port++ {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if free = free && err == nil; err == nil {
				l.Close()
			}
		}
		if free {
			return strconv.Itoa(base)
		}
	}
	t.Fatal("no three free ports in a row")
	return ""
}

func TestStartRefuses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	performAll(t, []script{
		{name: "a port in use", args: []string{"start", "--app", appFolder(t), "--port", taken, "--data", t.TempDir()},
			code: 1,
			err: "tidemark: port " + taken + " is in use: stop what uses it, or choose another with --port or PORT; " +
				"a second Tidemark needs TIDEMARK_DATA of its own too\n"},
		{name: "a port in use, for Azurite", args: []string{"start", "--app", appFolder(t), "--port", taken, "--data",
			t.TempDir()},
			env: map[string]string{"STORAGE": "azurite"}, code: 1,
			err: "tidemark: port " + taken + " is in use: stop what uses it, or choose another with --port or PORT; " +
				"a second Tidemark needs TIDEMARK_DATA and AZURITE_PORT_BASE of its own too\n"},
		{name: "a port that is none", args: []string{"start"}, env: map[string]string{"PORT": "http"}, code: 2,
			err: "tidemark: --port (PORT) is \"http\": give a port of 1 to 65535\nsee `tidemark start --help`\n"},
		{name: "no room for three ports", args: []string{"start", "--azurite-port-base", "65534"}, code: 2,
			err: "tidemark: --azurite-port-base (AZURITE_PORT_BASE) is \"65534\": give a port of 1 to 65533\nsee `tidemark " +
				"start --help`\n"},
		{name: "no app", args: []string{"start", "--app", "/nowhere"}, code: 1,
			err: "tidemark: /nowhere has no host.json: write it with `tidemark app /nowhere`, or leave --app out\n"},
		{name: "FILE_ROOT", args: []string{"start", "--app", appFolder(t), "--port", strconv.Itoa(foldertest.FreePort(t)),
			"--data",
			t.TempDir()},
			env: map[string]string{"FILE_ROOT": "/nowhere"}, code: 1,
			err: "tidemark: settings: FILE_ROOT=\"/nowhere\": allowed is the absolute path of a folder that exists\n"},
		{name: "STORAGE", args: []string{"start"}, env: map[string]string{"STORAGE": "floppy"}, code: 2,
			err: "tidemark: STORAGE is \"floppy\": allowed are embedded (the default), azurite, and account for what " +
				"AzureWebJobsStorage names\nsee `tidemark start --help`\n"},
	})
}
