package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/local/programtest"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// TestL9DefaultStart starts the program as a newcomer does. Nobody gets in without a key, not even through a proxy that
// says nothing of those it lets in; the commands of the user need none, from any folder; and a link opens the dashboard
// (L9).
func TestL9DefaultStart(t *testing.T) {
	exe, home := programtest.Build(t), t.TempDir()
	server, said := startProgram(t, exe, "HOME="+home, "XDG_STATE_HOME=", "TIDEMARK_DATA="+filepath.Join(home, "data"))
	run := func(env []string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), exe, append(args, "--server", server)...)
		cmd.Dir, cmd.Env = t.TempDir(), env
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	own := []string{"HOME=" + home}
	t.Run("every route", func(t *testing.T) {
		closed(t, server)
		closed(t, bareProxy(t, server))
	})
	t.Run("the command line", func(t *testing.T) {
		if out := run(own, "status"); !strings.Contains(out, "0 sources") {
			t.Errorf("from another folder: %s", out)
		}
		if out := run(own, "keys", "list"); !strings.Contains(out, keys.Machine+"  admin") {
			t.Errorf("keys: %s", out)
		}
		if out := run([]string{"HOME=" + t.TempDir()}, "status"); !strings.Contains(out, "keys add NAME") ||
			!strings.Contains(out, "API_KEYS=") || !strings.Contains(out, "API_KEYS_REQUIRED=false") {
			t.Errorf("without a home: %s", out)
		}
		if out := run(own, "status", "--key", "x"); !strings.Contains(out, "a key is needed") {
			t.Errorf("a key of the user's is not used: %s", out)
		}
	})
	t.Run("mcp", func(t *testing.T) {
		cmd := exec.Command(exe, "mcp", "--server", server)
		cmd.Env = own
		session := toolsBy(t, &mcp.CommandTransport{Command: cmd})
		if out := use(t, session, "changes_since", map[string]any{"since": "day"}); strings.Contains(out, "a key is needed") {
			t.Error(out)
		}
	})
	t.Run("a link", func(t *testing.T) { signsIn(t, strings.TrimSpace(run(own, "link"))) })
	key, err := keyfile.Read(filepath.Join(home, "data"))
	if err != nil || key == "" {
		t.Fatalf("the key: %v", err)
	}
	out := said()
	if strings.Contains(out, "link?t=") || strings.Contains(out, key) {
		t.Errorf("what is no terminal is shown a link or a key:\n%s", out)
	}
	if left, err := os.ReadDir(filepath.Join(home, ".local", "state", "tidemark", "keys")); err != nil || len(left) > 0 {
		t.Errorf("after the end: %v %v", left, err)
	}
}

// TestL9StartWithoutKeys checks that a start without keys says so, and refuses what a proxy says it has forwarded (L9).
func TestL9StartWithoutKeys(t *testing.T) {
	server, said := startProgram(t, programtest.Build(t), "API_KEYS_REQUIRED=false")
	for header, want := range map[string]int{"": http.StatusOK, "X-Forwarded-For": http.StatusForbidden,
		"Forwarded": http.StatusForbidden, "Via": http.StatusForbidden} {
		if status, body := answerOf(t, "GET", server+"/api/items", header); status != want {
			t.Errorf("with %q: %d %s", header, status, body)
		}
	}
	if out := said(); !strings.Contains(out, "API_KEYS_REQUIRED=false: no request needs a key") {
		t.Errorf("it does not say so:\n%s", out)
	}
}

// bareProxy runs a proxy like one line of nginx: it tells the server nothing of its client, and changes the host.
func bareProxy(t *testing.T, server string) (address string) {
	t.Helper()
	to, err := url.Parse(server)
	must(t, err)
	s := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }})
	t.Cleanup(s.Close)
	return s.URL
}

// closed checks that a server answers nobody without a key, except where anybody may ask.
func closed(t *testing.T, server string) {
	t.Helper()
	for _, e := range api.Routes() {
		status, body := answerOf(t, e.Method, server+"/api/"+strings.NewReplacer("{", "", "}", "").Replace(e.Path), "")
		open := e == api.GetHealth.Endpoint || e == api.GetSchema.Endpoint
		if (status == http.StatusUnauthorized) == open {
			t.Errorf("%s: %d %.200s", e.Pattern(), status, body)
		}
	}
	for _, page := range []string{"", "/items", "/keys", "/changes", "/machine", "/export/items", "/nothing"} {
		for _, method := range []string{"GET", "POST"} {
			if status, _ := answerOf(t, method, server+"/api/ui"+page, ""); status != http.StatusUnauthorized {
				t.Errorf("%s ui%s: %d", method, page, status)
			}
		}
	}
	if status, _ := answerOf(t, "POST", server+"/admin/functions/CrawlTimer", ""); status < 400 {
		t.Errorf("the host's own API: %d", status)
	}
}

// answerOf sends a request, with a header whose name may be empty, and does not follow the answer.
func answerOf(t *testing.T, method, address, header string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	must(t, err)
	if header != "" {
		r.Header.Set(header, "for=198.51.100.7")
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, string(text)
}

// signsIn opens a link as a preview and then as a person does, who sees the dashboard; a second person does not.
func signsIn(t *testing.T, link string) {
	t.Helper()
	for range 2 {
		status, body := answerOf(t, "GET", link, "")
		if status != http.StatusOK || !strings.Contains(body, `action="/api/ui/link"`) {
			t.Fatalf("%s: %d %s", link, status, body)
		}
	}
	at, err := url.Parse(link)
	must(t, err)
	press := func() *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+at.Host+at.Path,
			strings.NewReader(url.Values{"t": {at.Query().Get("t")}}.Encode()))
		must(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultTransport.RoundTrip(r)
		must(t, err)
		res.Body.Close()
		return res
	}
	res := press()
	if len(res.Cookies()) != 1 {
		t.Fatalf("pressed: %s", res.Status)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+at.Host+res.Header.Get("Location"), nil)
	must(t, err)
	r.AddCookie(res.Cookies()[0])
	page, err := http.DefaultClient.Do(r)
	must(t, err)
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	must(t, err)
	if page.StatusCode != http.StatusOK || !regexp.MustCompile(`Sign out.*`+keys.Machine).Match(text) {
		t.Errorf("the dashboard: %s", page.Status)
	}
	if again := press(); again.StatusCode != http.StatusGone {
		t.Errorf("pressed again: %s", again.Status)
	}
}
