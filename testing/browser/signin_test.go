package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
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
	s.do(chromedp.Click("header .menu summary"))
	s.reads("header", "Sign out ada")
	s.accessible(script, "signed in")
	s.open("/add")
	s.do(chromedp.SendKeys("[name=urls]", s.site+"/index.html"), chromedp.Click("form[action^='/api/ui/add'] button"),
		chromedp.WaitVisible(".toast"))
	s.open("")
	s.reads("#live-guide", "1 of 1 page can be searched")
	s.open("/items")
	s.press(`.pages li a[href*="/items/"]`)
	s.reads("h1", "Tarn 4")
	s.press(`a[href$="/experts"]`)
	s.eventually("the page for experts says who has added it", func() bool {
		s.ask(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
		return strings.Contains(s.text("main"), "source added by API (key ada)")
	})
	s.shoot("signed-in")
	s.press("header .menu .apart button")
	s.do(chromedp.WaitVisible("#key"))
	s.open("/items")
	s.reads("main", "Sign in")
	s.do(chromedp.NavigateBack(), chromedp.WaitReady("main"))
	s.reads("main", "Sign in")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}

// TestL9LinkSignsIn opens a link of the machine's own key, and presses its button: that is all that a person does
// before the dashboard is there (L9).
func TestL9LinkSignsIn(t *testing.T) {
	s := newStage(t, "API_KEYS_REQUIRED=true")
	script := axe(t)
	home := map[string]string{"XDG_STATE_HOME": filepath.Dir(s.folder)}
	made, err := keyfile.Client(func(name string) string { return home[name] }, s.server).SignInLink(t.Context())
	must(t, err)
	s.do(chromedp.Navigate(s.server+made.Path), chromedp.WaitReady("main"))
	s.reads("main", "signs one browser in")
	for _, l := range looks {
		s.lookAs(l)
		s.accessible(script, "link, "+l.name)
		s.fits("link, " + l.name)
	}
	s.leave("main button")
	s.do(chromedp.Click("header .menu summary"))
	s.reads("header .menu", "Sign out")
	s.do(chromedp.Navigate(s.server+made.Path), chromedp.WaitReady("main"))
	s.reads("[role=alert]", "tidemark link")
}
