package browser

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// axeVersion is the version of axe-core, which is installed below the tools if it is missing. It is used in tests,
// and not distributed.
const axeVersion = "4.14.1"

var installing sync.Mutex // some tests run side by side

// axe returns the source of axe-core.
func axe(t *testing.T) string {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	tools := os.Getenv("TOOLS")
	if tools == "" {
		tools = ".tools"
	}
	if !filepath.IsAbs(tools) {
		tools = filepath.Join(root, tools)
	}
	home, err := filepath.Abs(filepath.Join(tools, "axe-core-"+axeVersion))
	must(t, err)
	script := filepath.Join(home, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(script); err != nil {
		out, err := exec.Command("npm", "install", "--prefix", home, "--no-audit", "--no-fund", "--ignore-scripts",
			"axe-core@"+axeVersion).CombinedOutput()
		if err != nil {
			t.Fatalf("npm install axe-core: %v\n%s", err, out)
		}
	}
	b, err := os.ReadFile(script)
	must(t, err)
	return string(b)
}

// violation is an accessibility fault.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string
		FailureSummary string
	}
}

// ofColours are the rules of axe-core that depend on the colour scheme.
var ofColours = []string{"color-contrast", "link-in-text-block"}

// accessible fails the test if axe-core finds violations of some rules on the page; of all rules if none is given.
func (s *stage) accessible(axe, what string, rules ...string) {
	s.Helper()
	var raw string
	var has bool
	// The page's policy forbids this script, but the owner of the browser may run it.
	s.do(page.SetBypassCSP(true), chromedp.Evaluate(`typeof axe === "object"`, &has))
	if !has {
		s.do(chromedp.Evaluate(axe+";0", nil))
	}
	options := map[string]any{"resultTypes": []string{"violations"}}
	if len(rules) > 0 {
		options["runOnly"] = rules
	}
	wanted, err := json.Marshal(options)
	must(s.T, err)
	s.do(chromedp.Evaluate(`axe.run(document, `+string(wanted)+`).then(r => JSON.stringify(r.violations))`, &raw,
		chromedp.EvalAsValue, awaited))
	var found []violation
	must(s.T, json.Unmarshal([]byte(raw), &found))
	for _, v := range found {
		var where []string
		for _, n := range v.Nodes {
			where = append(where, n.HTML+"\n    "+strings.ReplaceAll(n.FailureSummary, "\n", "\n    "))
		}
		s.Errorf("%s: %s (%s): %s\n  %s", what, v.ID, v.Impact, v.Help, strings.Join(where, "\n  "))
	}
}

// fits fails the test if the page must be scrolled sideways.
func (s *stage) fits(what string) {
	s.Helper()
	var over string
	s.do(chromedp.Evaluate(`(() => { const page = document.documentElement, over = page.scrollWidth - page.clientWidth;
		const wide = [...page.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > page.clientWidth + 1);
		return over > 0 ? over + " pixels too wide: " + wide.at(-1)?.outerHTML.slice(0, 200) : ""; })()`, &over))
	if over != "" {
		s.Errorf("%s is %s", what, over)
	}
}

// everybody fails the test if the page is not accessible in one of the looks, or if its layout has shifted.
func (s *stage) everybody(axe, name string) {
	s.Helper()
	s.steady(name)
	s.previewed(axe, name)
}

// previewed is like everybody, for a page whose preview moves what is below it when it comes.
func (s *stage) previewed(axe, name string) {
	s.Helper()
	for _, l := range looks {
		if l.scheme == "dark" && !*wideToo && !*pictures {
			continue // the colours of both schemes are held to their contrast where they are defined
		}
		s.lookAs(l)
		if l.scheme == "dark" { // it differs from the one before only in its colours
			s.accessible(axe, name+", "+l.name, ofColours...)
		} else {
			s.accessible(axe, name+", "+l.name)
		}
		s.fits(name + ", " + l.name)
		if l.width < 640 {
			s.thumbs(name)
		}
		if *pictures {
			s.shoot(name + "-" + l.name)
		}
	}
	s.lookAs(looks[0])
}

// steady fails the test if the layout of the page has shifted since it was opened (web.dev/cls).
func (s *stage) steady(what string) {
	s.Helper()
	var shift float64
	s.do(chromedp.Evaluate(`new Promise(done => {
		let sum = 0;
		new PerformanceObserver(l => l.getEntries().forEach(e => { if (!e.hadRecentInput) sum += e.value }))
			.observe({type: "layout-shift", buffered: true});
		setTimeout(() => done(sum), 50);
	})`, &shift, awaited))
	if shift > 0.02 {
		s.Errorf("%s: the layout shifts by %.3f", what, shift)
	}
}

// thumbs fails the test if a control is smaller than a thumb needs: 44 pixels.
func (s *stage) thumbs(what string) {
	s.Helper()
	var small []string
	s.do(chromedp.Evaluate(`[...document.querySelectorAll("button:not(.bit), select, textarea, summary, .button, header nav a, "+
		".chip, .seg a, .tabs a, .menu li a, input:not([type=checkbox], [type=radio], [type=hidden])")]
		.filter(e => { const r = e.getBoundingClientRect(); return e.checkVisibility() && r.width > 1 && r.height > 1 && r.height < 43.5 })
		.map(e => e.outerHTML.slice(0, 120))`, &small))
	for _, e := range small {
		s.Errorf("%s: too small for a thumb: %s", what, e)
	}
}
