package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// root is the top of the repository.
const root = "../.."

// patience is how long a test waits for one thing to happen. It is much more than any of them needs: on a busy machine
// with few cores, a browser may take a hundred times as long as on an idle one.
const patience = 4 * time.Minute

// stage is a running Tidemark, its site, and a browser.
type stage struct {
	*testing.T
	ctx    context.Context // of the tab
	site   string          // address of the site
	folder string          // of the site's files
	server string          // address of Tidemark
	client *api.Client
	said   []string // errors that the page wrote to the console
}

// newStage starts everything. If the test fails, the output of the processes is shown.
func newStage(t *testing.T, env ...string) *stage {
	t.Helper()
	return stageIn(t, t.TempDir(), env...)
}

// stageIn starts everything in a folder, whose folder data may have a store.
func stageIn(t *testing.T, dir string, env ...string) *stage {
	t.Helper()
	s := serveIn(t, dir, env...)
	s.browse()
	return s
}

// serveIn starts everything but a browser.
func serveIn(t *testing.T, dir string, env ...string) *stage {
	t.Helper()
	s := &stage{T: t, folder: filepath.Join(dir, "site"), site: "http://" + freePort(t), server: "http://" + freePort(t)}
	s.client = api.NewClient(s.server, "", nil)
	must(t, os.CopyFS(s.folder, os.DirFS(filepath.Join(root, "testdata", "site"))))
	s.spawn(nil, "demosite", "-dir", s.folder, "-addr", strings.TrimPrefix(s.site, "http://"), "-log",
		filepath.Join(dir, "requests.log"))
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.server, "http://"))
	must(t, err)
	sites := filepath.Join(dir, "sites.yaml")
	must(t, os.WriteFile(sites, fmt.Appendf(nil,
		"sites:\n  - {slug: gauge, domain: %[1]q, sitemaps: [%[2]s/sitemap.xml]}\n  - {slug: evil, domain: %[1]q, "+
			"sitemaps: ['%[2]s/evil.html?<script>window.owned=1</script>\"onfocus=\"window.owned=1']}\n",
		strings.TrimPrefix(s.site, "http://"), s.site), 0o644))
	// Each full hour, polls would add pages that no test expects.
	env = append([]string{"CRAWL_ALLOW_HOSTS=localhost,127.0.0.1", "BACKFILL_ENABLED=true", "SENTINEL_MAX_PER_DAY=0",
		"BACKFILL_SITES_FILE=" + sites, "API_KEYS_REQUIRED=false", "XDG_STATE_HOME=" + dir}, env...)
	s.spawn(env, "tidemark", "start", "--port", port, "--data", filepath.Join(dir, "data"))
	s.eventually("Tidemark answers",
		func() bool { _, err := api.GetHealth.Call(t.Context(), s.client, api.None{}); return err == nil })
	return s
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return fmt.Sprintf("localhost:%d", l.Addr().(*net.TCPAddr).Port)
}

func (s *stage) spawn(env []string, program string, args ...string) {
	s.Helper()
	path, err := filepath.Abs(filepath.Join(root, "build", program))
	must(s.T, err)
	s.runs(env, path, args...)
}

// runs runs a program until the test ends.
func (s *stage) runs(env []string, program string, args ...string) {
	s.Helper()
	var out bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), &out, &out
	must(s.T, cmd.Start())
	s.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if s.Failed() {
			s.Logf("%s printed:\n%s", program, out.String())
		}
	})
}

// browse opens a tab. CHROMIUM names the browser. Without it, browse searches for one.
func (s *stage) browse(more ...chromedp.ExecAllocatorOption) {
	s.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1200, 1000))
	options = append(options, more...)
	if path := os.Getenv("CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	tab, leave := chromedp.NewContext(ctx)
	tab, cancel := context.WithTimeout(tab, 10*patience)
	s.Cleanup(func() { cancel(); leave(); stop() })
	chromedp.ListenTarget(tab, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			s.said = append(s.said, ev.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if ev.Type == runtime.APITypeError {
				s.said = append(s.said, fmt.Sprint(ev.Args))
			}
		}
	})
	s.ctx = tab
	must(s.T, chromedp.Run(tab)) // the browser lives until the context of its first run ends
}

