package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tidemark/tidemark/pkg/api"
)

// awaited lets an expression answer later.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// A person adds a page, watches it become searchable while typing, edits it, has it checked and sees
// what changed; without asking for any page twice.
func TestAddFindAndCompare(t *testing.T) {
	s := newStage(t)
	url := s.site + "/reference/specifications.html"
	s.open("")
	s.reads("main", "Nothing is registered yet")
	s.shoot("empty")
	s.do(chromedp.SendKeys("#urls", url), chromedp.Click("form[action^='/api/ui/add'] button"), chromedp.WaitVisible(".flash"))
	s.reads("h1", "Indexed")
	s.reads("#live-item", "fetched for the first time")

	s.do(chromedp.Click("header nav a[href^='/api/ui/search']"), chromedp.WaitVisible("input[type=search]"))
	s.do(chromedp.SendKeys("input[type=search]", "bent ste"))
	s.do(chromedp.SendKeys("input[type=search]", "el"))
	s.reads("#results", "1 page")
	s.reads("#results mark", "bent")
	s.shoot("search")

	path := filepath.Join(s.folder, "reference", "specifications.html")
	body, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(strings.Replace(string(body), "six weeks", "seven weeks", 1)), 0o644))
	s.do(chromedp.Click("#results h2 a"), chromedp.WaitVisible("button[value=check]"))
	s.do(chromedp.Click("button[value=check]"), chromedp.WaitVisible(".flash"))
	s.reads("#live-item", "What changed")
	s.shoot("item")
	s.do(chromedp.Click("#live-item td.acts a"), chromedp.WaitVisible(".diff"))
	if gone, come := s.text(".diff del"), s.text(".diff ins"); strings.TrimSpace(gone) != "six" || strings.TrimSpace(come) != "seven" {
		t.Errorf("%q became %q", gone, come)
	}
	s.shoot("diff")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}

// Each page can be used by everybody: by keys, in the dark, on a telephone.
func TestEverybody(t *testing.T) {
	s := newStage(t)
	script := axe(t)
	one, err := s.client.AddURL(t.Context(), s.site+"/index.html", api.AddOptions{})
	must(t, err)
	_, err = s.client.AddURL(t.Context(), s.site+"/nothing-here.html", api.AddOptions{})
	must(t, err)
	s.eventually("both were looked at", func() bool {
		st, err := s.client.Status(t.Context(), "")
		return err == nil && st.Backlog() == 0 && st.Total() == 2
	})
	item, err := s.client.Item(t.Context(), one.ID)
	must(t, err)
	digest := item.Captures[0].SHA256
	host := strings.TrimPrefix(s.site, "http://")
	run, err := s.client.StartBackfill(t.Context(), api.BackfillRequest{Sources: []string{"gauge"}, DryRun: true})
	must(t, err)
	audit, err := s.client.StartRebuild(t.Context(), api.RebuildRequest{Audit: true})
	must(t, err)
	for name, path := range map[string]string{
		"overview": "", "items": "/items", "no-items": "/items?find=submarine", "one-item": "/items/" + one.ID,
		"no-change": "/items/" + one.ID + "/diff?from=" + digest + "&to=" + digest,
		"found":     "/search?q=tide&pictures=1", "hosts": "/hosts", "host": "/hosts/" + host, "unknown": "/nothing",
		"backfill": "/backfill", "run": "/backfill/" + run.ID, "index": "/index", "audit": "/index/run?id=" + audit.ID,
	} {
		for _, l := range looks {
			s.lookAs(l)
			s.open(path)
			s.accessible(script, name+", "+l.name)
			s.fits(name + ", " + l.name)
			s.shoot(name + "-" + l.name)
		}
	}
	s.open("/items")
	s.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	var at string
	s.do(chromedp.Evaluate(`document.activeElement.id`, &at))
	if at != "main" {
		t.Errorf("the first key goes to %q, not past the navigation", at)
	}
	s.do(chromedp.KeyEvent("/"), chromedp.Evaluate(`document.activeElement.type`, &at))
	if at != "search" {
		t.Errorf("/ goes to %q", at)
	}
}

// A page full of script is only text.
func TestHostilePage(t *testing.T) {
	s := newStage(t)
	evil := `<script>window.owned=1</script>`
	must(t, os.WriteFile(filepath.Join(s.folder, "evil.html"), []byte(`<!doctype html><html lang="en"><title>&lt;script&gt;window.owned=1&lt;/script&gt;</title><main><h1>&lt;img src=x onerror=window.owned=1&gt;</h1>
<p>submarine &lt;script&gt;window.owned=1&lt;/script&gt; "'&gt;&lt;svg onload=window.owned=1&gt;</p><a href="javascript:window.owned=1">go</a><img src="javascript:window.owned=1" alt="&lt;script&gt;window.owned=1&lt;/script&gt;">`+evil+`</main>`), 0o644))
	it, err := s.client.AddURL(t.Context(), s.site+"/evil.html?<script>window.owned=1</script>", api.AddOptions{})
	must(t, err)
	s.eventually("it is indexed", func() bool {
		found, err := s.client.Item(t.Context(), it.ID)
		return err == nil && found.Status == "Indexed"
	})
	digest := ""
	if found, err := s.client.Item(t.Context(), it.ID); err == nil {
		digest = found.Captures[0].SHA256
	}
	for _, path := range []string{"", "/items", "/items/" + it.ID, "/search?q=submarine&pictures=1", "/items/" + it.ID + "/diff?from=" + digest + "&to=" + digest, "/hosts"} {
		s.open(path)
		var owned bool
		if s.do(chromedp.Evaluate(`window.owned === 1`, &owned)); owned {
			t.Errorf("%s ran the page's script", path)
		}
	}
	s.open("/search?q=submarine")
	s.reads("#results h2", "<img")
}
