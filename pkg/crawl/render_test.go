package crawl

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// stagehand is a fake of a browser, which fills the root element of each page. The tests in testing/browser/render have
// real ones.
type stagehand struct {
	text    string
	failing error
	renders int
	asked   render.Page // the last one
	out     render.Rendered
	only    bool // it is for pages for which a setting asks
}

func (b *stagehand) ReadsThin() bool { return !b.only }

func (b *stagehand) Render(_ context.Context, p render.Page) (render.Rendered, error) {
	b.renders++
	if b.asked = p; b.failing != nil {
		return render.Rendered{}, b.failing
	}
	out := b.out
	if out.HTML == nil {
		out.HTML = filled(p.Plain.Body, b.text)
	}
	out.URL, out.Plain, out.Waited, out.Elapsed = cmp.Or(out.URL, p.Plain.FinalURL), *p.Plain, true, time.Second
	return out, nil
}

// filled returns a page with a text in its root element.
func filled(body []byte, text string) []byte {
	return []byte(strings.Replace(string(body), `<div id="root">`, `<div id="root"><p>`+text+`</p>`, 1))
}

// shellPage is a page that has no text without its scripts. The given text is in a comment.
func shellPage(note string) page {
	return page{header: http.Header{"Etag": {`"` + note + `"`}},
		body: `<html lang=en><head><title>Tides</title></head><body><!-- ` + note +
			` --><div id="root"></div><script src="/app.js"></script></body></html>`}
}

// browsed returns a rig whose worker has a browser.
func browsed(t *testing.T, b *stagehand, adjust ...func(*knobs)) *rig {
	return newRig(t, append(adjust, func(k *knobs) { k.crawl.Browser = b })...)
}

const (
	spring = "The spring tide reaches the old harbour wall at noon, and the lower quay is closed to carts for two hours."
	neap   = "The neap tide stays a yard below the old harbour wall, and boats that draw more wait outside the mole."
)

// indexedText returns the text of a page in the index.
func (r *rig) indexedText(path string) string {
	var out []string
	for _, c := range r.put(path).Chunks {
		out = append(out, c.Text)
	}
	return strings.Join(out, " ")
}

func (r *rig) setRender(path, mode string) {
	r.t.Helper()
	_, err := r.reg.Items.Set(r.t.Context(), r.item(path).ID, registry.Settings{Patch: api.Patch{"render": mode}})
	must(r.t, err)
}

// TestR3CheapFirst checks that a thin page is rendered, that a plain answer which is the same makes renders rare, that
// data which change alone are found and make each check render, and that what is kept is the rendered page with the
// plain body beside it (R3, R4).
func TestR3CheapFirst(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := &stagehand{text: spring}
		r := browsed(t, b, on(open), func(k *knobs) {
			k.crawl.Schedule.Base, k.crawl.Schedule.Max = time.Hour, time.Hour
		})
		r.site.put("/p", shellPage("1"))
		it := r.first("/p")
		if b.renders != 1 || it.Thin != "" || !strings.Contains(r.indexedText("/p"), "spring tide") {
			t.Fatalf("%d renders, thin %q, index %q, %+v", b.renders, it.Thin, r.indexedText("/p"), it.History)
		}
		capture, body, err := r.snaps.Load(t.Context(), it.ID, it.RawHash)
		must(t, err)
		plain, err := r.snaps.Body(t.Context(), capture.PlainHash)
		must(t, err)
		if !strings.Contains(string(body), "spring tide") || string(plain) != shellPage("1").body ||
			it.Rendering.Plain != capture.PlainHash {
			t.Errorf("kept %s\nsent %s", body, plain)
		}
		// The same plain answer: rendered, then skipped once, rendered, then skipped three times.
		for i, want := range []int{2, 2, 3, 3, 3, 3, 4} {
			if it = r.next("/p"); b.renders != want || it.Status != registry.Indexed {
				t.Fatalf("check %d: %d renders, want %d; %s %s", i, b.renders, want, it.Status, it.ErrorMessage)
			}
		}
		b.text = neap // its HTML is the same
		for range 8 {
			it = r.next("/p")
		}
		if kinds := strings.Join(r.kinds("/p"), " "); kinds != "new content" || !it.Rendering.Apart {
			t.Fatalf("changes %q, %+v", kinds, it.Rendering)
		}
		renders := b.renders
		if r.next("/p"); b.renders != renders+1 {
			t.Error("a page whose data change alone is not rendered at each check")
		}
	})
}