// do performs actions in the browser.
func (s *stage) do(actions ...chromedp.Action) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			s.shoot("failed")
		}
		s.Fatalf("in the browser: %v\n%s", err, strings.Join(s.said, "\n"))
	}
}

// open goes to a page of the dashboard.
func (s *stage) open(path string) {
	s.Helper()
	s.do(chromedp.Navigate(s.server+"/api/ui"+path), chromedp.WaitReady("main"))
}

// ask evaluates an expression. If the browser leaves the page meanwhile, ask evaluates it again on the next page.
func (s *stage) ask(expression string, answer any) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	err := chromedp.Run(ctx, chromedp.Evaluate(expression, answer))
	for ; left(err); err = chromedp.Run(ctx, chromedp.Evaluate(expression, answer)) {
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		s.Fatalf("in the browser: %v\n%s", err, strings.Join(s.said, "\n"))
	}
}

// left reports whether an error means that the browser left the page during an evaluation.
func left(err error) bool {
	var failed *cdproto.Error
	return errors.As(err, &failed) && (strings.Contains(failed.Message, "navigated or closed") ||
		strings.Contains(failed.Message, "context was destroyed") ||
		strings.Contains(failed.Message, "Cannot find context"))
}

// text returns the visible text in a part of the page. It does not wait, because pages update themselves.
func (s *stage) text(selector string) (out string) {
	s.Helper()
	s.ask(fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ""`, selector), &out)
	return out
}

// press clicks an element that an update may replace at any moment. The click runs after the evaluation has returned,
// because it may end the evaluation.
func (s *stage) press(selector string) {
	s.Helper()
	s.eventually(selector+" is there", func() (done bool) {
		s.ask(fmt.Sprintf(`{ const e = document.querySelector(%q); setTimeout(() => e?.click()); e !== null }`, selector),
			&done)
		return done
	})
}

// leave presses an element, and waits for the page that it leads to.
func (s *stage) leave(selector string) {
	s.Helper()
	s.leaving(func() { s.press(selector) })
}

// leaving does what leads to another page, and waits for all of that page, which may look like the one before. Keys
// mean nothing until its script has run.
func (s *stage) leaving(act func()) {
	s.Helper()
	s.do(chromedp.Evaluate(`window.isLeft = true`, nil))
	act()
	s.eventually("another page is loaded", func() (done bool) {
		s.ask(`!window.isLeft && document.readyState === "complete"`, &done)
		return done
	})
}

// reads waits until a text is visible in a part of the page, without loading the page again.
func (s *stage) reads(selector, want string) {
	s.Helper()
	var text string
	found := false
	defer func() {
		if !found {
			s.Logf("%s reads %.600q", selector, text)
		}
	}()
	s.eventually(fmt.Sprintf("%q is read in %s", want, selector), func() bool {
		text = s.text(selector)
		found = strings.Contains(text, want)
		return found
	})
}

func (s *stage) eventually(what string, done func() bool) {
	s.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			if s.ctx != nil {
				s.shoot("failed")
			}
			s.Fatalf("it never happened that %s", what)
		}
	}
}

// shoot saves a picture of the whole page in build/screenshots.
func (s *stage) shoot(name string) {
	s.Helper()
	var png []byte
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	must(s.T, chromedp.Run(ctx, chromedp.FullScreenshot(&png, 100)))
	s.save(name, png)
}

// save writes a picture.
func (s *stage) save(name string, png []byte) {
	s.Helper()
	dir := filepath.Join(root, "build", "screenshots")
	must(s.T, os.MkdirAll(dir, 0o755))
	must(s.T, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// shootBoth saves a picture of one screen of the page at both widths.
func (s *stage) shootBoth(name string) {
	s.Helper()
	for _, l := range []look{looks[2], looks[0]} {
		s.lookAs(l)
		var png []byte
		s.do(chromedp.EmulateViewport(l.width, 800), chromedp.CaptureScreenshot(&png))
		s.save(name+"-"+l.name, png)
		s.lookAs(l)
	}
}

// look is the width and color scheme of a page.
type look struct {
	name   string
	width  int64
	scheme string
}

var looks = []look{{"wide", 1200, "light"}, {"dark", 1200, "dark"}, {"narrow", 390, "light"}}

func (s *stage) lookAs(l look) {
	s.Helper()
	s.do(chromedp.EmulateViewport(l.width, 1000), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
