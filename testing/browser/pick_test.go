package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tidemark/tidemark/pkg/api"
)

// sells writes a shop's page and waits for its check.
func (s *stage) sells(id, price, seen string) string {
	s.Helper()
	page := fmt.Sprintf(`<html lang=en><title>Storm lamp</title><nav><a href=/>Home</a> <a href=/lamps>Lamps</a></nav>
		<main><h1>Storm lamp</h1><p>A lamp for the harbour wall, of brass, with green glass.</p>
		<p class="css-1x2y3z">Price: <span class=price>%s</span> EUR, <b>seen %s times</b></p>
		<p>%s</p></main></html>`, price, seen, strings.Repeat("A line about lamps. ", 20))
	must(s.T, os.WriteFile(filepath.Join(s.folder, "lamp.html"), []byte(page), 0o644))
	return s.readAgain(id, "lamp.html", price+" EUR", seen+" times")
}

// readAgain adds a page of the site, or requests a check of a known one, and waits until its text contains all of want.
func (s *stage) readAgain(id, name string, want ...string) string {
	s.Helper()
	if id == "" {
		it, err := api.AddURL.Call(s.Context(), s.client, api.AddURLRequest{URL: s.site + "/" + name})
		must(s.T, err)
		id = it.ID
	} else {
		_, err := api.ReindexItem.Call(s.Context(), s.client, api.ReindexRequest{ID: id})
		must(s.T, err)
	}
	s.eventually(name+" was read", func() bool {
		text, err := api.GetPageText.Call(s.Context(), s.client, api.TextQuery{ID: id, Format: "json"})
		return err == nil && !slices.ContainsFunc(want, func(part string) bool { return !strings.Contains(text.Text, part) })
	})
	return id
}

// told returns the number of changes that are not silenced.
func (s *stage) told() int {
	s.Helper()
	page, err := api.ListChanges.Call(s.Context(), s.client, api.ChangeQuery{})
	must(s.T, err)
	return len(page.Changes)
}

// TestW23OnlyThePrice checks on a phone, with the keyboard alone, that a person chooses the price of a shop's page,
// sees
// what the selector found in the last captures, saves it, and is then told of the price and of nothing else.
func TestW23OnlyThePrice(t *testing.T) {
	s := newStage(t)
	script := axe(t)
	s.do(chromedp.EmulateViewport(390, 844), emulation.SetTimezoneOverride("Asia/Kolkata"))
	id := s.sells("", "79", "12")
	s.sells(id, "81", "13")
	s.sells(id, "84", "14")
	s.open("/items/" + id)
	s.do(chromedp.Click(`a[href$="/pick"]`), chromedp.WaitReady("#press"))
	s.fits("the parts of a page")
	s.everybody(script, "pick")
	s.do(chromedp.EmulateViewport(390, 844))
	s.shoot("pick-phone")
	const price = `//form[@id="press"]//button[normalize-space() = "84"]`
	s.do(chromedp.Focus(price, chromedp.BySearch), chromedp.KeyEvent(kb.Enter), chromedp.WaitReady("#tried"))
	s.reads("#chosen", "“84”")
	for _, want := range []string{"84", "81", "79"} {
		s.reads("#tried", want)
	}
	if strings.Contains(s.text("#tried"), "UTC") {
		t.Errorf("times are not the reader's: %s", s.text("#tried"))
	}
	s.everybody(script, "picked")
	s.do(chromedp.EmulateViewport(390, 844))
	s.shoot("picked-phone")
	s.do(chromedp.Click("aside details > summary"), chromedp.SetValue(`[name="watch.include"]`, ".prise"),
		chromedp.SendKeys(`[name="watch.include"]`, " "))
	s.reads("#written", "not in the page")
	s.do(chromedp.SetValue(`[name="watch.include"]`, ".price"), chromedp.SendKeys(`[name="watch.include"]`, " "))
	s.reads("#written", "79")
	s.do(chromedp.Focus(`button[value="only"]`), chromedp.KeyEvent(kb.Enter))
	s.reads(".toast", "Saved.")
	before := s.told()
	s.sells(id, "84", "15")
	if now := s.told(); now != before {
		t.Errorf("%d changes, and %d after something else changed", before, now)
	}
	s.sells(id, "89", "15")
	s.eventually("the price is told", func() bool { return s.told() == before+1 })
	s.open("/items/" + id + "/ignore")
	s.everybody(script, "ignore")
	s.do(chromedp.EmulateViewport(390, 844), chromedp.SetAttributeValue(`[name="line"]`, "checked", ""),
		chromedp.Click("form details > summary"), chromedp.SetValue(`[name="pattern.1"]`, "seen ("),
		chromedp.SendKeys(`[name="pattern.1"]`, "("))
	s.reads("#hides", "Ignored lines")
	s.do(chromedp.Click(`button[value="ignore"]`), chromedp.WaitReady(`[aria-invalid="true"]`))
	s.everybody(script, "ignore-refused")
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}
