package apiclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/local/programtest"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
)

// newcomer is a new user with the program, a terminal and an empty folder.
type newcomer struct {
	*testing.T
	exe, folder, port string
	site              string // may be fetched, although it is on this machine
}

// types starts Tidemark on a terminal, types answers, waits for a text, and types Ctrl-C. It returns everything that
// was shown, and the exit code.
func (n newcomer) types(until string, answers ...string) (shown string, code int) {
	n.Helper()
	args := append([]string{filepath.Join("testdata", "terminal.py"), n.folder, until}, answers...)
	cmd := exec.CommandContext(n.Context(), "python3", append(args, "--", n.exe, "start", "--port", n.port)...)
	cmd.Env = append(os.Environ(), "CRAWL_ALLOW_HOSTS="+strings.TrimPrefix(n.site, "http://"))
	out, err := cmd.CombinedOutput()
	exit, failed := errors.AsType[*exec.ExitError](err)
	if failed {
		code = exit.ExitCode()
	} else {
		must(n.T, err)
	}
	return string(out), code
}

// sees checks that all texts are shown, in this order.
func (n newcomer) sees(shown string, texts ...string) {
	n.Helper()
	rest := shown
	for _, text := range texts {
		_, after, found := strings.Cut(rest, strings.NewReplacer("AT", "http://localhost:"+n.port, "SITE", n.site,
			"DATA", filepath.Join(n.folder, ".tidemark")).Replace(text))
		if !found {
			n.Fatalf("%q is not shown, or not there:\n%s", text, shown)
		}
		rest = after
	}
}

// TestL7FirstMinutes checks that, on a terminal and in an empty folder, each of the three choices leads to a search
// with results, and to the dashboard. Ctrl-C and Enter choose nothing. With existing data there is no question (L7).
func TestL7FirstMinutes(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // where a server leaves its key
	site := httptest.NewServer(http.FileServer(http.Dir(manual(t))))
	t.Cleanup(site.Close)
	someone := newcomer{T: t, exe: programtest.Build(t), site: strings.Replace(site.URL, "127.0.0.1", "localhost", 1)}
	const dashboard = "Go on in the dashboard: AT/api/ui"
	arrive := func(t *testing.T) newcomer {
		n := someone
		n.T, n.folder, n.port = t, t.TempDir(), freePort(t)
		return n
	}
	t.Run("a page", func(t *testing.T) {
		n := arrive(t)
		shown, code := n.types("Go on in", "1", "ftp://port.example", n.site+"/one.html")
		n.sees(shown, "What would you like to begin with?", "scheme is neither http nor https", "dashboard  AT/api/ui",
			"sign in    AT/api/ui/link?t=", "AT/api/docs", "SITE/one.html can be searched",
			"What is known of it: AT/api/ui/items/url_", dashboard,
			"stopped; the data is in DATA")
		if code != 0 {
			t.Errorf("ended with %d", code)
		}
		again, _ := n.types("Ctrl-C stops it.")
		if strings.Contains(again, "begin with") {
			t.Errorf("asked again:\n%s", again)
		}
	})
	t.Run("a site", func(t *testing.T) {
		n := arrive(t)
		shown, _ := n.types("Go on in", "2", n.site)
		n.sees(shown, "Looking for the pages of localhost:", "AT/api/ui/backfill/", "2 pages found so far, of which",
			"DATA/backfill-sites.yaml", dashboard)
		n.running(func(client *api.Client) {
			found, err := api.Search.Call(t.Context(), client, api.SearchRequest{Q: "barnacles"})
			if must(t, err); found.Count != 1 {
				t.Errorf("found %+v", found)
			}
			if sites, err := api.ListSites.Call(t.Context(), client, api.None{}); err != nil || len(sites.Sites) != 1 {
				t.Errorf("after the next start the sites are %+v (%v)", sites, err)
			}
		})
	})
	t.Run("no such site", func(t *testing.T) {
		n := arrive(t)
		shown, _ := n.types("Go on in", "2", n.site+"/none/")
		n.sees(shown, "No page was found:", "left out, no include pattern matches: 2", "docs backfill-sites",
			"Meanwhile its first page is watched.", "SITE/none is Error", dashboard)
	})
	t.Run("a site without a sitemap", func(t *testing.T) { arrive(t).asks() })
	t.Run("sample data", func(t *testing.T) {
		n := arrive(t)
		shown, _ := n.types("Go on in", "3")
		n.sees(shown, "28 sample pages of a manual can be searched", "One has changed since: AT/api/ui/items/file_",
			"To be rid of them:", dashboard)
		_, command, _ := strings.Cut(shown, "To be rid of them:\n")
		command, _, _ = strings.Cut(command, "\n")
		n.running(func(client *api.Client) { n.looksAround(client, command) })
	})
	t.Run("the home page", func(t *testing.T) {
		n := arrive(t)
		n.running(func(*api.Client) {
			n.home("text/html,*/*;q=0.8", http.StatusUnauthorized, "<code>tidemark link</code> prints a link")
			n.home("*/*", http.StatusOK, `{"dashboard":"/api/ui","documentation":"/api/docs"`)
		})
	})
	t.Run("nothing", func(t *testing.T) {
		n := arrive(t)
		shown, code := n.types("", "^C")
		if n.sees(shown, "tidemark: interrupted"); code != 130 {
			t.Errorf("ended with %d", code)
		}
		if left, err := os.ReadDir(n.folder); err != nil || len(left) > 0 {
			t.Errorf("an interrupted question leaves %v (%v)", left, err)
		}
		shown, _ = n.types("Ctrl-C stops it.", "")
		n.sees(shown, "Next, in another terminal:", "stopped; the data is in DATA")
	})
}

