package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
)

// runProgram builds Tidemark and runs it in a separate folder until the test ends. Requests need no key, unless env
// says otherwise.
func runProgram(t *testing.T, env ...string) (exe, server string) {
	t.Helper()
	exe = buildProgram(t)
	server, _ = startProgram(t, exe, append([]string{"API_KEYS_REQUIRED=false"}, env...)...)
	return exe, server
}

// startProgram runs a Tidemark that was built until the test ends. The function said returns what it has printed then.
func startProgram(t *testing.T, exe string, env ...string) (server string, said func() string) {
	t.Helper()
	port := foldertest.FreePort(t)
	cmd := exec.Command(exe, "start", "--port", strconv.Itoa(port), "--no-input")
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	t.Cleanup(stop)
	becomesWell(t, port)
	return "http://localhost:" + strconv.Itoa(port), func() string { stop(); return out.String() }
}

// toolsBy opens a session with a server's tools over transport.
func toolsBy(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// use calls a tool and returns the text of its answer.
func use(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) string {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || len(res.Content) != 1 {
		t.Fatalf("%s: %v", tool, err)
	}
	return res.Content[0].(*mcp.TextContent).Text
}

// TestJ7RealProgram checks that a model can add a page of a real site to the real program over standard input and
// read it over both transports, and that the public conformance suite of the protocol finds no fault.
func TestJ7RealProgram(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/tides" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html lang=en><title>Tides</title><main><h1>Tides</h1><p>High water is at noon.</main>")
	}))
	defer site.Close()
	page := strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/tides"
	exe, server := runProgram(t, "CRAWL_ALLOW_HOSTS=localhost")
	piped := toolsBy(t, &mcp.CommandTransport{Command: exec.Command(exe, "mcp", "--server", server)})
	if said := use(t, piped, "add_page", map[string]any{"url": page}); !strings.Contains(said, "is registered") {
		t.Fatal(said)
	}
	var said string
	for range 600 { // the feed has a change after the index has the page
		if said = use(t, piped, "changes_since", map[string]any{"since": "day"}); strings.Contains(said, page) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if said := use(t, piped, "retrieve", map[string]any{"question": "high water"}); !strings.Contains(said, "noon") {
		t.Fatal(said)
	}
	for name, s := range map[string]*mcp.ClientSession{"piped": piped,
		"HTTP": toolsBy(t, &mcp.StreamableClientTransport{Endpoint: server + "/api/mcp"})} {
		for tool, arguments := range map[string]map[string]any{
			"search": {"query": "water"}, "read_page": {"page": page}, "changes_since": {"since": "day"}, "why": {"page": page},
		} {
			if said := use(t, s, tool, arguments); !strings.Contains(said, page) {
				t.Errorf("%s, %s: %s", name, tool, said)
			}
		}
	}
	node, suite := conformance(t)
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "resources-list",
		"dns-rebinding-protection"} {
		cmd := exec.CommandContext(t.Context(), node, suite, "server", "--url", server+"/api/mcp", "--scenario", scenario)
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), " 0 failed, 0 warnings") {
			t.Errorf("%s: %v\n%s", scenario, err, out)
		}
	}
}

// The versions of the protocol's conformance suite and of the Node.js 22 that runs it. npm installs both.
const (
	conformancePackage = "@modelcontextprotocol/conformance@0.1.16"
	nodePackage        = "node@22.23.3"
)

// conformance returns the paths of the suite and of a Node.js for it, both in the folder of tools. Missing ones are
// downloaded. A test that cannot get them fails and is never skipped.
func conformance(t *testing.T) (node, suite string) {
	t.Helper()
	tools, err := azuritetest.ToolDir()
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(tools, "mcp-conformance-0.1.16")
	modules := filepath.Join(home, "node_modules")
	suite = filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	node = filepath.Join(modules, "node", "bin", "node")
	if _, err := os.Stat(node); err == nil {
		return node, suite
	}
	if err := os.MkdirAll(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	// The files are installed beside home and renamed, so that home is never incomplete.
	temp, err := os.MkdirTemp(tools, "mcp-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temp)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, args := range [][]string{{conformancePackage, "--ignore-scripts"}, {nodePackage}} { // its script brings Node.js
		args = append([]string{"install", "--prefix", temp, "--no-audit", "--no-fund"}, args...)
		if out, err := exec.CommandContext(ctx, "npm", args...).CombinedOutput(); err != nil {
			t.Fatalf("npm %v: %v\n%s", args, err, out)
		}
	}
	if err := os.Rename(temp, home); err != nil && !errors.Is(err, os.ErrExist) {
		if _, there := os.Stat(node); there != nil {
			t.Fatal(err)
		}
	}
	return node, suite
}
