package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/local/programtest"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// beyond is the program as other machines reach it, with an admin's key.
type beyond struct {
	*testing.T
	exe, data, admin string
	port             int
}

// startBeyond runs the program on all addresses. The key is the one that its first start makes.
func startBeyond(t *testing.T, env ...string) *beyond {
	t.Helper()
	b := &beyond{T: t, exe: programtest.Build(t), data: filepath.Join(t.TempDir(), "data"), port: foldertest.FreePort(t)}
	cmd := exec.Command(b.exe, "start")
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"PATH=", "LISTEN=0.0.0.0:" + strconv.Itoa(b.port), "TIDEMARK_DATA=" + b.data}, env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	becomesWell(t, b.port)
	var err error
	if b.admin, err = keyfile.Read(b.data); err != nil || b.admin == "" {
		t.Fatalf("the key of the first start: %v", err)
	}
	return b
}

// raw sends bytes that no client would send, and reads the answer.
func (b *beyond) raw(lines ...string) (status int, body string) {
	b.Helper()
	conn, err := net.DialTimeout("tcp", "127.0.0.1:"+strconv.Itoa(b.port), 10*time.Second)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(conn, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		b.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		b.Fatalf("%q: %v", lines, err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, string(text)
}

// ask sends a request. Each header is a whole line.
func (b *beyond) ask(method, target string, headers ...string) (int, string) {
	b.Helper()
	lines := append([]string{method + " " + target + " HTTP/1.1", "Host: tidemark.example", "Connection: close"},
		headers...)
	return b.raw(append(lines, "Content-Length: 0")...)
}

// TestL4Attack attacks the program as other machines reach it, without a key: by every route, by paths that resemble
// another route, by the host's own routes, and by headers. No part of a key is left in the log or in the store.
func TestL4Attack(t *testing.T) {
	b := startBeyond(t)
	t.Run("every route", b.everyRoute)
	t.Run("tricks", b.tricks)
	t.Run("the command line", b.commands)
	t.Run("wrong keys from forged addresses", b.guess)
	t.Run("what is left", b.leftovers)
}

func (b *beyond) everyRoute(t *testing.T) {
	for _, e := range api.Routes() {
		path := "/api/" + strings.NewReplacer("{", "", "}", "").Replace(e.Path)
		open := e == api.GetHealth.Endpoint || e == api.GetSchema.Endpoint
		if status, body := b.ask(e.Method, path); status != http.StatusUnauthorized && !open {
			t.Errorf("%s: %d %.200s", e.Pattern(), status, body)
		}
		if status, _ := b.ask(e.Method, path, "X-Functions-Key: "+b.admin); status == http.StatusUnauthorized ||
			status == http.StatusForbidden && e.Method == http.MethodGet {
			t.Errorf("%s with the key: %d", e.Pattern(), status)
		}
	}
}

func (b *beyond) tricks(t *testing.T) {
	for _, target := range []string{
		"/items", "/API/Items", "//api/items", "/api//items", "/api/items/", "/api/./items", "/api/x/../items",
		"/%61pi/items",
		"/api/%2e%2e/api/items", "/api%2fitems", "/api/items%2f", "/api/items;x=1", "/api/items?",
		"/api/items?key=" + b.admin,
		"/api/items?code=" + b.admin, "/api/items?x-functions-key=" + b.admin, "/api/health/../items",
		"/api/health%2f..%2fitems",
		"/api/health/", "/api/healthx", "/api/ui", "/ui", "/ui/../items", "/api/ui/static/../../items",
		"/api/ui/static/..%2f..%2fitems", "/api/ui/docs", "/docs", "/openapi.json", "/admin/functions/CrawlTimer",
		"/ADMIN/functions/CrawlTimer", "//admin/functions/CrawlTimer", "/admin/host/status", "/runtime/webhooks",
		"/CrawlTimer",
		"/api/CrawlTimer", "//CrawlTimer", "/api/../CrawlTimer", "/api/%2e%2e/CrawlTimer", "/%2e%2e/CrawlTimer",
		"http://localhost/api/items", "http://127.0.0.1:" + strconv.Itoa(b.port) + "/api/config", "*",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get",
			"CONNECT"} {
			status, body := b.ask(method, target)
			well := target == "/api/health/" || target == "*" && (method == "OPTIONS" || method == "CONNECT")
			if status < 400 && !well || strings.Contains(body, `"items"`) || status >= 500 {
				t.Errorf("%s %s: %d %.200s", method, target, status, body)
			}
		}
	}
	for _, header := range []string{"Host: localhost", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Host: localhost",
		"Forwarded: for=127.0.0.1;host=localhost", "X-Tidemark-Host-Secret: x", "X-Original-URL: /api/health",
		"X-Rewrite-URL: /api/health", "X-HTTP-Method-Override: GET", "X-MS-CLIENT-PRINCIPAL-NAME: anna",
		"Authorization: Basic " + b.admin, "Authorization: " + b.admin, "Cookie: tidemark_session=" + b.admin,
		"Cookie: key=" + b.admin, "X-Api-Key: " + b.admin, "X-Functions-Key: x\r\nX-Functions-Key: " + b.admin,
		"X-Functions-Key: " + b.admin + "\r\nAuthorization: Bearer x", "Connection: X-Functions-Key\r\nX-Functions-Key: x"} {
		if status, body := b.ask("GET", "/api/items", header); status != http.StatusUnauthorized && status != 400 {
			t.Errorf("%q: %d %.200s", header, status, body)
		}
	}
	if status, _ := b.ask("POST", "/admin/functions/CrawlTimer", "X-Functions-Key: "+b.admin); status < 400 {
		t.Errorf("the management API: %d", status)
	}
}

func (b *beyond) guess(t *testing.T) {
	last := 0
	for i := range 20 {
		last, _ = b.ask("GET", "/api/items", fmt.Sprintf("X-Forwarded-For: 198.51.100.%d", i),
			fmt.Sprintf("X-Functions-Key: tm_%026d", i))
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the 20th: %d", last)
	}
	if status, _ := b.ask("GET", "/api/items", "Authorization: bearer "+b.admin); status != http.StatusOK {
		t.Errorf("who has a key: %d", status)
	}
}

func (b *beyond) commands(t *testing.T) {
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), b.exe, append(args, "--server", "http://localhost:"+strconv.Itoa(b.port))...)
		cmd.Env = []string{"PATH="}
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if said := run("status"); !strings.Contains(said, "--key or TIDEMARK_KEY") {
		t.Errorf("without a key: %s", said)
	}
	made := run("keys", "add", "reader", "--scope", "read", "--key", b.admin)
	reader := regexp.MustCompile(`tm_[a-z2-7]{26}`).FindString(made)
	if reader == "" {
		t.Fatalf("a key by HTTP: %s", made)
	}
	if said := run("status", "--key", reader); !strings.Contains(said, "0 sources") {
		t.Errorf("with one for reading: %s", said)
	}
	if said := run("keys", "list", "--key", reader); !strings.Contains(said, `the key "reader" is for read`) {
		t.Errorf("what it is not for: %s", said)
	}
	if said := run("keys", "list", "--key", b.admin); !strings.Contains(said, "reader        read") {
		t.Errorf("keys: %s", said)
	}
	run("keys", "remove", "reader", "--key", b.admin)
	if said := run("status", "--key", reader); !strings.Contains(said, "a key is needed") {
		t.Errorf("with a removed one: %s", said)
	}
}

// leftovers searches all files for the key, but for its own.
func (b *beyond) leftovers(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(b.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == keyfile.Path(b.data) {
			return err
		}
		body, err := os.ReadFile(path)
		seen += len(body)
		if bytes.Contains(body, []byte(b.admin)) {
			t.Errorf("%s has the key", path)
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Errorf("%d bytes: %v", seen, err)
	}
	if log, err := os.ReadFile(filepath.Join(b.data, "tidemark.log")); err != nil ||
		!bytes.Contains(log, []byte(keys.Machine)) {
		t.Errorf("the log does not say who: %v", err)
	}
}