// asks begins with a site without a sitemap, whose page and command then ask what to read, as the output says.
func (n newcomer) asks() {
	bare := httptest.NewServer(http.HandlerFunc(onePage))
	n.Cleanup(bare.Close)
	n.site = strings.Replace(bare.URL, "127.0.0.1", "localhost", 1)
	host := strings.TrimPrefix(n.site, "http://")
	slug := strings.ReplaceAll(host, ":", "-")
	n.Setenv("CRAWL_ALLOW_HOSTS", host)
	shown, _ := n.types("Go on in", "2", n.site)
	n.sees(shown, "No page was found:", "sites show "+slug+" --server AT", "AT/api/ui/hosts/"+host,
		"its first page is watched", "Go on in the dashboard: AT/api/ui")
	n.running(func(client *api.Client) {
		var one api.Site
		for deadline := time.Now().Add(time.Minute); one.Question == nil && time.Now().Before(deadline); {
			var err error
			one, err = api.GetSite.Call(n.Context(), client, api.SiteSlug{Slug: slug})
			must(n.T, err)
			time.Sleep(100 * time.Millisecond)
		}
		if one.Question == nil || len(one.Question.Choices) != 2 {
			n.Errorf("nothing is asked: %+v", one)
		}
	})
}

// onePage serves a site without a sitemap.
func onePage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, "<html lang=en><title>Quay</title><main><h1>Quay</h1><p>Ropes.</p><a href=/a>A</a></main></html>")
}

// manual serves a site of two pages and a sitemap.
func manual(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one.html": "<html lang=en><title>Biofouling</title><main><h1>Biofouling</h1><p>Barnacles settle in summer.</p>" +
			"</main>",
		"two.html": "<html lang=en><title>Ice</title><main><h1>Ice</h1><p>Ice lifts the float in a hard winter.</p></main>",
		"sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/one.html</loc></url>` +
			`<url><loc>/two.html</loc></url></urlset>`,
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// looksAround finds the sample pages and the change of one of them, and removes them as the output says.
func (n newcomer) looksAround(client *api.Client, removal string) {
	found, err := api.Search.Call(n.Context(), client, api.SearchRequest{Q: "zebrafish"})
	if must(n.T, err); len(found.Results) != 1 {
		n.Fatalf("found %+v", found)
	}
	it, err := api.GetItem.Call(n.Context(), client, api.ItemID{ID: found.Results[0].ID})
	if must(n.T, err); len(it.Captures) != 2 {
		n.Errorf("the page that changed has %d captures", len(it.Captures))
	}
	if out, err := exec.CommandContext(n.Context(), "sh", "-c", removal).CombinedOutput(); err != nil {
		n.Fatalf("%s: %v\n%s", removal, err, out)
	}
	eventually(n.T, "the sample is gone", func() bool {
		list, err := api.ListItems.Call(n.Context(), client, api.ItemQuery{})
		if err != nil || len(list.Items) > 0 {
			return false
		}
		found, err = api.Search.Call(n.Context(), client, api.SearchRequest{Q: "zebrafish"})
		return err == nil && len(found.Results) == 0
	})
	if _, err := os.Stat(filepath.Join(n.folder, ".tidemark", "sample")); !os.IsNotExist(err) {
		n.Errorf("its files are still there: %v", err)
	}
}

// home requests "/", follows the redirect, and checks the result.
func (n newcomer) home(accept string, status int, text string) {
	n.Helper()
	req, err := http.NewRequestWithContext(n.Context(), "GET", "http://localhost:"+n.port+"/", nil)
	must(n.T, err)
	req.Header.Set("Accept", accept)
	res, err := http.DefaultClient.Do(req)
	must(n.T, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if must(n.T, err); res.StatusCode != status || !strings.Contains(string(body), text) {
		n.Errorf("for %s: %s, want %d and %q:\n%s", accept, res.Status, status, text, body)
	}
}

// running starts Tidemark again, without a terminal, until f returns.
func (n newcomer) running(f func(*api.Client)) {
	n.Helper()
	ctx, stop := context.WithCancel(n.Context())
	cmd := exec.CommandContext(ctx, n.exe, "start", "--port", n.port)
	cmd.Dir = n.folder
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	must(n.T, cmd.Start())
	defer func() { stop(); _ = cmd.Wait() }()
	server := "http://localhost:" + n.port
	eventually(n.T, "it answers", func() bool {
		h, err := api.GetHealth.Call(ctx, keyfile.Client(os.Getenv, server), api.None{})
		return err == nil && h.Status == "ok"
	})
	f(keyfile.Client(os.Getenv, server))
}
