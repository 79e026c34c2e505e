package browser

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tidemark/tidemark/pkg/api"
)

// documented returns a part of docs/operations.md: the lines from one that begins so to the next empty one, with the
// address of a stage's server.
func (s *stage) documented(begins string) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	must(s.T, err)
	_, after, found := strings.Cut(string(text), "\n\n    "+begins)
	part, _, _ := strings.Cut(after, "\n\n")
	if !found || !strings.Contains(part, "127.0.0.1:7071") {
		s.Fatalf("docs/operations.md has nothing that begins with %q, or not the address", begins)
	}
	return begins + strings.ReplaceAll(part, "127.0.0.1:7071", strings.Replace(s.server[len("http://"):], "localhost",
		"127.0.0.1", 1))
}

// TestL8BehindProxies signs in, adds a page and reads it, below a path of the proxies that the documentation describes,
// which answer nothing else (L8).
func TestL8BehindProxies(t *testing.T) {
	for name, tt := range map[string]struct {
		env   []string
		begin func(s *stage, dir, at string)
	}{
		"nginx": {[]string{"BASE_PATH=/tidemark"}, func(s *stage, dir, at string) {
			file := filepath.Join(dir, "nginx.conf")
			must(t, os.WriteFile(file, fmt.Appendf(nil, "daemon off;\nmaster_process off;\npid %s/pid;\nevents {}\nhttp {\n"+
				"access_log off;\ninclude /etc/nginx/mime.types;\nserver {\nlisten 127.0.0.1:%s;\n%s\n}\n}\n", dir, at,
				s.documented("location /tidemark/ {")), 0o600))
			s.runs(nil, "nginx", "-e", "stderr", "-c", file)
		}},
		"Caddy": {nil, func(s *stage, dir, at string) {
			file := filepath.Join(dir, "Caddyfile")
			must(t, os.WriteFile(file, fmt.Appendf(nil, "{\nadmin off\nauto_https off\n}\nhttp://:%s {\n%s\n}\n", at,
				s.documented("redir /tidemark /tidemark/")), 0o600))
			s.runs([]string{"HOME=" + dir}, "caddy", "run", "--config", file)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			key := "k7Qw9zR2mX4vB6nT8pL1sD3fk5Hj0G"
			s := newStage(t, append(tt.env, "API_KEYS=ada admin "+key, "TRUSTED_PROXIES=127.0.0.1")...)
			at := freePort(t)
			tt.begin(s, t.TempDir(), strings.TrimPrefix(at, "localhost:"))
			s.server = "http://" + at + "/tidemark"
			client := api.NewClient(s.server, key, nil)
			s.eventually("the proxy answers", func() bool {
				_, err := api.GetHealth.Call(t.Context(), client, api.None{})
				return err == nil
			})
			if resp, err := http.Get("http://" + at + "/api/health"); err != nil || resp.StatusCode == http.StatusOK &&
				resp.ContentLength != 0 {
				t.Errorf("outside the path: %v, %v", resp, err)
			}
			s.belowPath(key)
		})
	}
}

// belowPath does in a browser what a person does first.
func (s *stage) belowPath(key string) {
	s.Helper()
	s.do(chromedp.Navigate(s.server), chromedp.WaitVisible("#key")) // the proxy adds a slash, Tidemark leads on
	s.do(chromedp.SendKeys("#key", key+kb.Enter))
	s.reads("h1", "Which page do you want to watch?")
	s.open("/add")
	s.do(chromedp.SendKeys("[name=urls]", s.site+"/index.html"),
		chromedp.Click("form[action^='/tidemark/api/ui/add'] button"), chromedp.WaitVisible(".toast"))
	s.open("")
	s.reads("#live-guide", "1 of 1 page can be searched") // which the script has fetched
	var outside []string
	s.ask(`[location.href, ...performance.getEntriesByType("resource").map(e => e.name),
		...[...document.querySelectorAll("a, form, link, script, use")].map(e =>
			e.href?.baseVal ? new URL(e.href.baseVal, location).href : e.action || e.href || e.src)]
		.filter(to => to && !to.startsWith("`+s.server+`/api/") && !to.startsWith("`+s.site+`"))`, &outside)
	if len(outside) > 0 {
		s.Errorf("outside the path: %q", outside)
	}
	var loaded bool
	s.ask(`[...document.styleSheets].some(s => s.cssRules.length > 100)`, &loaded)
	if !loaded {
		s.Error("the style sheet is not loaded")
	}
	s.do(chromedp.Click("header .menu summary"))
	s.press("header .menu .apart button")
	s.do(chromedp.WaitVisible("#key"))
	if len(s.said) > 0 {
		s.Errorf("the console says %q", s.said)
	}
}
