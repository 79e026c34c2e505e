package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestL4SignIn signs in with a key, does something, and signs out. Afterwards the next user of the browser cannot see
// the pages (L4).
func TestL4SignIn(t *testing.T) {
	key := "k7Qw9zR2mX4vB6nT8pL1sD3fk5Hj0G"
	s := newStage(t, "API_KEYS=ada admin "+key, "API_KEYS_REQUIRED=true")
	script := axe(t)
	s.open("/items")
	s.reads("main", "Sign in")
	for _, l := range looks {
		s.lookAs(l)
		s.accessible(script, "sign-in, "+l.name)
		s.fits("sign-in, " + l.name)
		s.shoot("sign-in-" + l.name)
	}
	s.do(chromedp.SendKeys("#key", "a guess"+kb.Enter))
	s.reads("[role=alert]", "not valid")
	s.accessible(script, "refused")
	s.do(chromedp.SendKeys("#key", key+kb.Enter))
	s.reads("h1", "Pages")
	s.reads("header", "ada")
	s.accessible(script, "signed in")
	s.open("")
	s.do(chromedp.SendKeys("#urls", s.site+"/index.html"), chromedp.Click("form[action^='/api/ui/add'] button"),
		chromedp.WaitVisible(".flash"))
	s.reads("#live-guide", "1 of 1 page can be searched")
	s.press("#live-changes h3 a")
	s.eventually("the page's own page says who has added it", func() bool {
		s.ask(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
		return strings.Contains(s.text("main"), "source added by API (key ada)")
	})
	s.shoot("signed-in")
	s.do(chromedp.Click(".who button"), chromedp.WaitVisible("#key"))
	s.open("/items")
	s.reads("main", "Sign in")
	s.do(chromedp.NavigateBack(), chromedp.WaitReady("main"))
	s.reads("main", "Sign in")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}
