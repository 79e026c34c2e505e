package browser

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

var pictures = flag.Bool("pictures", false, "save pictures of all pages, at both widths, light and dark")

// The parts of pages that are measured.
const (
	oneChange  = "[data-change]" // a change of the first page that nobody has opened
	dialogue   = "/tell?item=%s"
	withPrice  = dialogue + "&what=value&value=price&op=%%3C"
	styleSheet = "/static/style.css"
)

// bounds are the most of what is measured.
var bounds = map[string]float64{
	"first page, 1280":           2200, // pixels high, with 30 changes
	"first page, 390":            3400,
	"a change, 1280":             48, // the highest one
	"a change, 390":              72,
	"dialogue, 390":              1900,
	"controls without a channel": 14, // visible in the dialogue, each radio button counted
	"controls":                   12,
	"controls with a price":      16,
	"HTML of a page, KB":         60, // the largest one
	"style sheet, KB":            45,
}

// holds fails the test if what is measured is more than its bound.
func (s *stage) holds(what string, is float64) {
	s.Helper()
	s.Logf("%s: %.4g of %.4g", what, is, bounds[what])
	if is > bounds[what] {
		s.Errorf("%s: %.4g is more than %.4g", what, is, bounds[what])
	}
}

// number evaluates an expression.
func (s *stage) number(expression string) (n float64) {
	s.Helper()
	s.ask(expression, &n)
	return n
}

// height is that of the whole page.
func (s *stage) height() float64 { return s.number(`document.documentElement.scrollHeight`) }

// visibleControls counts what can be filled, ticked or pressed in the main part of a page, in what is open.
func (s *stage) visibleControls() float64 {
	return s.number(`[...document.querySelectorAll("main :is(input, select, textarea, button)")]
		.filter(e => e.type !== "hidden" && e.checkVisibility() && e.getBoundingClientRect().width > 1).length`)
}

// fetched returns the size of an answer in bytes, and how long it may be kept.
func (s *stage) fetched(path string) (size int, kept string) {
	s.Helper()
	res, err := http.Get(s.server + "/api/ui" + path)
	must(s.T, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(s.T, err)
	return len(body), res.Header.Get("Cache-Control")
}

// wide shows pages as a desktop and as a phone do.
func (s *stage) wide(width int64) { s.lookAs(look{"", width, "light"}) }

// measuresDays measures the first page with changes of several days.
func (s *stage) measuresDays() {
	s.Helper()
	for _, width := range []int64{1280, 390} {
		s.wide(width)
		s.open("")
		if n := s.number(`document.querySelectorAll("` + oneChange + `").length`); n != shownChanges {
			s.Errorf("the first page shows %.0f of %d changes", n, shownChanges)
		}
		s.holds(fmt.Sprintf("first page, %d", width), s.height())
		s.holds(fmt.Sprintf("a change, %d", width), s.number(
			`Math.max(...[...document.querySelectorAll("`+oneChange+`")].map(e => e.getBoundingClientRect().height))`))
	}
}

// measuresDialogue measures the dialogue that asks what to tell of a page.
func (s *stage) measuresDialogue(id string) {
	s.Helper()
	s.wide(390)
	s.open(fmt.Sprintf(dialogue, id))
	s.holds("controls without a channel", s.visibleControls())
	_, err := api.AddChannel.Call(s.Context(), s.client, api.ChannelSpec{Name: "ops",
		ChannelSettings: api.ChannelSettings{Kind: "webhook", URL: s.site + "/hook"}})
	must(s.T, err)
	s.open(fmt.Sprintf(dialogue, id))
	s.holds("controls", s.visibleControls())
	s.holds("dialogue, 390", s.height())
	s.open(fmt.Sprintf(withPrice, id))
	s.holds("controls with a price", s.visibleControls())
}

// drawn are the pages that are held to their looks.
func drawn(id, broken, host string) map[string]string {
	return map[string]string{"home": "", "page": "/items/" + id, "part": "/items/" + id + "/pick",
		"difference": "/items/" + id + "/diff", "ignore": "/items/" + id + "/ignore",
		"settings": "/items/" + id + "/settings",
		"stop":     "/items/" + id + "/stop", "value": "/items/" + id + "/fields/price", "tell": fmt.Sprintf(dialogue, id),
		"problem": "/items/" + broken, "alerts": "/notifications", "channels": "/notifications/new-channel",
		"mail": "/notifications/new-channel?kind=smtp", "pages": "/items", "search": "/search?q=lamp",
		"host":      "/hosts/" + host,
		"attention": "/attention", "machine": "/machine", "add": "/add", "import": "/import", "keys": "/keys",
		"index": "/index", "entries": "/entries", "backfill": "/backfill", "help": "/help", "missing": "/nothing"}
}

// elsewhere are the pages that [TestEverybody] holds to be accessible.
var elsewhere = []string{"import", "keys", "index", "entries", "backfill", "help", "machine", "missing"}

// TestEachPageIsDrawnWell checks pages of a store with changes of several days, values, a problem and small changes:
// none is scrolled sideways, at 320 pixels either; they are accessible on a desktop and a phone; and the first page,
// the dialogue, the HTML and the style sheet keep their bounds.
func TestEachPageIsDrawnWell(t *testing.T) {
	dir := t.TempDir()
	fillDays(t, dir+"/data")
	s := stageIn(t, dir, "WEBHOOK_ALLOW_HOSTS=localhost")
	script := axe(t)
	s.measuresDays()
	id := s.offers("", "89.00", "InStock")
	s.offers(id, "79.00", "InStock")
	broken, err := api.AddURL.Call(t.Context(), s.client, api.AddURLRequest{URL: s.site + "/nothing-here.html"})
	must(t, err)
	s.eventually("the problem is known", func() bool {
		it, err := api.GetItem.Call(t.Context(), s.client, api.ItemID{ID: broken.ID})
		return err == nil && !it.LastChecked.IsZero()
	})
	s.measuresDialogue(id)
	var largest int
	for name, path := range drawn(id, broken.ID, strings.TrimPrefix(s.site, "http://")) {
		size, _ := s.fetched(path)
		largest = max(largest, size)
		s.open(path)
		for _, width := range []int64{1280, 390, 320} {
			s.wide(width)
			what := fmt.Sprintf("%s, %d", name, width)
			s.fits(what)
			if width == 320 {
				continue
			}
			s.Logf("%s: %.0f px, %.1f KB, %.0f controls", what, s.height(), float64(size)/1024, s.visibleControls())
			if !slices.Contains(elsewhere, name) {
				s.accessible(script, what)
			}
			s.draws(name, width)
		}
	}
	s.holds("HTML of a page, KB", float64(largest)/1024)
	size, kept := s.fetched(styleSheet)
	s.holds("style sheet, KB", float64(size)/1024)
	if !strings.Contains(kept, "max-age") {
		t.Errorf("browsers may not keep the style sheet: %q", kept)
	}
}

// draws saves pictures of a page in both schemes, if they are asked for.
func (s *stage) draws(name string, width int64) {
	s.Helper()
	if !*pictures {
		return
	}
	for _, scheme := range []string{"dark", "light"} {
		s.lookAs(look{"", width, scheme})
		s.do(chromedp.WaitReady("main"))
		s.shoot(fmt.Sprintf("page-%s-%d-%s", name, width, scheme))
	}
}
