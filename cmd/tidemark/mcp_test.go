package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/local/programtest"
)

// runProgram builds Tidemark and runs it in a separate folder until the test ends. Requests need no key, unless env
// says otherwise.
func runProgram(t *testing.T, env ...string) (exe, server string) {
	t.Helper()
	exe = programtest.Build(t)
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
	node, modules := mcpClients(t)
	byOthers(t, node, modules, server+"/api/mcp", page)
	suite := filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "resources-list",
		"dns-rebinding-protection"} {
		cmd := exec.CommandContext(t.Context(), node, suite, "server", "--url", server+"/api/mcp", "--scenario", scenario)
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), " 0 failed, 0 warnings") {
			t.Errorf("%s: %v\n%s", scenario, err, out)
		}
	}
}

// mcpPackages are the protocol's conformance suite, the clients that others wrote, and a Node.js that runs them.
var mcpPackages = []string{"@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/client@2.4.0",
	"@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/inspector@2.12.0", "node@22.23.3"}

// mcpClients returns the path of a Node.js and the folder of the packages, in the folder of tools. Missing ones are
// downloaded. A test that cannot get them fails and is never skipped.
func mcpClients(t *testing.T) (node, modules string) {
	t.Helper()
	tools := treetest.Tools(t)
	home := filepath.Join(tools, fmt.Sprintf("mcp-%x", sha256.Sum256([]byte(strings.Join(mcpPackages, " "))))[:20])
	modules = filepath.Join(home, "node_modules")
	node = filepath.Join(modules, "node", "bin", "node")
	if _, err := os.Stat(node); err == nil {
		return node, modules
	}
	if err := os.MkdirAll(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	// The files are installed beside home and renamed, so that home is never incomplete.
	temp, err := os.MkdirTemp(tools, "new-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temp)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	last := len(mcpPackages) - 1 // Node.js is brought by its script
	for _, args := range [][]string{append(slices.Clone(mcpPackages[:last]), "--ignore-scripts"), mcpPackages[last:]} {
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
	return node, modules
}

// byOthers calls each method by clients that others wrote. Answers are for the caller alone, a page is named by its
// title, and lasts until its next check (J7).
func byOthers(t *testing.T, node, modules, server, page string) {
	t.Helper()
	driver := filepath.Join("testdata", "mcp", "clients.mjs")
	out, err := exec.CommandContext(t.Context(), node, driver, modules, server, page).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	clients := 0
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); clients++ {
		var got struct {
			Name, Called, Read, ListScope, ToolScope, ReadScope string
			Tools, Templates, TTL                               int
			Listed                                              struct{ Name, Title, URI string }
		}
		if err := d.Decode(&got); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		private := got.ListScope == "private" && got.ToolScope == "private" && got.ReadScope == "private"
		named := got.Listed.Name == "Tides" && got.Listed.Title == "Tides"
		if got.Tools != 6 || got.Templates != 1 || !strings.Contains(got.Called, "noon") || !private || !named ||
			!strings.Contains(got.Read, "noon") || got.TTL <= 0 || got.TTL > 14*24*3600*1000 {
			t.Errorf("%+v", got)
		}
	}
	if clients != 3 {
		t.Errorf("%d clients:\n%s", clients, out)
	}
	inspector := filepath.Join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	for method, want := range map[string]string{"tools/list": "read_page", "resources/list": "Tides",
		"resources/templates/list": "tidemark://items/{id}"} {
		out, err := exec.CommandContext(t.Context(), node, inspector, "--cli", server, "--transport", "http", "--method",
			method).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("inspector, %s: %v\n%s", method, err, out)
		}
	}
}