// TestR1OnlyAsked checks that a browser which is for pages for which a setting asks is not used for others (R1).
func TestR1OnlyAsked(t *testing.T) {
	b := &stagehand{text: spring, only: true}
	r := browsed(t, b)
	r.site.put("/p", shellPage("1"))
	if it := r.first("/p"); b.renders != 0 || it.Thin == "" {
		t.Errorf("nobody asked: %d renders, thin %q", b.renders, it.Thin)
	}
	r.setRender("/p", "always")
	if it := r.next("/p"); b.renders != 1 || it.Thin != "" {
		t.Errorf("a setting asks: %d renders, thin %q", b.renders, it.Thin)
	}
}

// TestR3OtherHTML checks that another plain answer is rendered at once.
func TestR3OtherHTML(t *testing.T) {
	b := &stagehand{text: spring}
	r := browsed(t, b)
	r.site.put("/p", shellPage("1"))
	r.first("/p")
	r.next("/p")
	r.site.put("/p", shellPage("2"))
	b.text = neap
	if it := r.next("/p"); b.renders != 3 || it.Rendering.Apart || !strings.Contains(r.indexedText("/p"), "neap tide") {
		t.Errorf("%d renders, %+v, index %q", b.renders, it.Rendering, r.indexedText("/p"))
	}
}

// TestR3Baseline checks that going from plain to rendered reading, and back by a setting, is no change.
func TestR3Baseline(t *testing.T) {
	b := &stagehand{text: spring}
	r := newRig(t)
	r.site.put("/p", shellPage("1"))
	if it := r.first("/p"); it.Thin == "" {
		t.Fatal("the page is not thin")
	}
	r.o.Browser = b
	it := r.next("/p")
	if b.renders != 1 || it.Thin != "" || !strings.Contains(r.indexedText("/p"), "spring tide") {
		t.Fatalf("%d renders, thin %q, index %q", b.renders, it.Thin, r.indexedText("/p"))
	}
	r.setRender("/p", options.RenderNever)
	if it = r.next("/p"); it.Thin == "" || it.Rendering.IsRendered() || strings.Contains(r.indexedText("/p"), "noon") {
		t.Errorf("back to plain: thin %q, %+v, index %q", it.Thin, it.Rendering, r.indexedText("/p"))
	}
	r.setRender("/p", options.RenderAlways)
	it = r.next("/p")
	if kinds := strings.Join(r.kinds("/p"), " "); kinds != "new" || !it.Rendering.IsRendered() {
		t.Errorf("changes %q, %+v", kinds, it.Rendering)
	}
	told := 0
	for _, d := range it.History {
		if d.What == "rendered" && strings.Contains(d.Why, "a new baseline") {
			told++
		}
	}
	if told != 3 {
		t.Errorf("the history tells of %d new baselines: %+v", told, it.History)
	}
}

// TestR3LostBrowser checks that a plain reading never replaces a rendered one: without a browser the check fails, and
// is tried again.
func TestR3LostBrowser(t *testing.T) {
	b := &stagehand{text: spring}
	r := browsed(t, b)
	r.site.put("/p", shellPage("1"))
	hash := r.first("/p").ContentHash
	lost := &render.BrowserError{Err: fault.New(fault.Unavailable, "connection refused")}
	r.site.put("/p", shellPage("2"))
	for name, without := range map[string]func(){
		"it fails":      func() { b.failing = lost },
		"there is none": func() { r.o.Browser = nil },
	} {
		without()
		it := r.next("/p")
		if it.Status != registry.Error || it.ContentHash != hash || !strings.Contains(it.ErrorMessage, "browser") ||
			!strings.Contains(r.indexedText("/p"), "spring tide") {
			t.Errorf("%s: %s %q, index %q", name, it.Status, it.ErrorMessage, r.indexedText("/p"))
		}
	}
	b.failing, b.text, r.o.Browser = nil, neap, b
	if it := r.next("/p"); it.Status != registry.Indexed || !strings.Contains(r.indexedText("/p"), "neap tide") {
		t.Errorf("afterwards: %s %q, index %q", it.Status, it.ErrorMessage, r.indexedText("/p"))
	}
}

// TestR3Needless checks that a page which says the same in a browser is rendered once, and read as it is. If it has
// hardly any text there either, it says so, and a check that somebody asks for renders it again: text that comes then
// is a change.
func TestR3Needless(t *testing.T) {
	b := &stagehand{}
	r := browsed(t, b)
	r.site.put("/p", shellPage("1"))
	r.first("/p")
	for i := range 4 {
		r.site.put("/p", shellPage(fmt.Sprint("other bytes ", i)))
		r.next("/p")
	}
	it := r.item("/p")
	if b.renders != 1 || it.Rendering.IsRendered() || it.Rendering.Needless == "" ||
		it.Thin != "it has hardly any text in a browser, too" {
		t.Errorf("%d renders, %+v, thin %q", b.renders, it.Rendering, it.Thin)
	}
	b.text = spring
	r.look("/p")
	if it = r.item("/p"); b.renders != 2 || it.Thin != "" || strings.Join(r.kinds("/p"), " ") != "new content" {
		t.Errorf("%d renders, thin %q, changes %q, %+v", b.renders, it.Thin, r.kinds("/p"), it.Rendering)
	}
}

