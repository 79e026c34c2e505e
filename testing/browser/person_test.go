package browser

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// inbox is a receiver of webhooks.
type inbox struct {
	mu     sync.Mutex
	bodies []string
}

func (b *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bodies = append(b.bodies, string(body))
	w.WriteHeader(http.StatusNoContent)
}

// with counts the messages that contain a text.
func (b *inbox) with(text string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, body := range b.bodies {
		if strings.Contains(body, text) {
			n++
		}
	}
	return n
}

// edit replaces a text in a file of the site.
func (s *stage) edit(name, before, after string) {
	s.Helper()
	path := filepath.Join(s.folder, filepath.FromSlash(name))
	body, err := os.ReadFile(path)
	must(s.T, err)
	if !strings.Contains(string(body), before) {
		s.Fatalf("%s does not say %q", name, before)
	}
	must(s.T, os.WriteFile(path, []byte(strings.Replace(string(body), before, after, 1)), 0o644))
}

// toFirstChannel selects the first channel of a form for a rule. The form may have selected it.
var toFirstChannel = chromedp.Evaluate(`document.getElementsByName("channels")[0].checked = true`, nil)

// rule creates a channel for a webhook, tests it, and creates a rule that sends every change to it. The guide ends
// there.
func (s *stage) rule(name, webhook string) {
	s.Helper()
	s.open("/notifications/new-channel?kind=webhook")
	s.do(chromedp.SetValue(`[name="name"]`, "ops"), chromedp.SetValue(`[name="url"]`, webhook),
		chromedp.Click("main button.main"), chromedp.WaitVisible(".notice code")) // which tests the channel, too
	s.open("/tell?all=1&name=" + url.QueryEscape(name))
	s.do(toFirstChannel, chromedp.Click("main button.main"))
	s.reads("main .alerts", name)
	s.open("")
	if text := s.text("main"); strings.Contains(text, "can be searched") {
		s.Error("the guide does not end with a rule")
	}
}

// ignoresFirst ticks the first line of a difference, and ignores lines with a pattern in its place: the line is new, so
// that it is not known what of it moves.
func (s *stage) ignoresFirst(pattern string) {
	s.do(chromedp.Click(`[name="line"]`), chromedp.SetValue(`[name="pattern.1"]`, pattern),
		chromedp.Click("button[value=ignore]"), chromedp.WaitVisible(".toast"))
}

// keepsTexts waits until an item was checked, and has captures of so many texts.
func (s *stage) keepsTexts(id string, want int) {
	s.T.Helper()
	s.eventually("it was checked", func() bool {
		now, err := api.GetItem.Call(s.T.Context(), s.client, api.ItemID{ID: id})
		if err != nil {
			return false
		}
		texts := slices.DeleteFunc(now.Captures, func(c api.Capture) bool { return c.SameTextAs != "" })
		return len(texts) == want && now.Status == api.StatusIndexed
	})
}

// TestU10FromASiteToAPassage adds a site and watches its pages, gets an edit by a webhook, ignores noise, gets no
// further message about the noise, and finds the passage (U10, U6).
func TestU10FromASiteToAPassage(t *testing.T) {
	t.Parallel()
	s := newStage(t, "WEBHOOK_ALLOW_HOSTS=127.0.0.1", "SENTINEL_MAX_PER_DAY=500")
	script := axe(t)
	got := &inbox{}
	receiver := httptest.NewServer(got)
	t.Cleanup(receiver.Close)
	s.open("")
	s.everybody(script, "empty")
	s.open("/hosts")
	s.do(chromedp.SendKeys(`form[action="/api/ui/sites"] [name="url"]`, s.site+"/sitemap.xml"), chromedp.Click(`form[action="/api/ui/sites"] button`),
		chromedp.WaitReady("#live-host"))
	s.open("")
	s.reads("#live-guide", "Find something")
	s.everybody(script, "guide")
	host := strings.TrimPrefix(s.site, "http://")
	s.eventually("all its pages were read", func() bool {
		st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{Host: host})
		return err == nil && st.Backlog() == 0 && st.Items[api.StatusIndexed] > 10
	})

	s.rule("The text", receiver.URL)

	const page = "reference/specifications.html"
	it, err := api.AddURL.Call(t.Context(), s.client, api.AddURLRequest{URL: s.site + "/" + page})
	must(t, err)
	check := func() {
		t.Helper()
		s.open("/items/" + it.ID)
		s.press("button[value=check]")
		s.do(chromedp.WaitVisible(".toast"))
	}
	s.edit(page, "six weeks", "seven weeks")
	check()
	s.reads("#live-item .diff ins", "seven")

	s.edit(page, "</h1>", "</h1><p>Read by 17 harbour masters today.</p>")
	check()
	s.reads("#live-item .diff", "17 harbour masters")
	s.press(`#live-item a[href*="/diff?"]`)
	s.reads(".diff", "17 harbour masters")
	s.press("a[href*='/rendered']")
	s.reads(".rendered .come", "17 harbour masters")
	s.everybody(script, "as-pages")
	s.open("/items/" + it.ID)
	s.press(`#live-item a[href*="/ignore"]`)
	s.reads("main", "Nothing is ticked yet")
	s.everybody(script, "ignore")
	s.ignoresFirst(`^Read by \d+ harbour masters today\.$`)
	s.edit(page, "by 17 harbour", "by 18 harbour")
	check()
	s.keepsTexts(it.ID, 4)
	s.edit(page, "seven weeks", "eight weeks")
	check()
	s.eventually("the webhook says what counts", func() bool {
		return got.with("six weeks") == 1 && got.with("17 harbour masters") == 1 && got.with("eight weeks") == 1
	})
	if n := got.with("by 18 harbour"); n > 0 {
		t.Errorf("%d messages are of what is ignored", n)
	}

	s.open("")
	s.reads("#live-changes", "eight weeks")
	s.shootBoth("a-changes")
	s.do(chromedp.Click("header nav a[href^='/api/ui/search']"), chromedp.WaitVisible("input[type=search]"))
	s.do(chromedp.SendKeys("input[type=search]", "eight weeks bent steel"))
	s.reads("#results mark", "eight")
	s.do(chromedp.Click("#results .result a[href*='/read']"), chromedp.WaitVisible("article"))
	s.reads("article", "eight weeks for a piece of bent steel")
	s.do(chromedp.Click("a[rel=prev]"), chromedp.WaitVisible("a[rel=next]"))
	s.reads("article", "seven weeks")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}