// TestR3Blank checks that a page whose scripts leave nothing of it, not even themselves, says that it has no text.
func TestR3Blank(t *testing.T) {
	b := &stagehand{out: render.Rendered{HTML: []byte("<html><head></head><body></body></html>")}}
	r := browsed(t, b)
	r.site.put("/p", shellPage("1"))
	r.first("/p")
	if it := r.item("/p"); it.Thin != "it has hardly any text in a browser, too" {
		t.Errorf("thin %q, %+v", it.Thin, it.Rendering)
	}
}

// TestR3Short checks that a page that asks for JavaScript and is short, but says the same in a browser, is not thin.
func TestR3Short(t *testing.T) {
	b := &stagehand{}
	r := browsed(t, b)
	r.site.put("/p", page{body: `<html lang=en><title>Tides</title><p>The tide is high at noon.</p><script src=a.js>` +
		`</script><noscript>Some things need JavaScript.</noscript>`})
	b.out.HTML = []byte(`<html lang=en><title>Tides</title><p>The tide is high at noon.</p><script src=a.js></script>`)
	for range 4 {
		r.look("/p")
	}
	if it := r.item("/p"); b.renders != 1 || it.Thin != "" || it.Rendering.Needless == "" {
		t.Errorf("%d renders, thin %q, %+v", b.renders, it.Thin, it.Rendering)
	}
}

// TestA11NoIndexByScript checks that a page whose scripts forbid to index it leaves the index, and says
// why (A11).
func TestA11NoIndexByScript(t *testing.T) {
	b := &stagehand{text: spring}
	r := browsed(t, b)
	r.site.put("/p", shellPage("1"))
	if it := r.first("/p"); it.Status != indexed || it.Exclusion != "" {
		t.Fatalf("%s, %q", it.Status, it.Exclusion)
	}
	shown := string(filled([]byte(shellPage("1").body), spring))
	b.out.HTML = []byte(strings.Replace(shown, "<head>", "<head><meta name=robots content=noindex>", 1))
	if it := r.look("/p"); it.Status != registry.OutOfScope || it.Exclusion != "noindex" || r.index.holds(it) != "" {
		t.Errorf("%s, %q, holds %q", it.Status, it.Exclusion, r.index.holds(it))
	}
}

// TestA11NoIndexAsSent checks that a page that forbids to index it as it is sent stays out of the index, also if its
// scripts remove that, and when it is read from its capture (A11). What is said to readers without scripts does not
// count.
func TestA11NoIndexAsSent(t *testing.T) {
	b := &stagehand{text: spring}
	r := browsed(t, b)
	shell := shellPage("1")
	b.out.HTML = filled([]byte(shell.body), spring)
	shell.body = strings.Replace(shell.body, "<head>", `<head><meta name="ROBOTS" content="noindex, follow">`, 1)
	r.site.put("/p", shell)
	if it := r.first("/p"); it.Status != registry.OutOfScope || it.Exclusion != "noindex" || b.renders != 1 {
		t.Fatalf("%s, %q after %d renders", it.Status, it.Exclusion, b.renders)
	}
	r.rebuild(rebuild.Scope{})
	if it := r.item("/p"); it.Exclusion != "noindex" {
		t.Errorf("read from its capture: %q", it.Exclusion)
	}
	shell.body = strings.Replace(shell.body, "<head>", "<head><noscript>", 1)
	shell.body = strings.Replace(shell.body, "</title>", "</title></noscript>", 1)
	r.site.put("/p", page{body: shell.body, header: shellPage("2").header})
	if it := r.look("/p"); it.Status != indexed || it.Exclusion != "" {
		t.Errorf("within noscript: %s, %q", it.Status, it.Exclusion)
	}
}

// TestR2Said checks that the item says what of a rendered page may be missing, and that the browser gets the item's
// options.
func TestR2Said(t *testing.T) {
	b := &stagehand{text: spring, out: render.Rendered{Met: []render.Bound{render.BoundTime}, Refused: []render.Refusal{
		{Reason: render.RefusedPDF, Count: 1}, {Reason: render.RefusedRobots, Count: 2, Host: "h.example"}}, Waiting: 1,
		Partly: true}}
	r := browsed(t, b)
	r.site.put("/p", shellPage("1"))
	r.register(false, "/p")
	_, err := r.reg.Items.Set(t.Context(), r.item("/p").ID, registry.Settings{Patch: api.Patch{"waitFor": "#root p",
		"viewport": "390x844", "colorScheme": "dark", "acceptLanguage": "de", "postHosts": []string{"api.example"}}})
	must(t, err)
	r.mustWork()
	it := r.item("/p")
	const want = "something may be missing: it met a bound (time); 1 request refused by the rules for PDFs within a " +
		"page, which are read at their own addresses; 2 requests refused by robots.txt; " +
		"1 request still open when the page was read (if its text comes late, set waitFor to a selector of what is to come)" +
		"; it shows only a part of its text at a time, and is read as it begins"
	if it.Rendering.Missing() != want || !strings.Contains(fmt.Sprint(it.History), want[:150]) {
		t.Errorf("%q, history %+v", it.Rendering.Missing(), it.History)
	}
	view := render.View{Width: 390, Height: 844, Language: "de", Dark: true}
	if p := b.asked; p.Selector != "#root p" || p.View != view ||
		len(p.PostHosts) != 1 || p.Gate == nil {
		t.Errorf("asked for %+v", p)
	}
}

// TestR3ReadablePagesCostNothing checks that a page which needs no browser costs the same requests to storage with one.
func TestR3ReadablePagesCostNothing(t *testing.T) {
	cost := func(b Browser) (n int) {
		counted := func(s storage.Store) storage.Store {
			return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
				n++
				return nil
			}})
		}
		r := newRig(t, func(k *knobs) { k.store = counted; k.crawl.Browser = b })
		r.site.put("/p", prose("T", 0, 100))
		r.first("/p")
		r.site.put("/p", prose("T", 10, 100))
		r.next("/p")
		r.next("/p")
		return n
	}
	b := &stagehand{}
	if with, without := cost(b), cost(nil); with != without || b.renders != 0 {
		t.Errorf("%d storage requests with a browser, %d without; %d renders", with, without, b.renders)
	}
}

// TestR3HeldAnswer checks that a check which is given back because no browser was free does not request its page again
// when it is made soon after; later, it does (R3).
func TestR3HeldAnswer(t *testing.T) {
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{time.Minute, 1}, {time.Hour, 2}} {
		b := &stagehand{text: spring}
		r := browsed(t, b, func(k *knobs) { k.crawl.RenderTime = time.Hour }) // longer than any job has
		r.site.put("/p", shellPage("1"))
		r.register(false, "/p")
		for _, job := range r.jobs() {
			must(t, r.Process(t.Context(), job))
		}
		if it := r.item("/p"); b.renders != 0 || it.Status != registry.Pending {
			t.Fatalf("%d renders, %s %s", b.renders, it.Status, it.ErrorMessage)
		}
		r.o.RenderTime = 0
		r.clock.pass(tt.after)
		r.mustWork()
		asked := strings.Count(strings.Join(r.site.asked(), "; "), "GET /p")
		if it := r.item("/p"); b.renders != 1 || it.Status != registry.Indexed || asked != tt.want {
			t.Errorf("after %s: %d renders, %s, %d requests", tt.after, b.renders, it.Status, asked)
		}
	}
}

// TestR2Pace checks that what a page loads counts as requests of its host, and that the pause before the next request
// grows with it: six requests count as one start.
func TestR2Pace(t *testing.T) {
	b := &stagehand{text: spring}
	const delay = 10 * time.Second
	r := browsed(t, b, func(k *knobs) { k.polite.MinDelay, k.polite.MaxDelay = delay, delay })
	b.out.ByHost = map[string]int{strings.TrimPrefix(r.site.URL, "http://"): 13, "cdn.example": 99}
	r.site.put("/p", shellPage("1"))
	r.site.put("/q", shellPage("2"))
	r.register(false, "/p", "/q")
	began := r.clock.now()
	r.mustWork()
	h, err := r.reg.Hosts.View(t.Context(), strings.TrimPrefix(r.site.URL, "http://"))
	must(t, err)
	if took, least := r.clock.now().Sub(began), 3*delay; b.renders != 2 || took < least || took > least+2*delay {
		t.Errorf("%d renders in %s, want at least %s", b.renders, took, least)
	}
	if n := h.Today.Requests; n < 2*(1+13) {
		t.Errorf("%d requests count for the host", n)
	}
}
